import { setImmediate } from 'node:timers';
import type { Database } from 'better-sqlite3';

/** The snapshot that all reads of one event-loop turn share. */
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
