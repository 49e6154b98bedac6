import { and, eq, getTableColumns, isNotNull, notExists, or, sql } from 'drizzle-orm';
import type { TankAttempt, TankTransaction } from '../../domain/payment.ts';
import { type Db, prepare, prepareRaw, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { areSameNumbers, createNumberLookup, createPaymentRow, sortNumbers } from './payments.ts';
import { bound, equals, prepareChange } from './statements.ts';
import { gigs, PAYMENT_PLANNED, PAYMENT_SENT, payments, TANK_OPEN, tankAttempts, tankTransactions } from './tables.ts';

const placeholder = sql.placeholder;

type Row = typeof tankTransactions.$inferSelect;

const { transactionId: _transaction, ...attemptColumns } = getTableColumns(tankAttempts);

/** Builds a transaction from its row and its signed attempts. */
function createCompletion(db: Db): (row: Row) => TankTransaction {
  const attempts = prepare(
    db,
    db
      .select(attemptColumns)
      .from(tankAttempts)
      .where(equals(tankAttempts.transactionId, 'id'))
      // Sorted by rowid, because times repeat and clocks can go back.
      .orderBy(sql`rowid`),
  );
  return (row) => {
    const [first, ...more] = attempts.all({ id: row.id });
    if (first === undefined) throw new TypeError(`transaction ${row.id} of the gas tank was never signed`);
    return { ...row, attempts: [first, ...more] };
  };
}

export function createTankReads(db: Db): Pick<SyncReads, 'tankTransaction' | 'openTankTransactions'> {
  const complete = createCompletion(db);
  const byId = prepare(db, db.select().from(tankTransactions).where(equals(tankTransactions.id, 'id')));
  const open = prepare(
    db,
    db
      .select()
      .from(tankTransactions)
      .where(and(TANK_OPEN, equals(tankTransactions.chainId, 'chainId')))
      .orderBy(tankTransactions.nonce, tankTransactions.id),
  );
  return {
    tankTransaction: db.$client.transaction((id) => {
      const row = byId.get({ id });
      return row === undefined ? null : complete(row);
    }),
    openTankTransactions: db.$client.transaction((chainId) => open.all({ chainId }).map(complete)),
  };
}

/** Stores an attempt; the same bytes a second time break the store's constraint. */
function createAttemptInsert(db: Db): (transactionId: number, attempt: TankAttempt) => void {
  const insert = prepareRaw(
    db,
    db.insert(tankAttempts).values({
      transactionId: placeholder('transactionId'),
      hash: placeholder('hash'),
      raw: placeholder('raw'),
      maxFeePerGas: placeholder('maxFeePerGas'),
      maxPriorityFeePerGas: placeholder('maxPriorityFeePerGas'),
      gas: placeholder('gas'),
      signedAt: placeholder('signedAt'),
    }),
  );
  return (transactionId, attempt) => {
    insert.run({ ...attempt, transactionId });
  };
}

/** Whether a payment may still be sent on a chain as it was signed. */
function createSendCheck(db: Db): (chainId: number, payment: { id: number; numbers: readonly bigint[] }) => boolean {
  const find = createPaymentRow(db);
  const numbersOf = createNumberLookup(db);
  const frozen = prepare(
    db,
    db
      .select({ id: gigs.id })
      .from(gigs)
      .where(and(equals(gigs.id, 'gigId'), or(isNotNull(gigs.frozenReason), isNotNull(gigs.operatorFreeze)))),
  );
  return (chainId, { id, numbers }) => {
    const row = find(id);
    if (row === undefined || row.state !== 'planned' || row.chainId !== chainId) return false;
    return frozen.get({ gigId: row.gigId }) === undefined && areSameNumbers(numbersOf(row), numbers);
  };
}

function createSending(db: Db): SyncWrites['keepTankTransaction'] {
  const mayBeSent = createSendCheck(db);
  const keepAttempt = createAttemptInsert(db);
  const insert = prepareRaw(
    db,
    db
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
  const keep: SyncWrites['keepTankTransaction'] = ({ chainId, nonce, attempt }, { payments, now }) => {
    if (!payments.every((payment) => mayBeSent(chainId, payment))) return null;
    const id = Number(insert.run({ chainId, nonce, now }).lastInsertRowid);
    keepAttempt(id, attempt);
    for (const payment of payments) {
      const numbers = sortNumbers(payment.numbers).join();
      const sent = send({ id: payment.id, numbers, gas: payment.gas, transactionId: id, now });
      if (!sent) throw new RangeError(`a transaction cannot hold payment ${payment.id} twice`);
    }
    return { id, chainId, nonce, isOver: false, broadcastAt: null, createdAt: now, attempts: [attempt] };
  };
  return db.$client.transaction(keep);
}

type TankWrites = Pick<SyncWrites, 'keepTankTransaction' | 'addTankAttempt' | 'noteBroadcast' | 'endTankTransaction'>;

export function createTankWrites(db: Db): TankWrites {
  const keepAttempt = createAttemptInsert(db);
  const isOpen = and(TANK_OPEN, equals(tankTransactions.id, 'id'));
  const open = prepare(db, db.select({ id: tankTransactions.id }).from(tankTransactions).where(isOpen));
  const note = prepareChange(db, tankTransactions, { broadcastAt: bound('now') }, isOpen);
  const sent = db
    .select({ id: payments.id })
    .from(payments)
    .where(and(PAYMENT_SENT, eq(payments.transactionId, placeholder('id'))));
  const end = prepareChange(db, tankTransactions, { isOver: true }, and(isOpen, notExists(sent)));
  return {
    keepTankTransaction: createSending(db),
    addTankAttempt: db.$client.transaction((id, { attempt }) => {
      if (open.get({ id }) === undefined) return false;
      keepAttempt(id, attempt);
      return true;
    }),
    noteBroadcast: (id, now) => note({ id, now }),
    endTankTransaction: (id) => end({ id }),
  };
}
