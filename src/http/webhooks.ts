import type { Context } from 'hono';
import type { Platform } from '../domain/account.ts';
import { AdapterError, DomainError } from '../domain/errors.ts';
import type { Mention, SocialPlatform } from '../domain/mention.ts';
import { type ReceiveDeps, receiveMentions } from '../services/mentions/receive-mentions.ts';
import { readBody } from './middleware/body.ts';
import { type App, type AppEnv, answer } from './middleware/context.ts';
import { HttpError } from './middleware/errors.ts';
import type { Metrics } from './middleware/metrics.ts';

/** Where each platform puts the signature of what it delivers. */
const SIGNATURE_HEADERS: Readonly<Record<Platform, string>> = {
  farcaster: 'x-neynar-signature',
  twitter: 'x-twitter-webhooks-signature',
};

/** What a platform hears when all of its delivery is on disk. */
const ACCEPTED = { ok: true };

const RETRY_AFTER_SECONDS = 5;

/** Where a platform delivers. */
function webhookPath(platform: Platform): string {
  return `/webhooks/${platform}`;
}

/** What the webhook routes need. */
export type WebhookDeps = ReceiveDeps & { readonly metrics: Metrics };

function enabled({ platforms }: WebhookDeps, platform: Platform): SocialPlatform {
  const network = platforms.get(platform);
  // A platform that is off has no webhook.
  if (network === undefined) throw new HttpError({ code: 'route_not_found' });
  return network;
}

function parse(deps: WebhookDeps, network: SocialPlatform, raw: Uint8Array): Mention[] {
  try {
    return network.parse(raw);
  } catch (error) {
    if (!(error instanceof AdapterError) || error.reason !== 'bad_response') throw error;
    deps.metrics.webhook(network.platform, 'unreadable');
    throw new DomainError({ code: 'invalid_request', message: 'Body is not valid JSON' });
  }
}

async function keep(
  deps: WebhookDeps,
  network: SocialPlatform,
  { mentions, requestId }: { mentions: Mention[]; requestId: string },
): Promise<void> {
  const { platform } = network;
  try {
    const { length } = await receiveMentions(deps, mentions, { source: 'webhook', requestId });
    deps.metrics.webhook(platform, length > 0 ? 'stored' : 'nothing_new');
    deps.metrics.mentions(platform, length);
  } catch (error) {
    deps.metrics.webhook(platform, 'failed');
    // The platform shall send it again: whatever went wrong, this delivery was not kept.
    throw new HttpError({ code: 'unavailable', retryAfter: RETRY_AFTER_SECONDS }, { cause: error });
  }
}

/** The signature is checked over the raw bytes, before anything reads them; a 200 means that all of it is on disk. */
async function receive(c: Context<AppEnv>, deps: WebhookDeps, platform: Platform): Promise<Response> {
  const network = enabled(deps, platform);
  const raw = await readBody(c);
  if (!network.verify(raw, c.req.header(SIGNATURE_HEADERS[platform]))) {
    deps.metrics.webhook(platform, 'bad_signature');
    throw new HttpError({ code: 'invalid_signature' });
  }
  const mentions = parse(deps, network, raw);
  await keep(deps, network, { mentions, requestId: c.get('exchange').requestId });
  return answer(c, { status: 200, body: ACCEPTED });
}

/**
 * Answers X's challenge, by which it checks who owns the webhook. The answer is made with the key that signs events, so
 * a token that could be an event's body is refused; neither token nor answer is ever logged.
 */
function answerChallenge(c: Context<AppEnv>, deps: WebhookDeps): Response {
  const network = enabled(deps, 'twitter');
  const token = c.req.query('crc_token') ?? '';
  const response = network.answerChallenge?.(token) ?? null;
  if (response === null) {
    c.get('exchange').log().warn({ platform: 'twitter', tokenLength: token.length }, 'challenge refused');
    throw new DomainError({ code: 'invalid_request', message: 'crc_token is missing or not of the known form' });
  }
  return answer(c, { status: 200, body: { response_token: response } });
}

/** `POST /webhooks/farcaster`, `POST /webhooks/twitter` and the challenge at `GET /webhooks/twitter`. */
export function addWebhookRoutes(app: App, deps: WebhookDeps): void {
  app.post(webhookPath('farcaster'), (c) => receive(c, deps, 'farcaster'));
  app.post(webhookPath('twitter'), (c) => receive(c, deps, 'twitter'));
  app.get(webhookPath('twitter'), (c) => answerChallenge(c, deps));
}
