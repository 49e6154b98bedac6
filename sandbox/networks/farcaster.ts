import { createHmac, randomBytes } from 'node:crypto';
import { Hono } from 'hono';
import type { FarcasterConfig } from '../../src/domain/platform-config.ts';
import { createDoor } from './door.ts';
import { createNeynarApi, NEYNAR_OUTAGES } from './farcaster-api.ts';
import { toCast, toEvent } from './farcaster-objects.ts';
import { createFarcasterWebhooks } from './farcaster-webhooks.ts';
import { faultyApi, type NetworkEnv, NO_FAULTS } from './faults.ts';
import type { NetworkEvent, NetworkPost, NewPost, SocialNetwork } from './network.ts';
import { createNetworkServer } from './server.ts';
import { createTimeline } from './timeline.ts';
import { createWebhookSender } from './webhook.ts';

/** A local Farcaster behind a local Neynar. */
export type FarcasterNetwork = SocialNetwork;

/** What a {@link FarcasterNetwork} is made of: the credentials it accepts, and the bot that is there from the start. */
export interface FarcasterNetworkOptions extends Omit<FarcasterConfig, 'baseUrl'> {
  /** Epoch ms; the machine's clock when absent. */
  readonly clock?: (() => number) | undefined;
  /** Told of everything the network does, at once. */
  readonly observe?: ((event: NetworkEvent) => void) | undefined;
}

/** How much of a hash the app shows in a cast's URL: `0x` and eight digits. */
const SHOWN_HASH = 10;

/** A Farcaster network in memory. It signs its events with the first webhook secret. */
export function createFarcasterNetwork(options: FarcasterNetworkOptions): FarcasterNetwork {
  const faults = { ...NO_FAULTS };
  const observe = options.observe ?? (() => undefined);
  const [secret] = options.webhookSecrets;
  if (secret === undefined) throw new RangeError('the network needs a webhook secret to sign with');
  const timeline = createTimeline({
    clock: options.clock ?? Date.now,
    newId: () => `0x${randomBytes(20).toString('hex')}`,
    urlOf: ({ id, author }) => `https://farcaster.xyz/${author.username}/${id.slice(0, SHOWN_HASH)}`,
  });
  const bot = { id: String(options.botFid), username: options.botUsername };
  timeline.addUser(bot);
  const webhooks = createFarcasterWebhooks(options.webhookSecrets);
  const sender = createWebhookSender({
    faults,
    observe,
    headers: (body) => ({ 'x-neynar-signature': createHmac('sha512', secret).update(body).digest('hex') }),
  });
  const eventOf = (post: NetworkPost) => JSON.stringify(toEvent(post, timeline));

  function post(made: NewPost): NetworkPost {
    if (made.editOf !== undefined) throw new RangeError('casts cannot be edited');
    const added = timeline.add(made);
    observe({ type: 'posted', post: added });
    const urls = webhooks.urlsFor(toCast(added, timeline));
    for (const url of urls) sender.send({ postId: added.id, url, body: eventOf(added) });
    return added;
  }

  const network = {
    platform: 'farcaster' as const,
    faults,
    addUser: timeline.addUser,
    users: timeline.users,
    post,
    posts: timeline.posts,
    repliesTo: (id: string) =>
      timeline.repliesTo(id).map((reply) => ({ id: reply.id, text: reply.text, author: reply.author.username })),
    waitForReply: async (id: string, ms: number) => {
      const reply = await timeline.waitForReply({ to: id, by: bot.id }, ms);
      return reply === null ? null : { id: reply.id, text: reply.text };
    },
    redeliver: async (id: string, times: number) => {
      const again = timeline.post(id);
      if (again === undefined) throw new RangeError(`there is no post ${id}`);
      const urls = webhooks.urlsFor(toCast(again, timeline));
      const sends = Array.from({ length: times }, () =>
        urls.map((url) => sender.deliver({ postId: id, url, body: eventOf(again) })),
      );
      return Promise.all(sends.flat());
    },
    setWebhook: (url: string | null) => webhooks.replace(url, options.botFid),
    settled: sender.settled,
  };

  const api = new Hono<NetworkEnv>();
  api.use(
    faultyApi({
      faults,
      observe,
      outages: NEYNAR_OUTAGES,
      posts: (method, path) => method === 'POST' && path.replace(/\/$/, '') === '/v2/farcaster/cast',
    }),
  );
  api.route('/', createNeynarApi({ config: options, timeline, publish: post }));
  api.route('/', webhooks.routes);
  // Neynar answers on each path with and without a slash at its end.
  const app = new Hono<NetworkEnv>({ strict: false });
  app.route('/sandbox', createDoor(network));
  app.route('/v2/farcaster', api);
  app.notFound((c) => c.json({ code: 'NotFound', message: `no route ${c.req.method} ${c.req.path}` }, 404));
  const server = createNetworkServer(app);

  return {
    ...network,
    get url() {
      return server.url;
    },
    start: (port = 0) => server.start(port),
    stop: async () => {
      timeline.close();
      await server.stop();
      await sender.stop();
    },
  };
}
