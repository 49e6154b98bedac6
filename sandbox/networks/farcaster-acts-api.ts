import type {
  CastsSearchResponse,
  Conversation,
  FetchCastQuotes200Response,
  FollowersResponse,
  NotificationsResponse,
  ReactionForCast,
  ReactionsCastResponse,
} from '@neynar/nodejs-sdk/build/api/index.js';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { REACTIONS, type ReactionKind } from './farcaster-acts.ts';
import { type FarcasterWorld, noticesOf, toCast, toNotification, toUser } from './farcaster-objects.ts';
import { cutPage, type Listed, type Order, type PageQuery, pageQuery } from './farcaster-pages.ts';
import { isLiteralQuery, matchesQuery } from './farcaster-search.ts';
import type { NetworkEnv } from './faults.ts';
import type { NetworkPost } from './network.ts';

/** How Neynar behaves where its documentation says nothing; the fields may be set at any time. */
export interface NeynarManners {
  /** Its answer to a list of what was done to a cast that is gone: a 400, as for a look-up, or an empty list. */
  gone: 'refused' | 'empty';
}

/** A score below this one puts a reply below the fold. */
const FOLD_SCORE = 0.5;

const hash = z.string().regex(/^0x[0-9a-f]{40}$/);
const fid = z.coerce.number().int().positive();
const byHash = { identifier: hash, type: z.literal('hash') };

// What is documented, as far as the sandbox knows it; every other parameter is refused.
const reactionsQuery = z.strictObject({ hash, types: z.string(), ...pageQuery(100, 25) });
const quotesQuery = z.strictObject({ ...byHash, ...pageQuery(100, 25) });
const conversationQuery = z.strictObject({
  ...byHash,
  reply_depth: z.coerce.number().int().min(0).max(5).default(2),
  sort_type: z.enum(['chron', 'desc_chron']).default('chron'),
  fold: z.enum(['above', 'below']).optional(),
  ...pageQuery(50, 20),
});
const notificationsQuery = z.strictObject({ fid, type: z.string().optional(), ...pageQuery(25, 15) });
const searchQuery = z.strictObject({
  q: z.string().refine(isLiteralQuery, 'the sandbox searches for words alone'),
  mode: z.literal('literal').optional(),
  sort_type: z.enum(['desc_chron', 'chron']).default('desc_chron'),
  author_fid: fid.optional(),
  ...pageQuery(100, 25),
});
const followersQuery = z.strictObject({ fid, sort_type: z.literal('desc_chron').optional(), ...pageQuery(100, 20) });

const NOTICE_TYPES = { mention: 'mentions', reply: 'replies', quote: 'quotes' } as const;

/** A list in a query: repeated keys, as the SDK sends them, or joined by commas, as the documentation says. */
function listOf(c: Context<NetworkEnv>, key: string): string[] | undefined {
  return c.req.queries(key)?.flatMap((value) => value.split(','));
}

type Row = Listed & { readonly post: NetworkPost };
const rows = (posts: readonly NetworkPost[]): Row[] => posts.map((post) => ({ id: post.id, at: post.createdAt, post }));

