import type { AppClient } from '@farcaster/auth-client';
import { AdapterError } from '../domain/errors.ts';
import {
  type ChannelStatus,
  type FarcasterSignIn,
  readSignature,
  type SignInAnswer,
  type SignInChannel,
} from '../domain/owners/sign-in.ts';
import { inTime, openRegistries, registryFailure } from './registries.ts';
import { createRelay, relayFailure } from './relay.ts';
import type { SignInSite } from './site.ts';

export interface FarcasterSignInOptions {
  readonly site: SignInSite;
  /** The relay's URL, without a slash at its end. */
  readonly relayUrl: string;
  /** The endpoints of chain 10, on which Farcaster's registries are. They may hold keys; no message contains them. */
  readonly rpcUrls: readonly string[];
  /** For one question to the relay or to the chain, milliseconds; 10 s when absent. */
  readonly timeoutMs?: number;
}

/** Nobody has it: the registries answer for it as for every address. */
const NO_ONE = '0x0000000000000000000000000000000000000001';
/** The relay's tokens are short; nothing else is sent to it. */
const CHANNEL = /^[A-Za-z0-9_-]{1,200}$/;
/** Apps sign some 400 characters. The library reads a message in quadratic time, and anybody may answer their own channel. */
const MAX_MESSAGE = 4_000;
/** The QR code of a link has room for 2,331 bytes. */
const MAX_LINK = 2_000;

/** The fields of an answer of the relay; none when it is no object. */
function fieldsOf(data: unknown): Readonly<Record<string, unknown>> {
  return { ...Object(data) };
}

/** Only links that a browser or a phone opens as such, and that fit into a QR code. */
function readLink({ url }: Readonly<Record<string, unknown>>): string {
  const protocol = typeof url === 'string' && url.length <= MAX_LINK ? URL.parse(url)?.protocol : undefined;
  if (typeof url !== 'string' || (protocol !== 'https:' && protocol !== 'http:')) {
    throw relayFailure('bad_response', 'gave no usable link');
  }
  return url;
}

function readAnswer(answer: Readonly<Record<string, unknown>>) {
  const { state, message, signature } = answer;
  if (state !== 'completed') return null;
  if (typeof message === 'string' && typeof signature === 'string') return { message, signature };
  throw relayFailure('bad_response', 'gave no usable answer');
}

/** Whether a message is for the page that asked, and for its scheme if it names one; the library compares only the domain. */
async function namesSite(site: SignInSite, message: string): Promise<boolean> {
  const { parseSiweMessage } = await import('viem/siwe');
  const { uri, scheme } = parseSiweMessage(message);
  return uri === site.uri && (scheme === undefined || `${scheme}:` === new URL(site.uri).protocol);
}

/** Sign In With Farcaster at this site. The library is loaded at the first use: it brings all of viem's chains. */
export function createFarcasterSignIn(options: FarcasterSignInOptions): FarcasterSignIn {
  const { site, relayUrl, rpcUrls, timeoutMs = 10_000 } = options;
  const relay = createRelay(relayUrl, { timeoutMs });
  let made: Promise<AppClient> | undefined;

  function client(): Promise<AppClient> {
    made ??= import('@farcaster/auth-client').then(({ createAppClient }) =>
      createAppClient({ relay: relayUrl, version: 'v1', ethereum: openRegistries(rpcUrls, { timeoutMs }) }),
    );
    return made;
  }

  return {
    async open(nonce, expiresAt): Promise<SignInChannel> {
      const json = {
        siweUri: site.uri,
        domain: site.domain,
        nonce,
        expirationTime: new Date(expiresAt).toISOString(),
        acceptAuthAddress: true,
      };
      const { data } = await relay.ask('channel', { json });
      const { channelToken: token, ...channel } = fieldsOf(data);
      if (typeof token !== 'string' || !CHANNEL.test(token)) {
        throw relayFailure('bad_response', 'gave no usable channel');
      }
      return { token, url: readLink(channel) };
    },
    async status(token): Promise<ChannelStatus | null> {
      if (!CHANNEL.test(token)) return null;
      const gone = [401, 404];
      const { status, data } = await relay.ask('channel/status', { token, wanted: gone });
      if (gone.includes(status)) return null;
      const channel = fieldsOf(data);
      return { url: readLink(channel), answer: readAnswer(channel) };
    },
    async verify({ message, signature: sent }: SignInAnswer, nonce): Promise<string | null> {
      const signature = readSignature(sent);
      if (signature === null || message.length > MAX_MESSAGE) return null;
      const { verifySignInMessage } = await client();
      const { domain } = site;
      const signed = { message, signature, nonce, domain, acceptAuthAddress: true } as const;
      const { isError, error, success, fid } = await inTime(verifySignInMessage(signed), timeoutMs);
      if (isError && (error?.errCode === 'unavailable' || error?.errCode === 'unknown')) throw registryFailure(error);
      const isSigned = !isError && success && Number.isSafeInteger(fid) && fid > 0;
      return isSigned && (await namesSite(site, message)) ? String(fid) : null;
    },
    async askRelay() {
      // Without a channel it refuses; what is no relay does not know the path, or fails.
      const refusals = [400, 401];
      const { status } = await relay.ask('channel/status', { wanted: refusals });
      if (!refusals.includes(status)) throw relayFailure('server_error', `answered with status ${status}`);
    },
    async askRegistries() {
      const { ethereum } = await client();
      await inTime(ethereum.getFid(NO_ONE), timeoutMs).catch((cause: unknown) => {
        throw cause instanceof AdapterError ? cause : registryFailure(cause);
      });
    },
  };
}
