import { setTimeout as wait } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import type { MethodCall } from '../../sql/guarded-methods.ts';
import { type Answer, type DatabaseSession, openDatabaseSession, type SqlStatement } from '../connections/session.ts';
import { isDuplicate, isInTheWay, isLost, isReadOnly } from '../errors.ts';
import { wasCommitted } from './receipts.ts';
import { type LocksOf, type MethodKind, openTransaction, type PostgresTransaction } from './transaction.ts';

const MAX_RUNS = 30;
/** How long a caller waits for a server that is away, and for the outcome of a commit that got no answer, in milliseconds. */
const AWAY_MS = 5_000;
const UNKNOWN_MS = 60_000;
/** The longest pause between two runs. */
const PAUSE_MS = 250;

/** Twice as long each time, and by chance up to a half shorter, so that those in each other's way part. */
async function pause(runs: number): Promise<void> {
  await wait(Math.min(PAUSE_MS, 2 ** runs) * (0.5 + Math.random() / 2));
}

/** Runs work on a connection of the pool; one that broke is not used again. */
export async function onConnection<T>(
  pool: Pool,
  work: (session: DatabaseSession, client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  try {
    return await work(openDatabaseSession(client), client);
  } catch (error) {
    broken = isLost(error) || isReadOnly(error);
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Decides after each error whether the same work may run again. */
export function createPatience(clock: () => number) {
  let runs = 0;
  let duplicates = 0;
  let lostAt: number | null = null;
  return {
    /** Waits before the next run. @throws the error when there is to be none */
    async spend(error: unknown): Promise<void> {
      runs += 1;
      if (isLost(error) || isReadOnly(error)) {
        lostAt ??= clock();
        if (clock() - lostAt >= AWAY_MS) throw error;
      } else if (isDuplicate(error)) {
        duplicates += 1;
        if (duplicates > 1) throw error;
      } else if (!isInTheWay(error) || runs >= MAX_RUNS) throw error;
      await pause(runs);
    },
  };
}

export interface Transactions<Tx> {
  /**
   * Settles once the commit of `run` is known to be on disk, or to be never made. `run` may run again, unless its error is
   * its own.
   * @param options.isUnseen without locks of subjects
   * @param options.narrow without a receipt: a commit without an answer is told as an error
   */
  transaction<T>(
    run: (tx: Tx) => Promise<T>,
    options?: { readonly narrow?: boolean; readonly isUnseen?: boolean },
  ): Promise<T>;
  /**
   * Runs statements of which none depends on an answer as one transaction, in one round trip. It takes no locks of its own and
   * leaves no receipt: a commit without an answer is told as an error, as is a lock that was waited for too long.
   */
  sendAll(statements: readonly SqlStatement[]): Promise<Answer[]>;
}

async function sendTogether(session: DatabaseSession, statements: readonly SqlStatement[]): Promise<Answer[]> {
  const sent = [{ text: 'begin' }, ...statements, { text: 'commit' }].map((each) => session.query(each));
  const outcomes = await Promise.allSettled(sent);
  // After the first error the server refuses the rest, and the commit undoes what there is.
  const answers = outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
  const command = answers.at(-1)?.command;
  if (command !== 'COMMIT') throw new Error(`the server answered ${command} to a commit`);
  return answers.slice(1, -1);
}

/**
 * Transactions, each on a connection of its own.
 * @param options.openTx makes the object that `run` gets
 * @param options.newId a UUID that nobody had before
 */
export function createTransactions<Tx>(options: {
  pool: Pool;
  locksOf: LocksOf;
  kindOf: (call: MethodCall) => MethodKind;
  within: <T>(session: DatabaseSession, method: () => T) => T;
  openTx: (run: PostgresTransaction['run']) => Tx;
  newId: () => string;
}): Transactions<Tx> {
  const { pool, openTx, newId } = options;
  const clock = () => performance.now();

  async function runOnce<T>(
    run: (tx: Tx) => Promise<T>,
    { receipt, isUnseen }: { receipt: string | null; isUnseen: boolean },
  ) {
    return await onConnection(pool, async (session) => {
      const locksOf = isUnseen ? () => [] : options.locksOf;
      const transaction = openTransaction(session, { ...options, locksOf });
      try {
        const value = await transaction.work(() => run(openTx(transaction.run)));
        return { value, unknown: await transaction.commit(receipt) };
      } catch (error) {
        // A connection that broke has undone it already.
        await transaction.rollBack().catch(() => undefined);
        throw error;
      }
    });
  }

  /** Whether the commit was made; it asks until the server tells. */
  async function findOutcome(receipt: string, unanswered: unknown): Promise<boolean> {
    const until = clock() + UNKNOWN_MS;
    for (let asked = 1; ; asked += 1) {
      try {
        return await onConnection(pool, (session) => wasCommitted(session, receipt));
      } catch (error) {
        const mayAnswer = isLost(error) || isReadOnly(error) || isInTheWay(error);
        if (!mayAnswer || clock() >= until) throw unanswered;
      }
      await pause(asked);
    }
  }

  return {
    sendAll: (statements) => onConnection(pool, (session) => sendTogether(session, statements)),
    async transaction(run, { narrow = false, isUnseen = false } = {}) {
      const patience = createPatience(clock);
      for (;;) {
        const receipt = narrow ? null : newId();
        const ran = await runOnce(run, { receipt, isUnseen }).catch((error) => patience.spend(error));
        if (ran === undefined) continue;
        const { value, unknown } = ran;
        if (unknown === null) return value;
        // Outside of what is run again: it must not run while the first commit may have been made.
        if (receipt === null) throw unknown.unanswered;
        if (await findOutcome(receipt, unknown.unanswered)) return value;
      }
    },
  };
}
