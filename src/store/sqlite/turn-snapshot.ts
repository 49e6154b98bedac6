import { setImmediate } from 'node:timers';
import type { Database } from 'better-sqlite3';
import type { Store, StoreReads } from '../port/index.ts';
import type { ChangedAccounts } from './changed-accounts.ts';

export interface TurnSnapshot {
  /** Opens the snapshot, unless this turn has it already. It ends with the turn. */
  join(): void;
  /** Settles when no snapshot is open. What awaits it goes on before another read opens one. */
  ended(): Promise<void>;
}

/**
 * One read transaction for all reads of an event-loop turn: methods of several statements see one state, and opening a
 * snapshot costs more than a look-up.
 * @param options.onOpen called right before a snapshot is opened
 */
export function createTurnSnapshot(connection: Database, options: { onOpen?: () => void } = {}): TurnSnapshot {
  const begin = connection.prepare('begin');
  const commit = connection.prepare('commit');
  let open: PromiseWithResolvers<void> | null = null;

  function end(): void {
    if (open === null) return;
    const { resolve } = open;
    open = null;
    try {
      if (connection.open) commit.run();
    } finally {
      resolve();
    }
  }

  return {
    join() {
      if (open !== null) return;
      options.onOpen?.();
      begin.run();
      open = Promise.withResolvers<void>();
      setImmediate(end);
    },
    async ended() {
      while (open !== null) await open.promise;
    },
  };
}

/**
 * Look-ups wait for the end of their event-loop turn and are made in one snapshot. One that another read has opened before may
 * be older than they are, so they wait for its end.
 * @param options.ended settles when no snapshot is open
 * @param options.enter joins the snapshot, or opens one
 */
export function createTurnLookups(options: {
  ended: () => Promise<void>;
  enter: () => void;
  changed: ChangedAccounts;
  pendingTips: StoreReads['pendingTips'];
}): Store['pendingTipsSince'] {
  const { ended, enter, changed, pendingTips } = options;
  let turn: Promise<void> | null = null;

  function endOfTurn(): Promise<void> {
    turn ??= new Promise((resolve) => {
      setImmediate(() => {
        turn = null;
        resolve();
      });
    });
    return turn;
  }

  return async (identifiers, since) => {
    await endOfTurn();
    await ended();
    enter();
    const asOf = changed.asOf();
    const isSame = since !== null && identifiers.every((name) => changed.isSame(name, since));
    return { asOf, found: isSame ? null : await pendingTips(identifiers) };
  };
}
