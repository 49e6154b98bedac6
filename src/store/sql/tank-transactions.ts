import { and, eq, getTableColumns, gte, isNotNull, notExists, or, sql } from 'drizzle-orm';
import type { TankAttempt, TankTransaction } from '../../domain/payment.ts';
import type { StoreReads, StoreTx } from '../port/index.ts';
import { isOpenTransaction } from './chain-tables.ts';
import type { Sql, Tables } from './engine.ts';
import { PAYMENT_PLANNED, PAYMENT_SENT } from './payment-tables.ts';
import { areSameNumbers, createNumberLookup, createPaymentRow, sortNumbers } from './payments.ts';
import { bound, equals, prepareChange, readEach, theId } from './statements.ts';

const placeholder = sql.placeholder;

type Row = Tables['tankTransactions']['$inferSelect'];

/** Builds a transaction from its row and its signed attempts. */
function createCompletion({ build, prepare, tables }: Sql): (row: Row) => Promise<TankTransaction> {
  const { tankAttempts } = tables;
  const { transactionId: _transaction, place: _place, ...columns } = getTableColumns(tankAttempts);
  const attempts = prepare(
    build
      .select(columns)
      .from(tankAttempts)
      .where(equals(tankAttempts.transactionId, 'id'))
      .orderBy(tankAttempts.place),
  );
  return async (row) => {
    const [first, ...more] = await attempts.all({ id: row.id });
    if (first === undefined) throw new TypeError(`transaction ${row.id} of the gas tank was never signed`);
    return { ...row, attempts: [first, ...more] };
  };
}

export function createTankReads(db: Sql): Pick<StoreReads, 'tankTransaction' | 'openTankTransactions'> {
  const { build, kit, prepare, tables } = db;
  const { tankTransactions } = tables;
  const complete = createCompletion(db);
  const byId = prepare(build.select().from(tankTransactions).where(equals(tankTransactions.id, 'id')));
  const open = prepare(
    build
      .select()
      .from(tankTransactions)
      .where(and(isOpenTransaction(kit), equals(tankTransactions.chainId, 'chainId')))
      .orderBy(tankTransactions.nonce, tankTransactions.id),
  );
  return {
    async tankTransaction(id) {
      const row = await byId.get({ id });
      return row === undefined ? null : await complete(row);
    },
    openTankTransactions: async (chainId) => await readEach(await open.all({ chainId }), complete),
  };
}

/** Stores an attempt; the same bytes a second time break the store's constraint. */
function createAttemptInsert({
  build,
  prepare,
  tables,
}: Sql): (transactionId: number, attempt: TankAttempt) => Promise<void> {
  const { tankAttempts } = tables;
  const insert = prepare(
    build.insert(tankAttempts).values({
      transactionId: placeholder('transactionId'),
      hash: placeholder('hash'),
      raw: placeholder('raw'),
      maxFeePerGas: placeholder('maxFeePerGas'),
      maxPriorityFeePerGas: placeholder('maxPriorityFeePerGas'),
      gas: placeholder('gas'),
      signedAt: placeholder('signedAt'),
    }),
  );
  return async (transactionId, attempt) => {
    await insert.run({ ...attempt, transactionId });
  };
}

/** Whether a payment may still be sent on a chain as it was signed. */
function createSendCheck(
  db: Sql,
): (chainId: number, payment: { id: number; numbers: readonly bigint[] }) => Promise<boolean> {
  const { build, prepare, tables } = db;
  const { gigs } = tables;
  const find = createPaymentRow(db);
  const numbersOf = createNumberLookup(db);
  const frozen = prepare(
    build
      .select({ id: gigs.id })
      .from(gigs)
      .where(and(equals(gigs.id, 'gigId'), or(isNotNull(gigs.frozenReason), isNotNull(gigs.operatorFreeze)))),
  );
  return async (chainId, { id, numbers }) => {
    const row = await find(id);
    if (row === undefined || row.state !== 'planned' || row.chainId !== chainId) return false;
    if ((await frozen.get({ gigId: row.gigId })) !== undefined) return false;
    return areSameNumbers(await numbersOf(row), numbers);
  };
}

