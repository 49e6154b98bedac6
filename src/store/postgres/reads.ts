import type { Pool } from 'pg';
import type { Run } from '../sql/guarded-methods.ts';
import { isAlone } from '../sql/noun.ts';
import { createOneStatement, type DatabaseSession } from './connections/session.ts';
import { createPatience, onConnection } from './transactions/transactions.ts';

const BEGIN = { text: 'begin isolation level repeatable read read only' };

/**
 * Runs each read in a snapshot of its own, because a method may run several statements. A method marked `alone` needs none. A
 * read whose connection broke runs again.
 * @param options.within calls a method whose statements run in this session
 */
export function createReadRun(options: {
  pool: Pool;
  within: <T>(session: DatabaseSession, method: () => T) => T;
}): Run {
  const { pool, within } = options;
  return async (method, call) => {
    const patience = createPatience(() => performance.now());
    for (;;) {
      try {
        return await onConnection(pool, async (session) => {
          if (isAlone(call.method)) return await within(createOneStatement(session), method);
          // Nobody waits for either answer: the statements between them fail when these do, or need them no more.
          session.query(BEGIN).catch(() => undefined);
          try {
            return await within(session, method);
          } finally {
            session.query({ text: 'commit' }).catch(() => undefined);
          }
        });
      } catch (error) {
        await patience.spend(error);
      }
    }
  };
}
