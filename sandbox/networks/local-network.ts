import type { Hono } from 'hono';
import type { Faults, NetworkEnv } from './faults.ts';
import type { LocalPlatform, NetworkEvent, NetworkPost, NewPost, SocialNetwork } from './network.ts';
import { createNetworkServer } from './server.ts';
import type { Timeline } from './timeline.ts';
import type { WebhookEvent, WebhookSender } from './webhook.ts';

interface NetworkParts<Id extends LocalPlatform> extends Pick<SocialNetwork, 'setWebhook'> {
  readonly platform: Id;
  readonly botId: string;
  readonly faults: Faults;
  readonly timeline: Timeline;
  readonly sender: WebhookSender;
  readonly observe: (event: NetworkEvent) => void;
  /** Whether its posts can be edited. */
  readonly editable: boolean;
  /** Each event of a post with each webhook that it goes to. */
  readonly deliveriesOf: (post: NetworkPost) => readonly WebhookEvent[];
}

/** What every local network does in the same way, whatever its wire protocol is. */
export function createLocalNetwork<Id extends LocalPlatform>(parts: NetworkParts<Id>) {
  const { platform, botId, faults, timeline, sender, observe, editable, deliveriesOf } = parts;
  return {
    platform,
    faults,
    addUser: timeline.addUser,
    users: timeline.users,
    post: (made: NewPost): NetworkPost => {
      if (made.editOf !== undefined && !editable) throw new RangeError(`posts on ${platform} cannot be edited`);
      const added = timeline.add(made);
      observe({ type: 'posted', post: added });
      for (const event of deliveriesOf(added)) sender.send(event);
      return added;
    },
    posts: timeline.posts,
    repliesTo: (id: string) =>
      timeline.repliesTo(id).map((reply) => ({ id: reply.id, text: reply.text, author: reply.author.username })),
    waitForReply: async (id: string, ms: number) => {
      const reply = await timeline.waitForReply({ to: id, by: botId }, ms);
      return reply === null ? null : { id: reply.id, text: reply.text };
    },
    redeliver: async (id: string, times: number) => {
      const again = timeline.post(id);
      if (again === undefined) throw new RangeError(`there is no post ${id}`);
      const deliveries = Array.from({ length: times }, () => deliveriesOf(again)).flat();
      return Promise.all(deliveries.map(sender.deliver));
    },
    setWebhook: parts.setWebhook,
    settled: sender.settled,
  };
}

/** A network that serves `app` from its start on. */
export function serveNetwork<Network extends object>(
  network: Network,
  app: Hono<NetworkEnv>,
  { timeline, sender }: { timeline: Timeline; sender: WebhookSender },
) {
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
