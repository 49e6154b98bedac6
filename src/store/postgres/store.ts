import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { AccountName } from '../../domain/account.ts';
import type { FloorDraw, Tip } from '../../domain/gigs/tip.ts';
import type { DurableWay } from '../../domain/settings/database.ts';
import { serverDatabaseName } from '../../domain/settings/database-url.ts';
import type { PendingTips } from '../port/gigs.ts';
import type { ServerDoubt, Store, StoreReads, StoreTx } from '../port/index.ts';
import type { NounSql, Sql } from '../sql/engine.ts';
import { createFloorDraw, createFloorFollowing } from '../sql/gigs/tip-floors.ts';
import { createTokenLookup } from '../sql/gigs/tokens.ts';
import { type MethodCall, type Run, runMethods, shareMethods } from '../sql/guarded-methods.ts';
import { refuseMove } from '../sql/moves.ts';
import { allLocked, isUnawaited, locked, subjectsOf } from '../sql/noun.ts';
import { createNouns, type Nouns } from '../sql/nouns.ts';
import { createLedgerBeat } from '../sql/operators/ledger-state.ts';
import { createWriteCheck } from '../sql/operators/write-check.ts';
import { byTheirAuthors, nothing } from '../sql/subjects.ts';
import { VALUES } from '../sql/value-tables.ts';
import { askPromptly, openPools, type Pools, STEADY, withConnection } from './connections/pools.ts';
import { proveCommit, proveSessions } from './connections/proof.ts';
import {
  createIdentity,
  findIdentityDoubt,
  NOTE_SERVER,
  refuseUnsafeServer,
  SERVER_NOW,
} from './connections/server.ts';
import type { DatabaseSession } from './connections/session.ts';
import { explainServerFault } from './errors.ts';
import { createGigIds, createLastOfSequence } from './gig-ids.ts';
import { beat, leave, listInstances, readMove } from './instances.ts';
import { createMentionIntake, createStoreMentions } from './intake.ts';
import { createLookups, type Lookups } from './lookups.ts';
import { migratePostgres } from './migrations.ts';
import { createTokenCache, findPendingTips } from './pending-tips.ts';
import { createReadRun } from './reads.ts';
import { createPostgresSql } from './sql.ts';
import { poolStatuses, readServer } from './status.ts';
import { createGate } from './transactions/gate.ts';
import { lockStatements } from './transactions/locks.ts';
import type { MethodKind } from './transactions/transaction.ts';
import { createTransactions, onConnection } from './transactions/transactions.ts';

export interface PostgresStoreOptions {
  /** `postgres://…` */
  readonly url: string;
  readonly migrationsFolder: string;
  /** Epoch milliseconds; the system's clock when absent. */
  readonly clock?: (() => number) | undefined;
  /** From what floors of tip numbers are drawn, now and on each other server; the last one holds when absent. */
  readonly floors?: FloorDraw | undefined;
  /** How many transactions may run at the same time; 10 when absent. */
  readonly poolSize?: number | undefined;
  /** What makes a commit last; the server's own disk when absent. */
  readonly durable?: DurableWay | undefined;
}

/** Proves what the store rests on, and brings the schema up to date. @returns what could not be proved */
async function prepareDatabase(
  { url, migrationsFolder, durable = 'server' }: PostgresStoreOptions,
  { reads }: Pools,
): Promise<ServerDoubt[]> {
  return await withConnection(url, async (client) => {
    const database = serverDatabaseName(url);
    const doubts = await refuseUnsafeServer(client, { database, durable });
    await proveSessions(client, (work) => withConnection(url, work));
    await askPromptly(client, STEADY);
    await migratePostgres(client, { folder: migrationsFolder, name: database });
    await proveCommit(client, (work) => onConnection(reads, (_session, other) => work(other)));
    await client.query(NOTE_SERVER);
    for (const [table, values] of Object.entries(VALUES)) {
      await client.query(`insert into ${table} (id) select unnest($1::text[]) on conflict do nothing`, [values()]);
    }
    return [...doubts, ...(await findIdentityDoubt(client))];
  });
}

function createNounSql(sql: Sql, { floors }: PostgresStoreOptions): NounSql {
  const follow = createFloorFollowing(sql, SERVER_NOW);
  return {
    ...sql,
    gigIds: createGigIds(sql),
    async beforeNumbers() {
      if (floors) await follow(floors);
    },
    rest: () => setImmediate(),
  };
}

function createTxMethods(sql: NounSql, current: () => DatabaseSession, { reads, writes }: Nouns): StoreTx {
  const tokensOf = createTokenCache(createTokenLookup(sql), { isCommitted: false });
  const { paymentStop, allowPayments } = createIdentity(current);
  const { reserveGigId, releaseGigId, passGigIds } = sql.gigIds;
  const own = allLocked({
    pendingTips: locked(nothing, async (identifiers: readonly AccountName[]): Promise<PendingTips> => {
      const { found } = await findPendingTips(current(), [{ identifiers, known: null }]);
      const tips = found.flatMap((each) => each ?? []);
      return { tips, tokens: await tokensOf(tips) };
    }),
    lastGigId: locked(nothing, createLastOfSequence(sql)),
    reserveGigId: locked(nothing, reserveGigId),
    releaseGigId: locked(nothing, releaseGigId),
    passGigIds: locked(nothing, passGigIds),
    // A server is another one for all of a transaction, or for none of it.
    paymentStop: locked(nothing, paymentStop),
    allowPayments: locked(nothing, allowPayments),
    rest: locked(nothing, sql.rest),
    // Besides the shared way to do it.
    insertMentions: locked(byTheirAuthors, createMentionIntake(current, writes.insertMentions)),
  });
  return { ...reads, ...writes, ...own };
}

