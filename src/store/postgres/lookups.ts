import { setImmediate } from 'node:timers';
import type { Pool } from 'pg';
import type { AccountName } from '../../domain/account.ts';
import type { Tip } from '../../domain/tip.ts';
import { findPendingTips } from './pending-tips.ts';
import type { DatabaseSession } from './session.ts';
import { createPatience, onConnection } from './transactions.ts';

export interface Lookups {
  pendingTips(identifiers: readonly AccountName[]): Promise<Tip[]>;
  /** The same text means the same committed transactions, of any instance. */
  version(): Promise<string>;
}

/** The snapshot lists what was under way; with the same list nothing was committed, whoever committed it. */
const VERSION = { name: 'version', text: 'select pg_current_snapshot()::text' };

/** What runs most often, on a connection of its own: the look-ups of an event-loop turn are one statement. */
export function createLookups(pool: Pool): Lookups {
  /** Another server may give the same snapshot again, and is reached by another connection. */
  let connections = 0;
  pool.on('connect', () => {
    connections += 1;
  });

  async function ask<T>(question: (session: DatabaseSession) => Promise<T>): Promise<T> {
    const patience = createPatience(() => performance.now());
    for (;;) {
      try {
        return await onConnection(pool, question);
      } catch (error) {
        await patience.spend(error);
      }
    }
  }

  interface Waiting extends PromiseWithResolvers<Tip[]> {
    readonly identifiers: readonly AccountName[];
  }
  let waiting: Waiting[] = [];

  async function answerAll(asked: readonly Waiting[]): Promise<void> {
    try {
      const found = await ask((session) =>
        findPendingTips(
          session,
          asked.map(({ identifiers }) => identifiers),
        ),
      );
      for (const [place, { resolve }] of asked.entries()) resolve(found[place] ?? []);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }

  function flush(): void {
    const asked = waiting;
    waiting = [];
    void answerAll(asked);
  }

  return {
    pendingTips(identifiers) {
      const own = { ...Promise.withResolvers<Tip[]>(), identifiers };
      if (waiting.push(own) === 1) setImmediate(flush);
      return own.promise;
    },
    async version() {
      return await ask(async (session) => {
        const { rows } = await session.query(VERSION);
        return `${connections} ${String(rows[0]?.[0])}`;
      });
    },
  };
}
