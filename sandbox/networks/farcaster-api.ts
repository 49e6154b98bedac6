import type {
  BulkUsersResponse,
  CastResponse,
  CastsResponse,
  PostCastResponse,
  Signer,
  UserResponse,
} from '@neynar/nodejs-sdk/build/api/index.js';
import { Hono } from 'hono';
import { z } from 'zod';
import type { FarcasterConfig } from '../../src/platforms/farcaster/settings.ts';
import { type FarcasterWorld, toCast, toUser } from './farcaster-objects.ts';
import type { NetworkEnv, Outages } from './faults.ts';
import type { NetworkPost, NewPost } from './network.ts';
import type { Timeline } from './timeline.ts';

/** Bytes of the longest cast without a Pro account (snapchain, src/core/validations/cast.rs). */
const LONGEST_CAST = 1024;

/** The key with which the bot's casts are signed. */
export const SIGNER_KEY = `0x${'0'.repeat(64)}` as const;

const HASH = /^0x[0-9a-f]{40}$/;

const castBody = z.strictObject({
  signer_uuid: z.string(),
  text: z.string().min(1),
  parent: z.string().regex(HASH).optional(),
  parent_author_fid: z.int().positive().optional(),
  embeds: z
    .array(z.strictObject({ url: z.url() }))
    .max(2)
    .optional(),
  idem: z.string().min(1).optional(),
});

/** Neynar's largest number of users in one question (SDK, fetchBulkUsers). */
const MOST_AT_ONCE = 100;

const viewer_fid = z.coerce.number().int().positive().optional();
const listText = (item: RegExp) =>
  z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.string().regex(item)).max(MOST_AT_ONCE));
// What is documented, as far as the sandbox knows it; every other parameter is refused.
const usersQuery = z.strictObject({ fids: listText(/^[1-9][0-9]*$/), viewer_fid });
const castsQuery = z.strictObject({ casts: listText(HASH) });

/** Neynar's words for an outage. */
export const NEYNAR_OUTAGES: Outages = {
  rate_limited: () => ({
    status: 429,
    headers: { 'retry-after': '1' },
    body: { code: 'RateLimitExceeded', message: 'Rate limit exceeded' },
  }),
  payment_required: () => ({ status: 402, body: { code: 'PaymentRequired', message: 'Insufficient credits' } }),
  unauthorized: () => ({ status: 401, body: { code: 'Unauthorized', message: 'Invalid API key' } }),
  server_error: () => ({ status: 500, body: { code: 'InternalServerError', message: 'Internal server error' } }),
};

/** The cast behind a URL. */
export function findByUrl(timeline: Timeline, identifier: string): NetworkPost | undefined {
  const url = URL.parse(identifier);
  // The older host is not resolved any more here, so that callers must try both.
  if (url === null || url.hostname !== 'farcaster.xyz') return undefined;
  const [, username, hash] = url.pathname.split('/');
  return timeline
    .posts()
    .find((post) => hash !== undefined && post.id.startsWith(hash) && post.author.username === username);
}

/** Neynar's API for what the bot does, and nothing else: a call that is not documented so is refused. */
export function createNeynarApi(options: {
  config: Pick<FarcasterConfig, 'apiKey' | 'signerUuid' | 'botFid'>;
  world: FarcasterWorld;
  publish: (post: NewPost) => NetworkPost;
}): Hono<NetworkEnv> {
  const { config, world, publish } = options;
  const { timeline, faults } = world;
  const published = new Map<string, NetworkPost>();
  const api = new Hono<NetworkEnv>();
  const invalid = (error: z.ZodError) => ({ code: 'InvalidField', message: z.prettifyError(error) });
  const missing = (what: string) => ({ code: 'NotFound', message: `${what} not found` });
  // A look-up's only documented error is 400 (Neynar's OpenAPI), also for a cast that is not there.
  const missingCast = { code: 'InvalidField', message: 'Cast not found', property: 'identifier' };

  api.use(async (c, next) => {
    if (c.req.header('x-api-key') !== config.apiKey) {
      return c.json({ code: 'Unauthorized', message: 'Invalid API key' }, 401);
    }
    return next();
  });

  api.post('/cast', async (c) => {
    const body = castBody.safeParse(await c.req.json().catch(() => null));
    if (!body.success) return c.json(invalid(body.error), 400);
    const { signer_uuid, text, parent, parent_author_fid, idem, embeds = [] } = body.data;
    if (signer_uuid !== config.signerUuid) return c.json({ code: 'Forbidden', message: 'Signer is not yours' }, 403);
    if (Buffer.byteLength(text) > LONGEST_CAST) return c.json({ code: 'InvalidField', message: 'text too long' }, 400);
    const answered = parent === undefined ? undefined : timeline.post(parent);
    if (parent !== undefined && answered === undefined) return c.json(missing('Parent cast'), 404);
    if (parent_author_fid !== undefined && String(parent_author_fid) !== answered?.author.id) {
      return c.json({ code: 'InvalidField', message: 'parent_author_fid is not the author of parent' }, 400);
    }
    const author = String(config.botFid);
    const earlier = idem === undefined ? undefined : published.get(idem);
    const cast = earlier ?? publish({ author, text, replyTo: parent, embeds: embeds.map(({ url }) => url) });
    if (idem !== undefined) published.set(idem, cast);
    const answer: PostCastResponse = {
      success: true,
      cast: { hash: cast.id, author: { fid: config.botFid }, text: cast.text },
    };
    return c.json(answer);
  });

  api.get('/cast', (c) => {
    const identifier = c.req.query('identifier') ?? '';
    const type = c.req.query('type');
    if (type !== 'url' && type !== 'hash') return c.json({ code: 'InvalidField', message: 'type' }, 400);
    const found = type === 'hash' ? timeline.post(identifier) : findByUrl(timeline, identifier);
    if (found === undefined) return c.json(missingCast, 400);
    const answer: CastResponse = { cast: toCast(found, world) };
    return c.json(answer);
  });

  api.get('/casts', (c) => {
    const query = castsQuery.safeParse(c.req.query());
    if (!query.success) return c.json(invalid(query.error), 400);
    const found = query.data.casts.flatMap((hash) => timeline.post(hash) ?? []);
    const answer: CastsResponse = { result: { casts: found.map((post) => toCast(post, world)) } };
    return c.json(answer);
  });

  api.get('/user/bulk', (c) => {
    const query = usersQuery.safeParse(c.req.query());
    if (!query.success) return c.json(invalid(query.error), 400);
    const { fids, viewer_fid: viewer } = query.data;
    const asked = faults.answers === 'missing_users' ? fids.slice(1) : fids;
    const users = timeline.users().filter((user) => asked.includes(user.id));
    const viewerId = viewer === undefined ? undefined : String(viewer);
    const answer: BulkUsersResponse = { users: users.map((user) => toUser(user, world, viewerId)) };
    return c.json(answer);
  });

  api.get('/user/by_username', (c) => {
    const username = c.req.query('username') ?? '';
    const found = timeline.users().find((user) => user.username === username);
    if (found === undefined) return c.json(missing('User'), 404);
    const answer: UserResponse = { user: toUser(found, world) };
    return c.json(answer);
  });

  api.get('/signer', (c) => {
    if (c.req.query('signer_uuid') !== config.signerUuid) return c.json(missing('Signer'), 404);
    const answer: Signer = {
      object: 'signer',
      signer_uuid: config.signerUuid,
      public_key: SIGNER_KEY,
      status: 'approved',
      fid: config.botFid,
    };
    return c.json(answer);
  });
  return api;
}
