import type { MethodCall, Run } from '../../sql/guarded-methods.ts';
import { createIdleGuard } from '../connections/idle-guard.ts';
import type { DatabaseSession, SqlStatement } from '../connections/session.ts';
import { isLost } from '../errors.ts';
import { insertReceipt } from './receipts.ts';

/** Gives the statements that lock what a method is about, until the end of its transaction. */
export type LocksOf = (call: MethodCall) => readonly SqlStatement[];

export interface PostgresTransaction {
  /** How its object calls its methods: one after another, and none after its end. */
  readonly run: Run;
  /** Runs work that awaits nothing but the methods, to its end and that of the methods it began. */
  work<T>(start: () => Promise<T>): Promise<T>;
  /**
   * Commits. When there was no answer, it may have been made: `unanswered` is the error of the connection.
   * @param receipt the id of the receipt; null without one
   */
  commit(receipt: string | null): Promise<{ unanswered: unknown } | null>;
  /** Undoes it. The connection may be lost: then the server has undone it. */
  rollBack(): Promise<void>;
}

/** Keeps the first error, because the server refuses every statement after it. */
function createLane(session: DatabaseSession) {
  const held = new Set<string>();
  let failure: { readonly error: unknown } | null = null;
  const fail = (error: unknown): unknown => {
    failure ??= { error };
    return failure.error;
  };
  const query = async (statement: SqlStatement) => {
    try {
      return await session.query(statement);
    } catch (error) {
      throw fail(error);
    }
  };
  return {
    query,
    fail,
    /** Sends locks without waiting for them: what is sent afterwards runs when the transaction has them. */
    lock(locks: readonly SqlStatement[]) {
      for (const statement of locks) {
        const key = JSON.stringify([statement.name, statement.values]);
        if (held.has(key)) continue;
        held.add(key);
        query(statement).catch(() => undefined);
      }
    },
    failure: () => failure,
  };
}

/**
 * Opens a transaction.
 * @param options.within calls a method whose statements run in this transaction
 */
export function openTransaction(
  session: DatabaseSession,
  { locksOf, within }: { locksOf: LocksOf; within: <T>(lane: DatabaseSession, method: () => T) => T },
): PostgresTransaction {
  const lane = createLane(session);
  const guard = createIdleGuard();
  let open = true;
  let last: Promise<unknown> = lane.query({ text: 'begin' }).catch(() => undefined);
  const begun = last;

  const run: Run = (method, call) => {
    // The first method does not wait for the answer to `begin`.
    const turn = last === begun ? Promise.resolve() : last;
    const result = turn.then(() => {
      if (!open) throw new TypeError('a transaction was used after its end');
      lane.lock(locksOf(call));
      return within(lane, method);
    });
    last = result.catch((error) => {
      if (open) lane.fail(error);
    });
    return guard.during(result);
  };

  function assertWhole(): void {
    const failure = lane.failure();
    if (failure !== null) throw failure.error;
  }

  return {
    run,
    async work(start) {
      const started = (async () => await start())();
      try {
        return await Promise.race([started, guard.refused]);
      } catch (error) {
        // What the server said first is why the rest failed.
        throw lane.failure()?.error ?? error;
      } finally {
        guard.end();
        started.catch(() => undefined);
        const rest = last;
        await rest;
        open = false;
      }
    },
    async commit(receipt) {
      assertWhole();
      const kept = receipt === null ? null : lane.query(insertReceipt(receipt)).catch(() => undefined);
      const made = session.query({ text: 'commit' });
      try {
        const [{ command }] = await Promise.all([made, kept]);
        assertWhole();
        if (command !== 'COMMIT') throw new Error(`the server answered ${command} to a commit`);
        return null;
      } catch (error) {
        if (!isLost(error)) throw error;
        return { unanswered: error };
      }
    },
    async rollBack() {
      await session.query({ text: 'rollback' });
    },
  };
}
