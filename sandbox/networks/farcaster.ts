import { createHmac, randomBytes } from 'node:crypto';
import { Hono } from 'hono';
import type { FarcasterConfig } from '../../src/platforms/farcaster/settings.ts';
import { createDoor } from './door.ts';
import { createActs } from './farcaster-acts.ts';
import { createActsApi, type NeynarManners } from './farcaster-acts-api.ts';
import { createNeynarApi, NEYNAR_OUTAGES } from './farcaster-api.ts';
import { addActs } from './farcaster-door.ts';
import { createNotifications, type Notifications } from './farcaster-notifications.ts';
import { toActEvent, toCast, toEvent } from './farcaster-objects.ts';
import { createPerformer, type Performer } from './farcaster-perform.ts';
import { createFarcasterWebhooks } from './farcaster-webhooks.ts';
import { brokenAnswers, faultyApi, type NetworkEnv, NO_FAULTS } from './faults.ts';
import { createLocalNetwork, serveNetwork } from './local-network.ts';
import type { NetworkEvent, NetworkPost, SocialNetwork } from './network.ts';
import { createTimeline } from './timeline.ts';
import { createWebhookSender, type WebhookEvent } from './webhook.ts';

/** A local Farcaster behind a local Neynar. */
export interface FarcasterNetwork extends SocialNetwork, Performer {
  readonly manners: NeynarManners;
  /** What people are shown by the mini app. */
  readonly notifications: Notifications;
}

/** What a {@link FarcasterNetwork} is made of: the credentials it accepts, and the bot that is there from the start. */
export interface FarcasterNetworkOptions extends Omit<FarcasterConfig, 'baseUrl'> {
  /** Epoch ms; the machine's clock when absent. */
  readonly clock?: (() => number) | undefined;
  /** Told of everything the network does, at once. */
  readonly observe?: ((event: NetworkEvent) => void) | undefined;
}

/** How much of a hash the app shows in a cast's URL: `0x` and eight digits. */
const SHOWN_HASH = 10;

/** Whether a request posts to a path, with or without a slash at its end. */
function isPost(route: string): (method: string, path: string) => boolean {
  return (method, path) => method === 'POST' && path.replace(/\/$/, '') === route;
}

/** A Farcaster network in memory. It signs its events with the first webhook secret. */
export function createFarcasterNetwork(options: FarcasterNetworkOptions): FarcasterNetwork {
  const clock = options.clock ?? Date.now;
  const faults = { ...NO_FAULTS };
  const manners: NeynarManners = { gone: 'refused' };
  const observe = options.observe ?? (() => undefined);
  const [secret] = options.webhookSecrets;
  if (secret === undefined) throw new RangeError('the network needs a webhook secret to sign with');
  const timeline = createTimeline({
    clock,
    newId: () => `0x${randomBytes(20).toString('hex')}`,
    urlOf: ({ id, author }) => `https://farcaster.xyz/${author.username}/${id.slice(0, SHOWN_HASH)}`,
  });
  const bot = { id: String(options.botFid), username: options.botUsername };
  timeline.addUser(bot);
  const acts = createActs();
  const world = { timeline, acts, faults };
  const notifying = createNotifications({ clock, timeline });
  const webhooks = createFarcasterWebhooks(options.webhookSecrets);
  const sender = createWebhookSender({
    faults,
    observe,
    headers: (body) => ({ 'x-neynar-signature': createHmac('sha512', secret).update(body).digest('hex') }),
  });

  /** The event of a cast with each webhook that it goes to. */
  function deliveriesOf(post: NetworkPost): WebhookEvent[] {
    const urls = webhooks.urlsFor(toCast(post, world));
    return urls.map((url) => ({ postId: post.id, url, body: JSON.stringify(toEvent(post, world)) }));
  }

  /** A performer of whose reactions and follows the webhooks are told; casts are told of when they are posted. */
  function tellingOf({ act }: Performer): Performer {
    return {
      act: (made) => {
        const change = act(made);
        if (change === null || !('targetId' in change)) return change;
        const body = JSON.stringify(toActEvent(change, world));
        for (const url of webhooks.urlsForAct(change)) sender.send({ postId: null, url, body });
        return change;
      },
    };
  }

  const network = createLocalNetwork({
    platform: 'farcaster',
    botId: bot.id,
    faults,
    timeline,
    sender,
    observe,
    editable: false,
    deliveriesOf,
    setWebhook: (url) => webhooks.replace(url, options.botFid),
  });

  const performer = tellingOf(createPerformer({ timeline, acts, clock, publish: network.post }));

  const api = new Hono<NetworkEnv>();
  api.use(
    faultyApi({
      faults,
      observe,
      outages: NEYNAR_OUTAGES,
      posts: isPost('/v2/farcaster/cast'),
      notifies: isPost('/v2/farcaster/frame/notifications'),
    }),
  );
  api.use(brokenAnswers(faults));
  api.route('/', createNeynarApi({ config: options, world, publish: network.post }));
  api.route('/', createActsApi({ world, manners }));
  api.route('/', webhooks.routes);
  api.route('/', notifying.routes);
  // Neynar answers on each path with and without a slash at its end.
  const app = new Hono<NetworkEnv>({ strict: false });
  const { notifications } = notifying;
  const door = addActs(createDoor(network), performer);
  app.route(
    '/sandbox',
    door.get('/notifications', (c) => c.json({ notifications: notifications.shown() })),
  );
  app.route('/v2/farcaster', api);
  app.notFound((c) => c.json({ code: 'NotFound', message: `no route ${c.req.method} ${c.req.path}` }, 404));
  return serveNetwork({ ...network, ...performer, manners, notifications }, app, { timeline, sender });
}
