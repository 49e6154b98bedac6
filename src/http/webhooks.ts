import type { Context } from 'hono';
import type { Platform } from '../domain/account.ts';
import { AdapterError, DomainError } from '../domain/errors.ts';
import type { PlatformEvent, SocialPlatform } from '../domain/mentions/mention.ts';
import { PLATFORMS, type PlatformFacts, platformFacts, webhookPath } from '../domain/platforms/platforms.ts';
import { type ActInbox, createActInbox } from '../services/earning/acts/receive-acts.ts';
import { receiveMentions } from '../services/mentions/receive-mentions.ts';
import type { HttpContext } from './context.ts';
import { HttpError } from './errors/http-error.ts';
import { readBody } from './middleware/body.ts';
import { type App, type AppEnv, answer } from './middleware/context.ts';

/** Tells the platform that the whole delivery is on disk. */
const ACCEPTED = { ok: true };

const RETRY_AFTER_SECONDS = 5;

type Challenge = NonNullable<PlatformFacts['challenge']>;

type Receiving = HttpContext & { readonly acts: ActInbox };

function enabled({ platforms }: HttpContext, platform: Platform): SocialPlatform {
  const network = platforms.get(platform);
  // A disabled platform has no webhook.
  if (network === undefined) throw new HttpError({ code: 'route_not_found' });
  return network;
}

function parse(
  deps: HttpContext,
  network: SocialPlatform,
  { raw, acts }: { raw: Uint8Array; acts: boolean },
): PlatformEvent[] {
  try {
    return network.parse(raw, { acts });
  } catch (error) {
    if (!(error instanceof AdapterError) || error.reason !== 'bad_response') throw error;
    deps.metrics.webhook(network.platform, 'unreadable');
    throw new DomainError({ code: 'invalid_request', message: 'Body is not valid JSON' });
  }
}

/** Uses the store for a delivery, which is not stored when that fails: the platform must send it again. */
async function orAgain<Done>({ metrics }: HttpContext, platform: Platform, use: () => Promise<Done>): Promise<Done> {
  try {
    return await use();
  } catch (error) {
    metrics.webhook(platform, 'failed');
    throw new HttpError({ code: 'unavailable', retryAfter: RETRY_AFTER_SECONDS }, { cause: error });
  }
}

async function keep(
  deps: Receiving,
  platform: Platform,
  { events, requestId }: { events: PlatformEvent[]; requestId: string },
): Promise<void> {
  const [{ length }, acts] = await Promise.all([
    receiveMentions(deps, events, { source: 'webhook', requestId }),
    deps.acts.storeActs(events),
  ]);
  deps.metrics.webhook(platform, length + acts > 0 ? 'stored' : 'nothing_new');
  deps.metrics.mentions(platform, length);
}

/** The signature is checked over the raw bytes before parsing; a 200 means that the delivery is on disk. */
async function receive(c: Context<AppEnv>, deps: Receiving, platform: Platform): Promise<Response> {
  const network = enabled(deps, platform);
  const raw = await readBody(c);
  if (!network.verify(raw, c.req.header(platformFacts(platform).signatureHeader))) {
    deps.metrics.webhook(platform, 'bad_signature');
    throw new HttpError({ code: 'invalid_signature' });
  }
  // Most deliveries are of casts that concern no gig.
  const acts = await orAgain(deps, platform, () => deps.acts.isWatching(platform));
  const events = parse(deps, network, { raw, acts });
  const { requestId } = c.get('request');
  await orAgain(deps, platform, () => keep(deps, platform, { events, requestId }));
  return answer(c, { status: 200, body: ACCEPTED });
}

/**
 * Answers a platform's ownership challenge. The answer uses the key that signs events, so a token that could be an
 * event's body is refused; neither token nor answer is logged.
 */
function answerChallenge(c: Context<AppEnv>, deps: HttpContext, platform: Platform, names: Challenge): Response {
  const network = enabled(deps, platform);
  const token = c.req.query(names.parameter) ?? '';
  const response = network.answerChallenge?.(token) ?? null;
  if (response === null) {
    c.get('request').log().warn({ platform, tokenLength: token.length }, 'challenge refused');
    const message = `${names.parameter} is missing or malformed`;
    throw new DomainError({ code: 'invalid_request', message });
  }
  return answer(c, { status: 200, body: { [names.field]: response } });
}

/** `POST /webhooks/<platform>` and, where the platform has one, its challenge at `GET /webhooks/<platform>`. */
export function addWebhookRoutes(app: App, deps: HttpContext): void {
  const receiving = { ...deps, acts: createActInbox(deps) };
  for (const { id, challenge } of PLATFORMS) {
    app.post(webhookPath(id), (c) => receive(c, receiving, id));
    if (challenge !== null) app.get(webhookPath(id), (c) => answerChallenge(c, deps, id, challenge));
  }
}
