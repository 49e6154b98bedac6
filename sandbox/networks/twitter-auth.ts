import type { XConfig } from '../../src/platforms/x/settings.ts';

type Credentials = Pick<XConfig, 'appKey' | 'appSecret' | 'accessToken' | 'accessSecret'>;

/** The sender according to the Authorization header: the bot, the app, or none. */
export type Caller = 'bot' | 'app' | null;

/** What the network gives for the app's key and secret. */
export const APP_TOKEN = 'sandbox-app-only-token';

function oauthParameters(header: string): Map<string, string> {
  const pairs = header.slice('OAuth '.length).split(',');
  return new Map(
    pairs.flatMap((pair) => {
      const match = /^\s*([a-z_]+)="([^"]*)"\s*$/.exec(pair);
      const [, name, value] = match ?? [];
      return name === undefined || value === undefined ? [] : [[name, decodeURIComponent(value)] as const];
    }),
  );
}

/** Reads OAuth 1.0a with the bot's tokens (the signature has to be there, but is not checked) or the app's bearer. */
export function callerOf(header: string | undefined, credentials: Credentials): Caller {
  if (header === `Bearer ${APP_TOKEN}`) return 'app';
  if (header === undefined || !header.startsWith('OAuth ')) return null;
  const given = oauthParameters(header);
  const known =
    given.get('oauth_consumer_key') === credentials.appKey &&
    given.get('oauth_token') === credentials.accessToken &&
    given.get('oauth_signature_method') === 'HMAC-SHA1' &&
    (given.get('oauth_signature') ?? '') !== '' &&
    (given.get('oauth_nonce') ?? '') !== '';
  return known ? 'bot' : null;
}

/** Whether these are the app's key and secret, as HTTP Basic. */
export function isApp(header: string | undefined, { appKey, appSecret }: Credentials): boolean {
  const expected = Buffer.from(`${encodeURIComponent(appKey)}:${encodeURIComponent(appSecret)}`).toString('base64');
  return header === `Basic ${expected}`;
}