/** Whether a transaction that is not over has this nonce already, or a later one: a chain is sent one at a time. */
function createNonceCheck({ build, kit, prepare, tables }: Sql): (chainId: number, nonce: number) => Promise<boolean> {
  const { tankTransactions } = tables;
  const { id, chainId: chain, nonce: given } = tankTransactions;
  const isRival = and(isOpenTransaction(kit), equals(chain, 'chainId'), gte(given, placeholder('nonce')));
  const rival = prepare(kit.first(build.select({ id }).from(tankTransactions).where(isRival)));
  return async (chainId, nonce) => (await rival.get({ chainId, nonce })) !== undefined;
}

function createSending(db: Sql): StoreTx['keepTankTransaction'] {
  const { build, prepareInsert, tables } = db;
  const isTaken = createNonceCheck(db);
  const { payments, tankTransactions } = tables;
  const mayBeSent = createSendCheck(db);
  const keepAttempt = createAttemptInsert(db);
  const insert = prepareInsert(
    build
      .insert(tankTransactions)
      .values({ chainId: placeholder('chainId'), nonce: placeholder('nonce'), createdAt: placeholder('now') }),
  );
  const send = prepareChange(
    db,
    payments,
    {
      state: 'sent',
      reason: null,
      numbers: bound('numbers'),
      transactionId: bound('transactionId'),
      gasUsed: sql`${payments.gasUsed} + ${placeholder('gas')}`,
      gasReserved: bound('gas'),
      updatedAt: bound('now'),
    },
    and(PAYMENT_PLANNED, equals(payments.id, 'id')),
  );
  return async ({ chainId, nonce, attempt }, { payments, now }) => {
    if (await isTaken(chainId, nonce)) return null;
    for (const payment of payments) if (!(await mayBeSent(chainId, payment))) return null;
    const id = await theId(insert({ chainId, nonce, now }));
    await keepAttempt(id, attempt);
    for (const payment of payments) {
      const numbers = sortNumbers(payment.numbers).join();
      const sent = await send({ id: payment.id, numbers, gas: payment.gas, transactionId: id, now });
      if (!sent) throw new RangeError(`a transaction cannot hold payment ${payment.id} twice`);
    }
    return { id, chainId, nonce, isOver: false, broadcastAt: null, createdAt: now, attempts: [attempt] };
  };
}

type TankWrites = Pick<StoreTx, 'keepTankTransaction' | 'addTankAttempt' | 'noteBroadcast' | 'endTankTransaction'>;

export function createTankWrites(db: Sql): TankWrites {
  const { build, kit, prepare, tables } = db;
  const { payments, tankTransactions } = tables;
  const keepAttempt = createAttemptInsert(db);
  const isOpen = and(isOpenTransaction(kit), equals(tankTransactions.id, 'id'));
  const open = prepare(build.select({ id: tankTransactions.id }).from(tankTransactions).where(isOpen));
  const note = prepareChange(db, tankTransactions, { broadcastAt: bound('now') }, isOpen);
  const sent = build
    .select({ id: payments.id })
    .from(payments)
    .where(and(PAYMENT_SENT, eq(payments.transactionId, placeholder('id'))));
  const end = prepareChange(db, tankTransactions, { isOver: true }, and(isOpen, notExists(sent)));
  return {
    keepTankTransaction: createSending(db),
    async addTankAttempt(id, { attempt }) {
      if ((await open.get({ id })) === undefined) return false;
      await keepAttempt(id, attempt);
      return true;
    },
    noteBroadcast: (id, now) => note({ id, now }),
    endTankTransaction: (id) => end({ id }),
  };
}
