import { Hono } from 'hono';
import { z } from 'zod';
import { faultsBody, type NetworkEnv } from './faults.ts';
import { localOnly } from './local-only.ts';
import { type NetworkPost, type SocialNetwork, UnknownUserError } from './network.ts';

const LONGEST_WAIT_MS = 120_000;

const newPost = z.strictObject({
  author: z.string().min(1),
  text: z.string(),
  replyTo: z.string().min(1).optional(),
  editOf: z.string().min(1).optional(),
  embeds: z.array(z.url()).max(2).optional(),
});

/** A post as the door shows it. */
export function showPost(post: NetworkPost) {
  const { id, author, text, replyTo, quotes, embeds, threadId, createdAt, url } = post;
  const at = new Date(createdAt).toISOString();
  return { id, author: author.username, text, replyTo, quotes, embeds, threadId, createdAt: at, url };
}

/**
 * The control API for users and scripts: post as a user, read the timeline, wait for the bot's answer, set faults.
 * None of it exists on the real network, and no page of another site may use it.
 */
export function createDoor(network: Omit<SocialNetwork, 'url' | 'start' | 'stop'>): Hono<NetworkEnv> {
  const door = new Hono<NetworkEnv>();
  door.use(localOnly({ scripts: true }));
  door.post('/posts', async (c) => {
    const body = newPost.safeParse(await c.req.json().catch(() => null));
    if (!body.success)
      return c.json({ error: `expected {author, text, replyTo?}: ${z.prettifyError(body.error)}` }, 400);
    try {
      return c.json(showPost(network.post(body.data)), 201);
    } catch (error) {
      if (!(error instanceof UnknownUserError) && !(error instanceof RangeError)) throw error;
      return c.json({ error: error.message, users: network.users().map(({ username }) => username) }, 404);
    }
  });
  door.get('/posts', (c) => c.json({ posts: network.posts().map(showPost) }));
  door.get('/posts/:id/reply', async (c) => {
    const ms = Number(c.req.query('wait') ?? '0');
    if (!Number.isFinite(ms) || ms < 0) return c.json({ error: 'wait is a number of milliseconds' }, 400);
    const reply = await network.waitForReply(c.req.param('id'), Math.min(ms, LONGEST_WAIT_MS));
    return c.json({ reply });
  });
  door.get('/users', (c) => c.json({ users: network.users() }));
  door.get('/faults', (c) => c.json(network.faults));
  door.put('/faults', async (c) => {
    const body = faultsBody.safeParse(await c.req.json().catch(() => null));
    if (!body.success) return c.json({ error: z.prettifyError(body.error) }, 400);
    return c.json(Object.assign(network.faults, body.data));
  });
  return door;
}
