import { type AccountKey, inAccountOrder, type Platform } from '../../domain/account.ts';
import { authorOf, type Mention } from '../../domain/mentions/mention.ts';
import type { ReplyWindow } from '../../domain/mentions/reply-limits.ts';

/**
 * What transactions lock until they end, by `pg_advisory_xact_lock(hashtextextended(subject, 0))`: a text that names the
 * thing about which they decide. Two that decide on one thing run one after the other, as all do on SQLite.
 *
 * A transaction takes the kinds in this order, and several of one kind in the order in which the functions below give
 * them: a transaction that takes them otherwise may wait for one that waits for it, until PostgreSQL ends one of them, which runs again.
 */
export const KINDS = ['key', 'client', 'post', 'claim', 'budget', 'gig', 'author', 'thread', 'chain', 'lease'] as const;

/** Rows that name subjects. Such a row always names the same ones. */
export type RowKind =
  | 'gigs'
  | 'gigsOfTips'
  | 'gigsOfPayments'
  | 'gigsOfBatches'
  | 'authorOfMention'
  | 'windowsOfMention';

/** Subjects that rows name: the statement reads them, in their order, from the rows with these ids. */
export interface RowSubjects {
  readonly rows: RowKind;
  readonly ids: readonly (number | string)[];
}

/** What a method locks before its statements, in this order. */
export type Subjects = readonly (string | RowSubjects)[];

/** The most subjects that one method names: each takes a place in a table that all transactions of the server share. */
export const MOST_SUBJECTS = 256;

const NONE: Subjects = [];

/**
 * For methods by which nothing is decided, such as lists and what pages show, and those whose own condition and constraints decide,
 * such as a lease.
 */
export const nothing = (): Subjects => NONE;

/** @throws TypeError when they are too many */
function inOrder<Key>(keys: readonly Key[], { of, by }: { of: (key: Key) => string; by: (a: Key, b: Key) => number }) {
  const subjects = [...new Set(keys.toSorted(by).map(of))];
  if (subjects.length > MOST_SUBJECTS) throw new TypeError(`a method locks ${subjects.length} subjects at once`);
  return subjects;
}

/** A request that carries an idempotency key. */
export const byKey = (scope: string, key: string): Subjects => [`key:${scope} ${key}`];

/** An API key: whether it works, and until when. */
export const byApiKey = (id: number): Subjects => [`key:${id}`];

/** How many endpoints a client has; null: those that take the events of all. */
export const byClient = (client: string | null): Subjects => [`client:${client ?? ''}`];

/** A post by which rewards are claimed. */
export const byPost = (platform: Platform, postId: string): Subjects => [`post:${platform}:${postId}`];

/** A claim: its payments as a whole, and whom it was promised to. */
export const byClaim = (claimId: number): Subjects => [`claim:${claimId}`];

/** How many replies a platform still takes. */
export const byBudget = (platform: Platform): Subjects => [`budget:${platform}`];

/**
 * A gig: its terms, sums, tips, payments, owners, and what is earned from it. A decision on a gig begins with a read of it, so
 * reads of one gig also lock it. Each gate of what is earned looks at one gig alone, first uses of addresses and texts included:
 * this is the lock of all its accounts. A change of a payment locks its gig, whose sums and tips change with it.
 */
export const byGig = (gigId: number): Subjects => [`gig:${gigId}`];

/** The gigs of these things, by their ids. */
export function byGigs(things: readonly { readonly gigId: number }[]): Subjects {
  return inOrder(things, { of: ({ gigId }) => `gig:${gigId}`, by: (a, b) => a.gigId - b.gigId });
}

/** For methods with one thing of a gig. */
export const byItsGig = ({ gigId }: { readonly gigId: number }): Subjects => byGig(gigId);

/** Protects the order of an author's mentions, what an author is told, and whether it takes replies. */
function byAuthors(accounts: readonly AccountKey[]): Subjects {
  return inOrder(accounts, {
    of: ({ platform, platformUserId }) => `author:${platform}:${platformUserId}`,
    by: inAccountOrder,
  });
}

export const byAuthor = (account: AccountKey): Subjects => byAuthors([account]);

/** The authors of these mentions, so that the ids of an author's rise in the order in which they are committed. */
export const byTheirAuthors = (mentions: readonly Mention[]): Subjects => byAuthors(mentions.map(authorOf));

/** What has used the limit of an author, or of a thread. */
export function byWindow(window: ReplyWindow): Subjects {
  const { platform } = window;
  if ('authorId' in window) return byAuthor({ platform, platformUserId: window.authorId });
  return [`thread:${platform}:${window.threadId}`];
}

/** A chain: the nonce of the gas tank there, and the block that the ledger counts on. */
export const byChain = (chainId: number): Subjects => [`chain:${chainId}`];

/** How many events are on their way. */
export const byEventLeases = (): Subjects => ['lease:events'];

/** The notifications of the mini app, so that no two processes notify an account at the same time. */
export const byNotifications = (): Subjects => ['lease:notifications'];

function named(rows: RowKind): (id: number | string) => Subjects {
  return (id) => [{ rows, ids: [id] }];
}

export const byGigOfTip = named('gigsOfTips');
export const byGigOfPayment = named('gigsOfPayments');
export const byGigOfBatch = named('gigsOfBatches');
export const byAuthorOfMention = named('authorOfMention');
/** The author of a mention and its thread. */
export const byWindowsOfMention = named('windowsOfMention');

/** The gigs that new events are about: as many as their transaction has changed. */
export function byToldGigs(told: readonly { readonly gigId: number }[]): Subjects {
  const [first, ...others] = new Set(told.map(({ gigId }) => gigId));
  if (first === undefined) return NONE;
  // One is named as by other methods, whose lock is not taken again.
  return others.length === 0 ? byGig(first) : [{ rows: 'gigs', ids: [first, ...others] }];
}

/** The gigs of these payments, which are as many as one transaction of a gas tank holds. */
export function byGigsOfPayments(payments: readonly { readonly id: number }[]): Subjects {
  return payments.length === 0 ? NONE : [{ rows: 'gigsOfPayments', ids: payments.map(({ id }) => id) }];
}
