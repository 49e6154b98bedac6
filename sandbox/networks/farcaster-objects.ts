import type {
  Cast,
  CastEmbedded,
  Embed,
  Notification,
  User,
  UserDehydrated,
  Webhook,
} from '@neynar/nodejs-sdk/build/api/index.js';
import type { ActChange, Acts } from './farcaster-acts.ts';
import type { Subscription } from './farcaster-filters.ts';
import type { Faults } from './faults.ts';
import type { NetworkPost, NetworkUser } from './network.ts';
import type { Timeline } from './timeline.ts';

const GENESIS = '2024-01-01T00:00:00.000Z';
/** The score that Neynar gives to a new account. */
const NEW_ACCOUNT_SCORE = 0.5;

/** What there is on the network, and how its API answers at the moment. */
export interface FarcasterWorld {
  readonly timeline: Timeline;
  readonly acts: Acts;
  readonly faults: Faults;
}

/** The score fields of a user; Neynar keeps a deprecated one beside the documented one. */
function scoreOf({ score = NEW_ACCOUNT_SCORE }: NetworkUser, { faults }: FarcasterWorld): Partial<User> {
  return score === null || faults.answers === 'no_score' ? {} : { score, experimental: { neynar_user_score: score } };
}

/** How `viewerId` and a user follow each other (SDK, models/user-viewer-context.d.ts). */
function viewerContext(id: string, viewerId: string, { acts }: FarcasterWorld): Required<User>['viewer_context'] {
  return {
    following: acts.has({ kind: 'follow', userId: viewerId, targetId: id }),
    followed_by: acts.has({ kind: 'follow', userId: id, targetId: viewerId }),
    blocking: false,
    blocked_by: false,
  };
}

/** A user as Neynar's API shows one, with the viewer's context when there is a viewer. */
export function toUser(from: NetworkUser, world: FarcasterWorld, viewerId?: string): User {
  const user = world.timeline.user(from.id) ?? from;
  const addresses = [...(user.verifiedAddresses ?? [])];
  return {
    object: 'user',
    fid: Number(user.id),
    username: user.username,
    display_name: user.username,
    pfp_url: null,
    custody_address: `0x${'0'.repeat(40)}`,
    registered_at: user.registeredAt === undefined ? GENESIS : new Date(user.registeredAt).toISOString(),
    profile: { bio: { text: `The sandbox's ${user.username}` } },
    follower_count: user.followers ?? world.acts.count('follow', user.id),
    following_count: 0,
    verifications: addresses,
    verified_addresses: {
      eth_addresses: addresses,
      sol_addresses: [],
      primary: { eth_address: (user.hasPrimary === false ? undefined : addresses[0]) ?? null, sol_address: null },
    },
    auth_addresses: [],
    verified_accounts: [],
    ...scoreOf(user, world),
    ...(viewerId === undefined ? {} : { viewer_context: viewerContext(user.id, viewerId, world) }),
  };
}

function toEmbedded(post: NetworkPost, { timeline }: FarcasterWorld): CastEmbedded {
  const parent = post.replyTo === null ? undefined : timeline.authorOf(post.replyTo);
  return {
    hash: post.id,
    author: { object: 'user_dehydrated', fid: Number(post.author.id), username: post.author.username },
    text: post.text,
    timestamp: new Date(post.createdAt).toISOString(),
    parent_hash: post.replyTo,
    parent_url: null,
    root_parent_url: null,
    parent_author: { fid: parent === undefined ? null : Number(parent.id) },
    embeds: [],
    channel: null,
  };
}

/** The cast that a cast embeds, and the URLs. The SDK's type asks for the fields of a URL's embed as well, which a cast's has not. */
function toEmbeds(post: NetworkPost, world: FarcasterWorld): Embed[] {
  const quoted = post.quotes === null ? undefined : world.timeline.post(post.quotes);
  const urls = (post.embeds ?? []).map((url) => ({ url }) as Embed);
  if (quoted === undefined) return urls;
  const embed = { cast: toEmbedded(quoted, world), cast_id: { hash: quoted.id, fid: Number(quoted.author.id) } };
  return [embed as Embed, ...urls];
}

