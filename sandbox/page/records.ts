import SqliteDatabase from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import type { AccountKey, Platform } from '../../src/domain/account.ts';
import type { Claim } from '../../src/domain/claim.ts';
import type { Target } from '../../src/domain/earning/act.ts';
import type { Gig } from '../../src/domain/gig.ts';
import type { MentionRecord, ReplyRecord } from '../../src/domain/mention.ts';
import type { Payment } from '../../src/domain/payment.ts';
import { createReads } from '../../src/store/sqlite/store.ts';

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
}

/** Looks into the service's store without ever writing. */
export interface RecordReader {
  read(): Records;
  /** Another number after every commit of another process. */
  version(): number;
  /** Whether the account has tips that can be claimed. */
  hasPending(account: AccountKey): boolean;
  close(): void;
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

/** Opens a store that is there and migrated. Its reads are the service's own, on a connection that cannot write. */
export function openRecords(path: string): RecordReader {
  const connection = new SqliteDatabase(path, { readonly: true, fileMustExist: true });
  const reads = createReads(drizzle({ client: connection }));

  function gigs(): GigRecord[] {
    return reads.gigs({ ...NEWEST, phase: 'all', now: 0 }).map((gig) => {
      const owners = reads.gigOwners(gig.id).map(({ username, platformUserId }) => username ?? platformUserId);
      const target = reads.earningRules(gig.id)?.target ?? null;
      return { ...gig, owners: [...new Set(owners)], frozen: reads.gigFreeze(gig.id), target };
    });
  }

  const read = connection.transaction(
    (): Records => ({
      mentions: new Map(reads.mentions(NEWEST).map((row) => [postKey(row.platform, row.postId), row])),
      replies: new Map(reads.replies(NEWEST).map((row) => [row.mentionId, row])),
      claims: byId(reads.claims(NEWEST)),
      payments: byId(reads.payments(NEWEST)),
      gigs: byId(gigs()),
    }),
  );
  return {
    read: () => read(),
    version: () => Number(connection.pragma('data_version', { simple: true })),
    hasPending: (account) => reads.pendingTips([account]).tips.length > 0,
    close: () => connection.close(),
  };
}
