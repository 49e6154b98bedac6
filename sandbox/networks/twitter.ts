import { createHmac } from 'node:crypto';
import { Hono } from 'hono';
import type { XConfig } from '../../src/platforms/x/settings.ts';
import { createDoor } from './door.ts';
import { faultyApi, type NetworkEnv, NO_FAULTS } from './faults.ts';
import { createLocalNetwork, serveNetwork } from './local-network.ts';
import type { NetworkEvent, NetworkPost, SocialNetwork } from './network.ts';
import { createTimeline } from './timeline.ts';
import { createXApi, xOutages } from './twitter-api.ts';
import type { Dialect } from './twitter-dialect.ts';
import { toEvents } from './twitter-events.ts';
import { PROBLEM_TYPE, problem, refuse, spendCapReached } from './twitter-problems.ts';
import { createTwitterWebhooks } from './twitter-webhooks.ts';
import { createWebhookSender, type WebhookEvent } from './webhook.ts';

/** How the network behaves where X has been seen to behave in more than one way; the fields may be set at any time. */
export interface XManners {
  /** The vocabulary it understands; `both` unless told otherwise, as X. */
  dialect: Dialect;
  /** Whether a subscription can be moved to another webhook. In September 2026 X answered 503 every time. */
  movesSubscriptions: boolean;
  /** The words with which it refuses every reply to a post; null to accept it. */
  refusal: (to: NetworkPost) => string | null;
  /** Asked at each call: the day on which the spending cap that is reached ends, as `2026-12-14`; null for no cap. */
  cap: () => string | null;
}

/** A local X. */
export interface TwitterNetwork extends SocialNetwork {
  readonly manners: XManners;
}

/** What a {@link TwitterNetwork} is made of: the credentials it accepts, and the bot that is there from the start. */
export interface TwitterNetworkOptions extends Omit<XConfig, 'baseUrl'> {
  /** Epoch ms; the machine's clock when absent. */
  readonly clock?: (() => number) | undefined;
  /** Told of everything the network does, at once. */
  readonly observe?: ((event: NetworkEvent) => void) | undefined;
  /**
   * Whether the bot's same text to the same author counts as a duplicate under any post, and not only under the same
   * one. How far X itself goes is not documented.
   */
  readonly duplicatesAnywhere?: boolean | undefined;
  /** How many webhooks the app may have; one when absent, as a pay-per-use app has it. */
  readonly webhookLimit?: number | undefined;
}

const FIRST_ID_MS = 1_288_834_974_657n;

/** Ids as X gives them out: the time in the upper bits, and always larger than the last. */
function createIds(): (now: number) => string {
  let last = 0n;
  return (now) => {
    const next = (BigInt(now) - FIRST_ID_MS) << 22n;
    last = next > last ? next : last + 1n;
    return String(last);
  };
}

function eventType(event: object): string {
  const data: unknown = 'data' in event ? event.data : undefined;
  return typeof data === 'object' && data !== null && 'event_type' in data ? String(data.event_type) : '';
}

/** X in memory. */
export function createTwitterNetwork(options: TwitterNetworkOptions): TwitterNetwork {
  const clock = options.clock ?? Date.now;
  const faults = { ...NO_FAULTS };
  const manners: XManners = { dialect: 'both', movesSubscriptions: false, refusal: () => null, cap: () => null };
  const observe = options.observe ?? (() => undefined);
  const timeline = createTimeline({
    clock,
    newId: createIds(),
    urlOf: ({ id, author }) => `https://x.com/${author.username}/status/${id}`,
  });
  const bot = { id: options.botUserId, username: options.botUsername };
  timeline.addUser(bot);
  const webhooks = createTwitterWebhooks({
    appSecret: options.appSecret,
    botUserId: bot.id,
    clock,
    limit: options.webhookLimit ?? 1,
    movesSubscriptions: () => manners.movesSubscriptions,
  });
  const sender = createWebhookSender({
    faults,
    observe,
    headers: (body) => ({
      'x-twitter-webhooks-signature': `sha256=${createHmac('sha256', options.appSecret).update(body).digest('base64')}`,
    }),
  });

  /** Each event of a post with each place where it goes. */
  function deliveriesOf(post: NetworkPost): WebhookEvent[] {
    return toEvents(post, { botId: bot.id, timeline, knows: manners.dialect }).flatMap((event) =>
      webhooks.urlsFor(eventType(event)).map((url) => ({ postId: post.id, url, body: JSON.stringify(event) })),
    );
  }

  const network = createLocalNetwork({
    platform: 'twitter',
    botId: bot.id,
    faults,
    timeline,
    sender,
    observe,
    editable: true,
    deliveriesOf,
    setWebhook: webhooks.replace,
  });

  const app = new Hono<NetworkEnv>();
  app.route('/sandbox', createDoor(network));
  app.use(
    faultyApi({
      faults,
      observe,
      outages: xOutages(clock),
      posts: (method, path) => method === 'POST' && path === '/2/tweets',
    }),
  );
  app.use(async (c, next) => {
    const day = manners.cap();
    return day === null ? await next() : c.json(spendCapReached(day), 403, PROBLEM_TYPE);
  });
  app.route(
    '/',
    createXApi({
      config: options,
      timeline,
      publish: network.post,
      duplicatesAnywhere: () => options.duplicatesAnywhere ?? false,
      knows: () => manners.dialect,
      refusal: (to) => manners.refusal(to),
    }),
  );
  app.route('/2', webhooks.routes);
  app.notFound((c) => refuse(c, problem(404, 'Not Found', `no route ${c.req.method} ${c.req.path}`)));
  return serveNetwork({ ...network, manners }, app, { timeline, sender });
}