/** A cast as Neynar's API shows one. */
export function toCast(post: NetworkPost, world: FarcasterWorld): Cast {
  const { timeline, acts } = world;
  const handles = timeline.handles(post.text);
  const bytes = (end: number) => Buffer.byteLength(post.text.slice(0, end));
  return {
    ...toEmbedded(post, world),
    object: 'cast',
    author: toUser(post.author, world),
    thread_hash: post.threadId,
    embeds: toEmbeds(post, world),
    channel: null,
    mentioned_profiles: handles.map(({ user }) => toUser(user, world)),
    mentioned_profiles_ranges: handles.map(({ start, end }) => ({ start: bytes(start), end: bytes(end) })),
    mentioned_channels: [],
    mentioned_channels_ranges: [],
    reactions: {
      likes: [],
      likes_count: acts.count('like', post.id),
      recasts: [],
      recasts_count: acts.count('recast', post.id),
    },
    replies: { count: timeline.repliesTo(post.id).length },
  };
}

/** A cast as a webhook carries it: with a field more than the API's. */
export function toEvent(post: NetworkPost, world: FarcasterWorld) {
  return {
    created_at: Math.floor(post.createdAt / 1000),
    type: 'cast.created',
    data: { ...toCast(post, world), event_timestamp: new Date(post.createdAt).toISOString() },
  };
}

/** A notification that a post causes, without the cast. */
export interface Notice {
  readonly post: NetworkPost;
  readonly type: 'mention' | 'reply' | 'quote';
}

/** The notices of a post for `fid`: one for a mention, one for a direct reply and one for a quote. */
export function noticesOf(post: NetworkPost, fid: number, timeline: Timeline): Notice[] {
  const id = String(fid);
  if (post.author.id === id) return [];
  const isOwn = (other: string | null) => other !== null && timeline.authorOf(other)?.id === id;
  const named = timeline.handles(post.text).some(({ user }) => user.id === id);
  return [
    ...(named ? [{ post, type: 'mention' } as const] : []),
    ...(isOwn(post.replyTo) ? [{ post, type: 'reply' } as const] : []),
    ...(isOwn(post.quotes) ? [{ post, type: 'quote' } as const] : []),
  ];
}

/** A notification as Neynar's API shows one. */
export function toNotification({ post, type }: Notice, world: FarcasterWorld): Notification {
  const cast = toCast(post, world);
  return { object: 'notification', most_recent_timestamp: cast.timestamp, seen: false, type, cast };
}

/** A user as an event of another kind than a cast's carries it (SDK, build/types/webhooks.d.ts). */
function toNamed(id: string, { timeline }: FarcasterWorld): UserDehydrated {
  return { object: 'user_dehydrated', fid: Number(id), username: timeline.user(id)?.username ?? id };
}

/** A reaction or follow, done or undone, as a webhook carries it (SDK, build/types/webhooks.d.ts). */
export function toActEvent({ type, kind, userId, targetId, at }: ActChange, world: FarcasterWorld) {
  const time = new Date(at).toISOString();
  const about = { event_timestamp: time, timestamp: time, user: toNamed(userId, world) };
  const event = { created_at: Math.floor(at / 1000), type };
  if (kind === 'follow') {
    const object = type === 'follow.created' ? 'follow' : 'unfollow';
    return { ...event, data: { ...about, object, target_user: toNamed(targetId, world) } };
  }
  const author = world.timeline.authorOf(targetId)?.id ?? '0';
  // Neynar sends the same under both names until it ends `cast`.
  const target = { object: 'cast_dehydrated', hash: targetId, author: toNamed(author, world) };
  return {
    ...event,
    data: { ...about, object: 'reaction', reaction_type: kind === 'like' ? 1 : 2, target, cast: target },
  };
}

/** A webhook as Neynar's API shows one. */
export function toWebhook(from: {
  id: string;
  name: string;
  url: string;
  active: boolean;
  secrets: readonly string[];
  filters: Subscription;
}): Webhook {
  const times = { created_at: GENESIS, updated_at: GENESIS };
  return {
    ...times,
    object: 'webhook',
    webhook_id: from.id,
    title: from.name,
    description: from.name,
    target_url: from.url,
    active: from.active,
    developer_uuid: '00000000-0000-4000-8000-000000000000',
    deleted_at: null,
    http_timeout: '10s',
    rate_limit: 10_000,
    rate_limit_duration: '60s',
    secrets: from.secrets.map((value, index) => ({
      ...times,
      uid: `secret-${index}`,
      value,
      expires_at: '2099-01-01T00:00:00.000Z',
      deleted_at: null,
    })),
    subscription: {
      ...times,
      object: 'webhook_subscription',
      subscription_id: `subscription-${from.id}`,
      filters: JSON.parse(JSON.stringify(from.filters)),
    },
  };
}
