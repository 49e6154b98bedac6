import type { AdapterError } from '../../domain/errors.ts';
import type { LeasedReply } from '../../domain/mentions/mention.ts';
import { PERISHABLE } from '../../domain/mentions/reply-worth.ts';
import { plain } from '../../domain/plain-text.ts';
import type { ReplyPick } from '../../store/port/index.ts';

/** So many authors in a row, each refused for the first time, are more than a matter of their posts. */
const AUTHORS_IN_A_ROW = 5;
const PAUSE_MS = 30_000;
/** The longest wait between two tries with accounts that were refused before. */
const LONGEST_PAUSE_MS = 5 * 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** How many authors and threads are kept; of more, the oldest are forgotten. */
const MOST_KEPT = 1_000;
const MOST_REPLIES = 10_000;
/** After so many refusals, while others were answered, it is about the post. Unforeseen words may mean "later". */
const TRIES = { foreseen: 2, unforeseen: 10 };

/** The refusals that may concern one post or the whole account, which only those of other posts tell. */
const ABOUT_POST: ReadonlySet<AdapterError['reason']> = new Set(['forbidden', 'not_engaged', 'not_found']);

export function isPostRefusal({ reason }: AdapterError): boolean {
  return ABOUT_POST.has(reason);
}

/** The permission to send one reply. */
export interface Turn {
  /** Which replies may be sent, the first choice first. */
  readonly picks: readonly ReplyPick[];
  /** To be called when the reply is sent, or is not. */
  end(): void;
}

/**
 * The refused replies of one platform. A run of them over several authors begins a pause. After it one reply at a time is
 * sent, first to accounts that were answered before or in other threads, until one is accepted. Accounts that were
 * refused go last. It lives in memory.
 */
export interface Refusals {
  /** Why sending is paused, and until when at the latest; null while replies are accepted. Epoch milliseconds. */
  pause(): { readonly reason: string; readonly until: number } | null;
  /** Whether nothing may be sent at all. */
  isPaused(): boolean;
  /** Whether every reply may be sent, one like the other. */
  isFree(): boolean;
  /** Null while nothing may be sent, or while another reply is the test. */
  takeTurn(): Turn | null;
  /** A reply was refused. `isFinal`: trying it again is of no use; `begins`: this refusal begins a pause. */
  refused(reply: LeasedReply, error: AdapterError): { readonly isFinal: boolean; readonly begins: boolean };
  /** A reply was accepted: the run, and a pause, are over. Returns whether there was one. */
  accepted(to: LeasedReply['mention']): boolean;
}

interface Doubt {
  readonly reason: string;
  readonly pausedAt: number;
  /** Nothing is sent until then. */
  readonly until: number;
  /** The same for accounts that were refused before. */
  lastFrom: number;
  lastUntil: number;
  /** How many replies were refused after the pause. */
  tests: number;
}

const EVERY: ReplyPick = { notTo: [], notIn: [], answeredBefore: false };
const FREE: Turn = { picks: [EVERY], end: () => undefined };

function keep<Key, Value>(map: Map<Key, Value>, key: Key, { value, most }: { value: Value; most: number }): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= most) return;
    map.delete(oldest);
  }
}

/** Who was refused, and the run of refusals since the last reply that was accepted. */
function createRefused() {
  /** Every author that was ever refused, and whether a later reply was accepted. */
  const authors = new Map<string, { accepted: boolean }>();
  const threads = new Map<string, true>();
  const row = { authors: new Set<string>(), threads: new Set<string>() };

  function endRow(): void {
    row.authors.clear();
    row.threads.clear();
  }

  return {
    authors: () => [...authors].flatMap(([author, each]) => (each.accepted ? [] : [author])),
    threads: () => [...threads.keys()],
    /**
     * Counts a refusal, unless it tells nothing new: of what was under way when the pause began, of a known author or of the
     * same thread. Returns whether the run is complete, which ends it.
     */
    completesRun({ authorId, threadId }: LeasedReply['mention'], isPaused: boolean): boolean {
      const isNew = !isPaused && !authors.has(authorId) && !row.threads.has(threadId);
      keep(authors, authorId, { value: { accepted: false }, most: MOST_KEPT });
      keep(threads, threadId, { value: true, most: MOST_KEPT });
      if (!isNew) return false;
      row.authors.add(authorId);
      row.threads.add(threadId);
      const isComplete = row.authors.size >= AUTHORS_IN_A_ROW;
      if (isComplete) endRow();
      return isComplete;
    },
    accepted({ authorId, threadId }: LeasedReply['mention']): void {
      if (authors.has(authorId)) authors.set(authorId, { accepted: true });
      threads.delete(threadId);
      endRow();
    },
  };
}