/** How a transaction runs a call of a method. */
function createKinds({ reads }: Nouns): (call: MethodCall) => MethodKind {
  const isRead = new Set<object>(Object.values(reads));
  return ({ method, args }) => {
    if (isRead.has(method)) return 'read';
    return isUnawaited(method, args) ? 'unawaited' : 'change';
  };
}

/** The session of a method goes with its calls: the nouns are made once, and run on many connections. */
function createSessions() {
  const sessions = new AsyncLocalStorage<DatabaseSession>();
  return {
    within: <T>(session: DatabaseSession, method: () => T): T => sessions.run(session, method),
    current(): DatabaseSession {
      const session = sessions.getStore();
      if (session === undefined) throw new TypeError('a statement ran outside of any session');
      return session;
    },
  };
}

function createReads(
  sql: Sql,
  {
    nouns,
    run,
    lookups,
    paymentStop,
  }: { nouns: Nouns; run: Run; lookups: Lookups; paymentStop: StoreReads['paymentStop'] },
): StoreReads & Pick<Store, 'pendingTipsSince'> {
  const token = createTokenLookup(sql);
  const tokensOf = createTokenCache((id) => run(() => token(id), { method: token, args: [id] }), { isCommitted: true });
  const withTokens = async (tips: Tip[]) => ({ tips, tokens: await tokensOf(tips) });
  return {
    ...runMethods({ ...nouns.reads, paymentStop, lastGigId: createLastOfSequence(sql) }, run),
    pendingTips: async (identifiers) => await withTokens((await lookups.pendingTips(identifiers, null)).tips ?? []),
    async pendingTipsSince(identifiers, since) {
      const { asOf, tips } = await lookups.pendingTips(identifiers, since);
      return { asOf, found: tips && (await withTokens(tips)) };
    },
  };
}

/** Opens the connections to a database that is ready for them. */
async function openConnections(options: PostgresStoreOptions, explain: (error: unknown) => unknown) {
  const { url, poolSize = 10, durable } = options;
  const connections = openPools(url, poolSize);
  try {
    const doubts = await prepareDatabase(options, connections);
    return { connections, findings: { doubts, isKeptByStorage: durable === 'storage' } };
  } catch (error) {
    await connections.close();
    throw explain(error);
  }
}

/**
 * Opens the store in a PostgreSQL database, after bringing its schema up to date.
 * @throws Error naming the database, without its user and password
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, floors, clock = Date.now } = options;
  const database = serverDatabaseName(url);
  const explain = (error: unknown) => explainServerFault(error, database);
  const { connections, findings } = await openConnections(options, explain);
  const { within, current } = createSessions();
  const sql = createNounSql(createPostgresSql(current), options);
  const nouns = createNouns(sql, { isLate: true });
  const run = createReadRun({ pool: connections.reads, within });
  const lookups = createLookups(connections.lookups);
  const { transaction, sendAll } = createTransactions<StoreTx>({
    pool: connections.writes,
    locksOf: ({ method, args }) => lockStatements(subjectsOf(method, args)),
    kindOf: createKinds(nouns),
    within,
    openTx: shareMethods(createTxMethods(sql, current, nouns), (error) => error),
    newId: randomUUID,
  });
  const drawFloor = createFloorDraw(sql, SERVER_NOW);
  try {
    if (floors) await onConnection(connections.writes, (session) => within(session, () => drawFloor(floors)));
  } catch (error) {
    await connections.close();
    throw explain(error);
  }
  const writeCheck = createWriteCheck(sql);
  const renewBeat = createLedgerBeat(clock, (now) => transaction((tx) => tx.renewBeat(now)));
  const gate = createGate(database);
  const id = randomUUID();
  let hasBeaten = false;
  const methods: Omit<Store, 'close'> = {
    ...createReads(sql, { nouns, run, lookups, paymentStop: createIdentity(current).paymentStop }),
    transaction,
    storeMentions: createStoreMentions({ transaction, sendAll }),
    version: lookups.version,
    checkWritable: () => onConnection(connections.writes, (session) => within(session, () => writeCheck(clock()))),
    begin: async () => 0,
    beat: async (version) => {
      refuseMove(await onConnection(connections.reads, readMove), database);
      hasBeaten = true;
      await renewBeat();
      const clockAheadMs = await onConnection(connections.writes, (session) => beat(session, { id, version, clock }));
      return { id, clockAheadMs };
    },
    instances: () => onConnection(connections.reads, listInstances),
    engine: () => onConnection(connections.reads, (session) => readServer(session, findings)),
    pools: async () => poolStatuses(connections),
  };
  return {
    ...runMethods(methods, (method) => gate.pass(method, explain)),
    close: () =>
      gate.close(async () => {
        // Without it the others wait until it counts as dead, which is no harm.
        if (hasBeaten) await onConnection(connections.writes, (session) => leave(session, id)).catch(() => undefined);
        await connections.close();
      }),
  };
}
