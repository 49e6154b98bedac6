import type { Platform } from '../../src/domain/account.ts';
import type { Gig } from '../../src/domain/gigs/gig.ts';
import { groupClaimable } from '../../src/domain/gigs/tip.ts';
import { openDatabaseReader } from '../database.ts';
import { PEOPLE, person } from '../people.ts';
import { type NetworkName, PLATFORM_OF } from './parts.ts';

/** Enough for an afternoon; what is older is off the page. */
const NEWEST = { limit: 300 };

/** What a post is called in {@link Records}. */
export const postKey = (platform: Platform, postId: string): string => `${platform}:${postId}`;

function byId<T extends { readonly id: number }>(newestFirst: readonly T[]): ReadonlyMap<number, T> {
  return new Map(newestFirst.toReversed().map((row) => [row.id, row]));
}

/** Opens a store that is there and migrated, by its path or URL, to look into it without ever writing. */
export async function openRecords(database: string) {
  const store = await openDatabaseReader(database);

  async function complete(gig: Gig) {
    const owners = (await store.gigOwners(gig.id)).map(({ username, platformUserId }) => username ?? platformUserId);
    const isBobsOnX = await store.ownsGig(gig.id, { platform: PLATFORM_OF.x, platformUserId: person('bob').xUserId });
    const target = (await store.earningRules(gig.id))?.target ?? null;
    return { ...gig, owners: [...new Set(owners)], isBobsOnX, frozen: await store.gigFreeze(gig.id), target };
  }

  async function claimableOf(network: NetworkName, platformUserId: string) {
    const { tips, tokens } = await store.pendingTips([{ platform: PLATFORM_OF[network], platformUserId }]);
    return groupClaimable(tips, tokens).map(({ total, token, tips }) => ({ total, token, tips: tips.length }));
  }

  async function readClaimable() {
    const found = new Map<string, Record<NetworkName, Awaited<ReturnType<typeof claimableOf>>>>();
    for (const { name, fid, xUserId } of PEOPLE) {
      const farcaster = await claimableOf('farcaster', String(fid));
      found.set(name, { farcaster, x: await claimableOf('x', xUserId) });
    }
    return found;
  }

  async function read() {
    const [mentions, replies] = [await store.mentions(NEWEST), await store.replies(NEWEST)];
    const gigs = await store.gigs({ ...NEWEST, phase: 'all', now: 0 });
    return {
      mentions: new Map(mentions.map((row) => [postKey(row.platform, row.postId), row])),
      replies: new Map(replies.map((row) => [row.mentionId, row])),
      claims: byId(await store.claims(NEWEST)),
      payments: byId(await store.payments(NEWEST)),
      gigs: byId(await Promise.all(gigs.map(complete))),
      claimable: await readClaimable(),
    };
  }

  /** `version` is another text after every commit of another process. */
  return { read, version: store.version, close: store.close };
}

export type RecordReader = Awaited<ReturnType<typeof openRecords>>;
export type Records = Awaited<ReturnType<RecordReader['read']>>;
export type GigRecord = NonNullable<ReturnType<Records['gigs']['get']>>;

/** What is still to be done: mentions without an answer and replies that are not out. */
export function countWaiting({ mentions, replies }: Records): { mentions: number; replies: number } {
  const isOpen = ({ state }: { state: string }) => state !== 'sent' && state !== 'failed';
  return {
    mentions: [...mentions.values()].filter(({ state }) => state === 'received').length,
    replies: [...replies.values()].filter(isOpen).length,
  };
}
