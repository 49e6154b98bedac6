import type { WebhookSubscriptionFilters } from '@neynar/nodejs-sdk/build/api/index.js';
import type { ActKind, Target, WatchedTarget } from '../../domain/earning/act.ts';
import { readFid } from './payload.ts';

function targetsOf(watched: readonly WatchedTarget[], kinds: readonly ActKind[]): Target[] {
  return watched.filter((each) => each.kinds.some((kind) => kinds.includes(kind))).map(({ target }) => target);
}

function postsOf(watched: readonly WatchedTarget[], ...kinds: ActKind[]): string[] {
  const posts = targetsOf(watched, kinds).flatMap((target) => (target.kind === 'post' ? [target.postId] : []));
  return [...new Set(posts)].sort();
}

function accountsOf(watched: readonly WatchedTarget[], kind: ActKind): number[] {
  const ids = targetsOf(watched, [kind]).flatMap((target) => (target.kind === 'account' ? [target.accountId] : []));
  const fids = [...new Set(ids)].map(readFid).filter((fid) => fid !== null);
  return fids.sort((a, b) => a - b);
}

/**
 * A pattern in Go's RE2, as Neynar's filter `text` needs (SDK, webhook-subscription-filters-cast.d.ts), that finds any of
 * the keywords. It may find more than whole words and miss odd spellings: the service checks, and looks find those.
 */
function patternOf(watched: readonly WatchedTarget[]): string | null {
  const words = targetsOf(watched, ['mention']).flatMap((target) =>
    target.kind === 'keyword' ? [target.keyword] : [],
  );
  if (words.length === 0) return null;
  // A keyword is letters and digits, with a $ before it or none.
  const escaped = [...new Set(words)].sort().map((word) => word.replaceAll('$', String.raw`\$`));
  return String.raw`(?i)(^|[^\p{L}\p{N}])(${escaped.join('|')})($|[^\p{L}\p{N}])`;
}

/**
 * What the bot's webhook asks for: mentions of the bot, replies to it, and what is done towards the watched targets. That
 * a reaction or a cast was deleted is not asked for: before anything is decided, all acts are read again.
 */
export function toSubscription(botFid: number, watched: readonly WatchedTarget[]): WebhookSubscriptionFilters {
  const mentioned = new Set([botFid, ...accountsOf(watched, 'mention')]);
  const [parents, embedded] = [postsOf(watched, 'reply', 'submission'), postsOf(watched, 'quote')];
  const text = patternOf(watched);
  const reactedTo = postsOf(watched, 'like', 'recast');
  const followed = { target_fids: accountsOf(watched, 'follow') };
  return {
    // The filters are combined with "or", but for the excluded authors: the bot's own casts never come.
    'cast.created': {
      mentioned_fids: [...mentioned],
      parent_author_fids: [botFid],
      exclude_author_fids: [botFid],
      ...(parents.length === 0 ? {} : { parent_hashes: parents }),
      ...(embedded.length === 0 ? {} : { embedded_cast_hashes: embedded }),
      ...(text === null ? {} : { text }),
    },
    ...(reactedTo.length === 0 ? {} : { 'reaction.created': { target_cast_hashes: reactedTo } }),
    ...(followed.target_fids.length === 0 ? {} : { 'follow.created': followed, 'follow.deleted': followed }),
  };
}

function isSet(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);
}

/** Equal filters have equal text. */
function canonical(filters: object): string {
  const entries = Object.entries(filters).flatMap(([event, given]) => {
    const own = Object.entries(typeof given === 'object' && given !== null ? given : {}).filter(([, value]) =>
      isSet(value),
    );
    const sorted = own.map(([name, value]) => [name, Array.isArray(value) ? value.map(String).sort() : value]);
    return sorted.length === 0 ? [] : [[event, sorted.sort(([a], [b]) => String(a).localeCompare(String(b)))] as const];
  });
  return JSON.stringify(entries.sort(([a], [b]) => a.localeCompare(b)));
}

/** Whether two subscriptions ask for the same. */
export function isSameSubscription(one: object, other: object): boolean {
  return canonical(one) === canonical(other);
}
