import type { Cast, Notification, User, Webhook } from '@neynar/nodejs-sdk/build/api/index.js';
import type { NetworkPost, NetworkUser } from './network.ts';
import type { Timeline } from './timeline.ts';

const GENESIS = '2024-01-01T00:00:00.000Z';

/** A user as Neynar's API shows one. */
export function toUser(user: NetworkUser): User {
  const addresses = [...(user.verifiedAddresses ?? [])];
  return {
    object: 'user',
    fid: Number(user.id),
    username: user.username,
    display_name: user.username,
    pfp_url: null,
    custody_address: `0x${'0'.repeat(40)}`,
    registered_at: GENESIS,
    profile: { bio: { text: `The sandbox's ${user.username}` } },
    follower_count: 0,
    following_count: 0,
    verifications: addresses,
    verified_addresses: {
      eth_addresses: addresses,
      sol_addresses: [],
      primary: { eth_address: addresses[0] ?? null, sol_address: null },
    },
    auth_addresses: [],
    verified_accounts: [],
  };
}

/** A cast as Neynar's API shows one. */
export function toCast(post: NetworkPost, timeline: Timeline): Cast {
  const handles = timeline.handles(post.text);
  const parent = post.replyTo === null ? undefined : timeline.post(post.replyTo);
  const bytes = (end: number) => Buffer.byteLength(post.text.slice(0, end));
  return {
    object: 'cast',
    hash: post.id,
    author: toUser(post.author),
    text: post.text,
    timestamp: new Date(post.createdAt).toISOString(),
    thread_hash: post.threadId,
    parent_hash: post.replyTo,
    parent_url: null,
    root_parent_url: null,
    parent_author: { fid: parent === undefined ? null : Number(parent.author.id) },
    embeds: [],
    channel: null,
    mentioned_profiles: handles.map(({ user }) => toUser(user)),
    mentioned_profiles_ranges: handles.map(({ start, end }) => ({ start: bytes(start), end: bytes(end) })),
    mentioned_channels: [],
    mentioned_channels_ranges: [],
    reactions: { likes: [], likes_count: 0, recasts: [], recasts_count: 0 },
    replies: { count: timeline.repliesTo(post.id).length },
  };
}

/** A cast as a webhook carries it: with a field more than the API's. */
export function toEvent(post: NetworkPost, timeline: Timeline) {
  return {
    created_at: Math.floor(post.createdAt / 1000),
    type: 'cast.created',
    data: { ...toCast(post, timeline), event_timestamp: new Date(post.createdAt).toISOString() },
  };
}

/** A notification that a post causes, without the cast. */
export interface Notice {
  readonly post: NetworkPost;
  readonly type: 'mention' | 'reply';
}

/** The notices of a post for `fid`: one for a mention and one for a direct reply. */
export function noticesOf(post: NetworkPost, fid: number, timeline: Timeline): Notice[] {
  const id = String(fid);
  if (post.author.id === id) return [];
  const named = timeline.handles(post.text).some(({ user }) => user.id === id);
  const answers = post.replyTo !== null && timeline.post(post.replyTo)?.author.id === id;
  return [
    ...(named ? [{ post, type: 'mention' } as const] : []),
    ...(answers ? [{ post, type: 'reply' } as const] : []),
  ];
}

/** A notification as Neynar's API shows one. */
export function toNotification({ post, type }: Notice, timeline: Timeline): Notification {
  const cast = toCast(post, timeline);
  return { object: 'notification', most_recent_timestamp: cast.timestamp, seen: false, type, cast };
}

/** Which casts a webhook is for. */
export interface CastFilters {
  readonly mentioned_fids?: number[] | undefined;
  readonly parent_author_fids?: number[] | undefined;
  readonly exclude_author_fids?: number[] | undefined;
}

/** A webhook as Neynar's API shows one. */
export function toWebhook(from: {
  id: string;
  name: string;
  url: string;
  active: boolean;
  secrets: readonly string[];
  filters: { readonly 'cast.created': CastFilters };
}): Webhook {
  const { mentioned_fids, parent_author_fids, exclude_author_fids } = from.filters['cast.created'];
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
      filters: {
        'cast.created': {
          ...(mentioned_fids === undefined ? {} : { mentioned_fids }),
          ...(parent_author_fids === undefined ? {} : { parent_author_fids }),
          ...(exclude_author_fids === undefined ? {} : { exclude_author_fids }),
        },
      },
    },
  };
}
