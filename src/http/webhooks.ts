import type { Context } from 'hono';
import type { Platform } from '../domain/account.ts';
import { AdapterError, DomainError } from '../domain/errors.ts';
import type { PlatformEvent, SocialPlatform } from '../domain/mention.ts';
import { PLATFORMS, type PlatformFacts, platformFacts } from '../domain/platforms.ts';
import { type ReceiveDeps, receiveMentions } from '../services/mentions/receive-mentions.ts';
import { readBody } from './middleware/body.ts';
import { type App, type AppEnv, answer } from './middleware/context.ts';
import { HttpError } from './middleware/errors.ts';
import type { Metrics } from './middleware/metrics.ts';
import { takenOf } from './taken.ts';

/** What a platform hears when all of its delivery is on disk. */
export const ACCEPTED = { ok: true };

const RETRY_AFTER_SECONDS = 5;

/** Where a platform delivers. */
export function webhookPath(platform: Platform): string {
  return `/webhooks/${platform}`;
}

type Challenge = NonNullable<PlatformFacts['challenge']>;

/** What the webhook routes need. */
export type WebhookDeps = ReceiveDeps & { readonly metrics: Metrics };

/** Counts a delivery that brought so many new mentions. */
export function countAccepted(metrics: Metrics, platform: Platform, stored: number): void {
  metrics.webhook(platform, stored > 0 ? 'stored' : 'nothing_new');
  metrics.mentions(platform, stored);
}

function enabled({ platforms }: WebhookDeps, platform: Platform): SocialPlatform {
  const network = platforms.get(platform);
  // A platform that is off has no webhook.
  if (network === undefined) throw new HttpError({ code: 'route_not_found' });
  return network;
}

function parse(deps: WebhookDeps, network: SocialPlatform, raw: Uint8Array): PlatformEvent[] {
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
  { events, requestId, fault }: { events: PlatformEvent[]; requestId: string; fault: unknown },
): Promise<void> {
  const { platform } = network;
  try {
    if (fault !== undefined) throw fault;
    const { length } = await receiveMentions(deps, events, { source: 'webhook', requestId });
    countAccepted(deps.metrics, platform, length);
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
  if (!network.verify(raw, c.req.header(platformFacts(platform).signatureHeader))) {
    deps.metrics.webhook(platform, 'bad_signature');
    throw new HttpError({ code: 'invalid_signature' });
  }
  const events = parse(deps, network, raw);
  // A logger of its own for each request took longer than the line it wrote.
  const fault = takenOf(c.env?.incoming)?.fault;
  await keep(deps, network, { events, requestId: c.get('exchange').requestId, fault });
  return answer(c, { status: 200, body: ACCEPTED });
}

/**
 * Answers the challenge by which a platform checks who owns the webhook. The answer is made with the key that signs events, so
 * a token that could be an event's body is refused; neither token nor answer is ever logged.
 */
function answerChallenge(c: Context<AppEnv>, deps: WebhookDeps, platform: Platform, names: Challenge): Response {
  const network = enabled(deps, platform);
  const token = c.req.query(names.parameter) ?? '';
  const response = network.answerChallenge?.(token) ?? null;
  if (response === null) {
    c.get('exchange').log().warn({ platform, tokenLength: token.length }, 'challenge refused');
    const message = `${names.parameter} is missing or not of the known form`;
    throw new DomainError({ code: 'invalid_request', message });
  }
  return answer(c, { status: 200, body: { [names.field]: response } });
}

/**
 * `POST /webhooks/<platform>` and, where the platform has one, its challenge at `GET /webhooks/<platform>`. Deliveries that
 * end well are answered by their lanes before.
 */
export function addWebhookRoutes(app: App, deps: WebhookDeps): void {
  for (const { id, challenge } of PLATFORMS) {
    app.post(webhookPath(id), (c) => receive(c, deps, id));
    if (challenge !== null) app.get(webhookPath(id), (c) => answerChallenge(c, deps, id, challenge));
  }
}