/** Neynar's lists of who did what: reactions, quotes, replies, notifications, followers and the search. */
export function createActsApi(options: { world: FarcasterWorld; manners: NeynarManners }): Hono<NetworkEnv> {
  const { world, manners } = options;
  const { timeline, acts, faults } = world;
  const api = new Hono<NetworkEnv>();
  const refuse = (c: Context<NetworkEnv>, message: string) => c.json({ code: 'InvalidField', message }, 400);
  const cut = <T extends Listed>(items: readonly T[], query: PageQuery, order: Order = 'newest') =>
    cutPage(items, query, { order, faults });
  const isMissing = (id: string) => timeline.post(id) === undefined && manners.gone === 'refused';
  const userOf = (id: string) => timeline.users().find((user) => user.id === id);

  api.get('/reactions/cast', (c) => {
    const query = reactionsQuery.safeParse(c.req.query());
    if (!query.success) return refuse(c, z.prettifyError(query.error));
    if (isMissing(query.data.hash)) return refuse(c, 'Cast not found');
    const types = listOf(c, 'types') ?? [];
    if (!types.every((type) => ['all', 'likes', 'recasts'].includes(type))) return refuse(c, 'types');
    const wanted = REACTIONS.filter((kind) => types.includes('all') || types.includes(`${kind}s`));
    const shown = timeline.post(query.data.hash) === undefined ? [] : wanted;
    const all = shown.flatMap((kind) =>
      acts.list(kind, query.data.hash).map(({ userId, at }) => ({ id: `${kind}${userId}`, at, kind, userId })),
    );
    const { items, next } = cut(all, query.data);
    const answer: ReactionsCastResponse = { reactions: items.flatMap(toReaction), next };
    return c.json(answer);
  });

  function toReaction(act: { kind: ReactionKind; userId: string; at: number }): ReactionForCast[] {
    const user = userOf(act.userId);
    const reaction_timestamp = new Date(act.at).toISOString();
    return user === undefined
      ? []
      : [{ object: `${act.kind}s`, reaction_type: act.kind, reaction_timestamp, user: toUser(user, world) }];
  }

  api.get('/cast/quotes', (c) => {
    const query = quotesQuery.safeParse(c.req.query());
    if (!query.success) return refuse(c, z.prettifyError(query.error));
    const { identifier } = query.data;
    if (isMissing(identifier)) return refuse(c, 'Cast not found');
    const quotes = timeline.post(identifier) === undefined ? [] : timeline.quotesOf(identifier);
    const { items, next } = cut(rows(quotes), query.data);
    const answer: FetchCastQuotes200Response = { casts: items.map(({ post }) => toCast(post, world)), next };
    return c.json(answer);
  });

  api.get('/cast/conversation', (c) => {
    const query = conversationQuery.safeParse(c.req.query());
    if (!query.success) return refuse(c, z.prettifyError(query.error));
    const { identifier, reply_depth, sort_type, fold } = query.data;
    const root = timeline.post(identifier);
    // A conversation shows its cast, so there is none of a cast that is gone.
    if (root === undefined)
      return c.json({ code: 'InvalidField', message: 'Cast not found', property: 'identifier' }, 400);
    const replies = reply_depth === 0 ? [] : timeline.repliesTo(root.id).filter((post) => isOnSide(post, fold));
    const { items, next } = cut(rows(replies), query.data, sort_type === 'chron' ? 'oldest' : 'newest');
    const direct_replies = items.map(({ post }) => ({ ...toCast(post, world), direct_replies: [] }));
    const answer: Conversation = { conversation: { cast: { ...toCast(root, world), direct_replies } }, next };
    return c.json(answer);
  });

  function isOnSide({ author }: NetworkPost, fold: 'above' | 'below' | undefined): boolean {
    const score = timeline.user(author.id)?.score ?? FOLD_SCORE;
    return fold === undefined || (fold === 'above') === score >= FOLD_SCORE;
  }

  api.get('/notifications', (c) => {
    const query = notificationsQuery.safeParse(c.req.query());
    if (!query.success) return refuse(c, z.prettifyError(query.error));
    if (userOf(String(query.data.fid)) === undefined)
      return c.json({ code: 'NotFound', message: 'User not found' }, 404);
    const types = listOf(c, 'type') ?? Object.values(NOTICE_TYPES);
    const notices = timeline
      .posts()
      .flatMap((post) => noticesOf(post, query.data.fid, timeline))
      .filter(({ type }) => types.includes(NOTICE_TYPES[type]))
      .map((notice) => ({ id: `${notice.post.id}${notice.type}`, at: notice.post.createdAt, notice }));
    const { items, next } = cut(notices, query.data);
    const notifications = items.map(({ notice }) => toNotification(notice, world));
    const answer: NotificationsResponse = { unseen_notifications_count: notices.length, notifications, next };
    return c.json(answer);
  });

  api.get('/cast/search', (c) => {
    const query = searchQuery.safeParse(c.req.query());
    if (!query.success) return refuse(c, z.prettifyError(query.error));
    const { q, sort_type, author_fid } = query.data;
    const found = timeline
      .posts()
      .filter(
        ({ author, text }) => (author_fid === undefined || author.id === String(author_fid)) && matchesQuery(text, q),
      );
    const { items, next } = cut(rows(found), query.data, sort_type === 'chron' ? 'oldest' : 'newest');
    const answer: CastsSearchResponse = { result: { casts: items.map(({ post }) => toCast(post, world)), next } };
    return c.json(answer);
  });

  api.get('/followers', (c) => {
    const query = followersQuery.safeParse(c.req.query());
    if (!query.success) return refuse(c, z.prettifyError(query.error));
    const target = String(query.data.fid);
    if (userOf(target) === undefined) return c.json({ code: 'NotFound', message: 'User not found' }, 404);
    const all = acts.list('follow', target).map(({ userId, at }) => ({ id: userId, at }));
    const { items, next } = cut(all, query.data);
    const users = items.flatMap(({ id }) => userOf(id) ?? []).map((user) => toUser(user, world));
    const answer: FollowersResponse = { users: users.map((user) => ({ object: 'follower', user })), next };
    return c.json(answer);
  });
  return api;
}