/** Also false when the clock shows a time before `from`: it was set back. */
function isWithin(now: number, { from, until }: { from: number; until: number }): boolean {
  return now >= from && now < until;
}

/** Lets the accounts that were refused wait; longer with each test that fails. */
function waitForLast(doubt: Doubt, now: number): void {
  doubt.lastFrom = now;
  doubt.lastUntil = now + Math.min(PAUSE_MS * 2 ** Math.min(doubt.tests, 30), LONGEST_PAUSE_MS);
  doubt.tests += 1;
}

/** The {@link Refusals} of a platform. */
export function createRefusals(clock: () => number): Refusals {
  const refusedBefore = createRefused();
  /** How often a reply was refused, and how many replies had been accepted at the last time. */
  const replies = new Map<number, { tries: number; accepted: number }>();
  const startedAt = clock();
  let accepted = 0;
  let doubt: Doubt | null = null;
  let testing = false;

  function isPaused(): boolean {
    return doubt !== null && isWithin(clock(), { from: doubt.pausedAt, until: doubt.until });
  }

  function isFinal({ id, worth, createdAt }: LeasedReply, { reason }: AdapterError): boolean {
    const before = replies.get(id) ?? { tries: 0, accepted };
    const tries = before.tries + 1;
    keep(replies, id, { value: { tries, accepted }, most: MOST_REPLIES });
    // What was known of the account before a restart is forgotten, so the day begins again with it.
    const isOld = clock() - Math.max(createdAt, startedAt) >= DAY_MS;
    if (isOld && (doubt === null || PERISHABLE.includes(worth))) return true;
    return accepted > before.accepted && tries >= (reason === 'forbidden' ? TRIES.unforeseen : TRIES.foreseen);
  }

  return {
    pause: () => doubt && { reason: doubt.reason, until: Math.max(doubt.until, doubt.lastUntil) },
    isPaused,
    // A pause begins with accounts that were refused, and ends with the first reply that is accepted.
    isFree: () => refusedBefore.authors().length === 0,
    takeTurn() {
      const notTo = refusedBefore.authors();
      if (doubt === null) return notTo.length === 0 ? FREE : { ...FREE, picks: [{ ...EVERY, notTo }, EVERY] };
      if (testing || isPaused()) return null;
      testing = true;
      const known: ReplyPick = { notTo, notIn: [], answeredBefore: true };
      const elsewhere: ReplyPick = { notTo, notIn: refusedBefore.threads(), answeredBefore: false };
      const last = isWithin(clock(), { from: doubt.lastFrom, until: doubt.lastUntil }) ? [] : [EVERY];
      return {
        picks: [known, elsewhere, ...last],
        end: () => {
          testing = false;
        },
      };
    },
    refused(reply, error) {
      const begins = refusedBefore.completesRun(reply.mention, isPaused());
      if (begins) {
        const now = clock();
        const reason = `replies to several accounts in a row are refused: ${plain(error.message)}`;
        const tests = doubt?.tests ?? 0;
        doubt = { reason, pausedAt: now, until: now + PAUSE_MS, lastFrom: now, lastUntil: now, tests };
      }
      if (doubt !== null) waitForLast(doubt, clock());
      return { begins, isFinal: isFinal(reply, error) };
    },
    accepted(to) {
      accepted += 1;
      refusedBefore.accepted(to);
      const wasPaused = doubt !== null;
      doubt = null;
      return wasPaused;
    },
  };
}
