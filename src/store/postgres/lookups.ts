import type { Pool } from 'pg';
import type { AccountName } from '../../domain/account.ts';
import type { Tip } from '../../domain/gigs/tip.ts';
import type { DatabaseSession } from './connections/session.ts';
import { findPendingTips } from './pending-tips.ts';
import { createGathering } from './transactions/gathering.ts';
import { createPatience, onConnection } from './transactions/transactions.ts';

export interface Lookups {
  /** As `Store.pendingTipsSince`. */
  pendingTips(identifiers: readonly AccountName[], since: string | null): Promise<{ asOf: string; tips: Tip[] | null }>;
  /** The same text means the same committed transactions, of any instance. */
  version(): Promise<string>;
}

/** A snapshot lists the transactions under way: while it is the same, no transaction of any instance was committed. */
const VERSION = { name: 'version', text: 'select pg_current_snapshot()::text' };

const MOST = 500;

/** What runs most often, on a connection of its own: look-ups that wait together are one statement. */
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

  interface Asked {
    readonly identifiers: readonly AccountName[];
    readonly since: string | null;
  }
  const pendingTips = createGathering(
    (asked: readonly Asked[]) =>
      ask(async (session) => {
        const connection = `${connections} `;
        const { snapshot, found } = await findPendingTips(
          session,
          asked.map(({ identifiers, since }) => {
            const isKnown = since?.startsWith(connection) === true;
            return { identifiers, known: isKnown ? since.slice(connection.length) : null };
          }),
        );
        return found.map((tips) => ({ asOf: connection + snapshot, tips }));
      }),
    { most: MOST, lanes: 1 },
  );

  return {
    pendingTips: (identifiers, since) => pendingTips({ identifiers, since }),
    version: () =>
      ask(async (session) => {
        const { rows } = await session.query(VERSION);
        return `${connections} ${String(rows[0]?.[0])}`;
      }),
  };
}
