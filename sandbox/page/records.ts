import type { Platform } from '../../src/domain/account.ts';
import type { Claim } from '../../src/domain/claims/claim.ts';
import type { Target } from '../../src/domain/earning/act.ts';
import type { Gig } from '../../src/domain/gigs/gig.ts';
import type { MentionRecord, ReplyRecord } from '../../src/domain/mentions/mention.ts';
import type { Payment } from '../../src/domain/payments/payment.ts';
import { openDatabaseReader } from '../database.ts';
import { PEOPLE } from '../people.ts';

/** A gig with what only the store knows of it. */
export interface GigRecord extends Gig {
  /** The handles of its owners, each once. */
  readonly owners: readonly string[];
  /** Why it pays nothing, or null. */
  readonly frozen: string | null;
  /** What the service watches, or will once it is live; null for a manual gig. */
  readonly target: Target | null;
}

/** What the service has on disk, as far as the page shows it. */
export interface Records {
  /** By {@link postKey}. */
  readonly mentions: ReadonlyMap<string, MentionRecord>;
  /** By the id of the mention. */
  readonly replies: ReadonlyMap<number, ReplyRecord>;
  /** By id, oldest first. */
  readonly claims: ReadonlyMap<number, Claim>;
  /** By id, oldest first. */
  readonly payments: ReadonlyMap<number, Payment>;
  /** By id, oldest first. */
  readonly gigs: ReadonlyMap<number, GigRecord>;
  /** The names of those who have tips on Farcaster that can be claimed. */
  readonly payable: ReadonlySet<string>;
}

/** Looks into the service's store without ever writing. */
export interface RecordReader {
  read(): Promise<Records>;
  /** Another text after every commit of another process. */
  version(): Promise<string>;
  close(): Promise<void>;
}

/** Enough for an afternoon; what is older is off the page. */
const NEWEST = { limit: 300 };

/** What a post is called in {@link Records}. */
export function postKey(platform: Platform, postId: string): string {
  return `${platform}:${postId}`;
}

function byId<T extends { readonly id: number }>(newestFirst: readonly T[]): ReadonlyMap<number, T> {
  return new Map(newestFirst.toReversed().map((row) => [row.id, row]));
}

/** Opens a store that is there and migrated, by its path or URL. Its reads are the service's own. */
export async function openRecords(database: string): Promise<RecordReader> {
  const store = await openDatabaseReader(database);

  async function gigs(): Promise<GigRecord[]> {
    const found = await store.gigs({ ...NEWEST, phase: 'all', now: 0 });
    return await Promise.all(
      found.map(async (gig) => {
        const owners = (await store.gigOwners(gig.id)).map(
          ({ username, platformUserId }) => username ?? platformUserId,
        );
        const target = (await store.earningRules(gig.id))?.target ?? null;
        return { ...gig, owners: [...new Set(owners)], frozen: await store.gigFreeze(gig.id), target };
      }),
    );
  }

  async function payable(): Promise<Set<string>> {
    const names = new Set<string>();
    for (const { name, fid } of PEOPLE) {
      const { tips } = await store.pendingTips([{ platform: 'farcaster', platformUserId: String(fid) }]);
      if (tips.length > 0) names.add(name);
    }
    return names;
  }

  return {
    read: async () => ({
      mentions: new Map((await store.mentions(NEWEST)).map((row) => [postKey(row.platform, row.postId), row])),
      replies: new Map((await store.replies(NEWEST)).map((row) => [row.mentionId, row])),
      claims: byId(await store.claims(NEWEST)),
      payments: byId(await store.payments(NEWEST)),
      gigs: byId(await gigs()),
      payable: await payable(),
    }),
    version: store.version,
    close: store.close,
  };
}
