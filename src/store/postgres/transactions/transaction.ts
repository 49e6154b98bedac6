import type { MethodCall, Run } from '../../sql/guarded-methods.ts';
import { createIdleGuard } from '../connections/idle-guard.ts';
import type { DatabaseSession, SqlStatement } from '../connections/session.ts';
import { isLost } from '../errors.ts';
import { insertReceipt } from './receipts.ts';

/** Gives the statements that lock what a method is about, until the end of its transaction. */
export type LocksOf = (call: MethodCall) => readonly SqlStatement[];

/** A read begins with the reads before it; nobody waits for the answer to a change that is unawaited. */
export type MethodKind = 'read' | 'change' | 'unawaited';

export interface PostgresTransaction {
  /** How its object calls its methods: one after another but for reads that are called at once, and none after its end. */
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
    /** @throws the first error */
    assertWhole(): void {
      if (failure !== null) throw failure.error;
    },
  };
}

/** When methods begin: after all before them, and reads with the reads before them. */
function createTurns(begun: Promise<unknown>) {
  let ended = begun;
  let changed = begun;
  return {
    /** The first method does not wait for the answer to `begin`. */
    next(kind: MethodKind): Promise<unknown> {
      const turn = kind === 'read' ? changed : ended;
      return turn === begun ? Promise.resolve() : turn;
    },
    add(kind: MethodKind, end: Promise<unknown>): void {
      // Without what the reads found, which would be kept until the end.
      ended = kind === 'read' ? Promise.all([ended, end]).then(() => undefined) : end;
      if (kind !== 'read') changed = end;
    },
    /** When all so far have ended. */
    ended: () => ended,
  };
}

type Within = <T>(lane: DatabaseSession, method: () => T) => T;

/** Begins a change to whose answer nobody waits. What it sent later could come after the commit, and is refused. */
function sendAtOnce(lane: ReturnType<typeof createLane>, within: Within, method: () => Promise<unknown>): void {
  let isOver = false;
  const session: DatabaseSession = {
    async query(statement) {
      if (isOver) throw new TypeError('a change that nobody waits for goes on after it has waited');
      return await lane.query(statement);
    },
  };
  within(session, method).catch(lane.fail);
  isOver = true;
}

/**
 * Opens a transaction.
 * @param options.kindOf how a call is run
 * @param options.within calls a method whose statements run in this transaction
 */
export function openTransaction(
  session: DatabaseSession,
  { locksOf, kindOf, within }: { locksOf: LocksOf; kindOf: (call: MethodCall) => MethodKind; within: Within },
): PostgresTransaction {
  const lane = createLane(session);
  const guard = createIdleGuard();
  let open = true;
  const turns = createTurns(lane.query({ text: 'begin' }).catch(() => undefined));

  const run: Run = <T>(method: () => Promise<T>, call: MethodCall) => {
    const kind = kindOf(call);
    const result = turns.next(kind).then(() => {
      if (!open) throw new TypeError('a transaction was used after its end');
      lane.lock(locksOf(call));
      if (kind !== 'unawaited') return within(lane, method);
      sendAtOnce(lane, within, method);
      // Such a change gives nothing.
      return undefined as T;
    });
    const ended = result.catch((error) => {
      if (open) lane.fail(error);
    });
    turns.add(kind, ended);
    return guard.during(result);
  };

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
        await turns.ended();
        open = false;
      }
    },
    async commit(receipt) {
      lane.assertWhole();
      const kept = receipt === null ? null : lane.query(insertReceipt(receipt)).catch(() => undefined);
      const made = session.query({ text: 'commit' });
      try {
        const [{ command }] = await Promise.all([made, kept]);
        lane.assertWhole();
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
