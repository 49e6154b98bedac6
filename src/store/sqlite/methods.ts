import type { Database } from 'better-sqlite3';
import type { StoreReads, StoreTx } from '../port/index.ts';
import type { NounSql } from '../sql/engine.ts';
import { createNouns, methodNames } from '../sql/nouns.ts';
import { type CountedGigIds, createCountedGigIds, createLastGigId, type GigIdOptions } from './files/gig-ids.ts';
import { createPendingLookup } from './pending-tips.ts';
import { createSql, type SqliteSql } from './sql.ts';

interface OnConnection {
  /** Prepares each statement at once, so that tests can read all query plans. */
  readonly isEager?: boolean;
}

function createOwnReads(connection: Database, db: SqliteSql) {
  const pendingTips = createPendingLookup(connection, db);
  return {
    pendingTips: async (identifiers) => pendingTips(identifiers),
    // A file is on no server that could be another one.
    paymentStop: async () => null,
    lastGigId: createLastGigId(db),
  } satisfies Partial<StoreReads>;
}

const refuse = () => Promise.reject(new TypeError('gigs are changed in transactions alone'));
const NO_CHANGES: Pick<NounSql, 'gigIds' | 'beforeNumbers' | 'rest'> = {
  gigIds: { reserveGigId: refuse, releaseGigId: refuse, passGigIds: refuse, passGigId: refuse },
  beforeNumbers: refuse,
  rest: refuse,
};

/** Every read of the port, on one connection. */
export function createReads(connection: Database, options: OnConnection = {}): StoreReads {
  const db = createSql(connection, options);
  const { reads } = createNouns({ ...db, ...NO_CHANGES }, { isLate: options.isEager !== true });
  return { ...reads, ...createOwnReads(connection, db) };
}

/** The names of the methods of all nouns, for the build; no table has to be there. */
export function readMethodNames(connection: Database): ReturnType<typeof methodNames> {
  return methodNames({ ...createSql(connection), ...NO_CHANGES });
}

/** Everything that a transaction can do, on the connection that writes. */
export function createTxMethods(
  connection: Database,
  { ids, rest, ...options }: OnConnection & Pick<NounSql, 'rest'> & { readonly ids: GigIdOptions },
): StoreTx & Pick<CountedGigIds, 'agree'> {
  const db = createSql(connection, options);
  const { agree, passGigId, ...gigIds } = createCountedGigIds(db, ids);
  const { reads, writes } = createNouns(
    { ...db, gigIds: { ...gigIds, passGigId }, beforeNumbers: async () => undefined, rest },
    { isLate: options.isEager !== true },
  );
  return {
    agree,
    ...reads,
    ...createOwnReads(connection, db),
    ...writes,
    ...gigIds,
    allowPayments: async () => false,
    rest,
  };
}
