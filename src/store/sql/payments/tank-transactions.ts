import { and, eq, getTableColumns, gte, isNotNull, notExists, or, sql } from 'drizzle-orm';
import type { BlockRef } from '../../../domain/chains/block.ts';
import type { Address } from '../../../domain/gigs/token.ts';
import type { TankAttempt, TankTransaction } from '../../../domain/payments/payment.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, equals, firstMissing, givenRows, prepareChange, readEach, theId } from '../statements.ts';
import { byChain, byGigsOfPayments, nothing } from '../subjects.ts';
import { isOpenTransaction } from './chain-tables.ts';
import { PAYMENT_SENT } from './payment-tables.ts';
import { areSameNumbers, createNumberLookup, sortNumbers } from './payments.ts';

const placeholder = sql.placeholder;

type Row = Tables['tankTransactions']['$inferSelect'];

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

/** The same bytes a second time break the store's constraint. */
function createAttemptInsert({
  build,
  prepare,
  tables,
}: Sql): (transactionId: number, attempt: TankAttempt) => Promise<void> {
  const { tankAttempts } = tables;
  const insert = prepare(
    build.insert(tankAttempts).values({
      ...boundTo(tankAttempts, 'transactionId', 'hash', 'raw', 'maxFeePerGas', 'maxPriorityFeePerGas', 'gas'),
      ...boundTo(tankAttempts, 'signedAt'),
      signedBlock: bound('signedBlock'),
    }),
  );
  return async (transactionId, attempt) => {
    await insert.run({ ...attempt, transactionId });
  };
}

function createSendCheck(
  db: Sql,
): (chainId: number, signed: readonly { id: number; numbers: readonly bigint[] }[]) => Promise<boolean> {
  const { build, kit, prepare, tables } = db;
  const { gigs, payments } = tables;
  const findNumbers = createNumberLookup(db);
  const { id, gigId, kind, place, numbers } = payments;
  const isPlanned = sql`${kit.noWayIn(payments.state)} = 'planned'`;
  const isFrozen = or(isNotNull(gigs.frozenReason), isNotNull(gigs.operatorFreeze));
  const frozen = build
    .select({ id: gigs.id })
    .from(gigs)
    .where(and(eq(gigs.id, gigId), isFrozen));
  const sendable = prepare(
    build
      .select({ id, gigId, kind, place, numbers })
      .from(payments)
      .where(
        and(
          kit.isAmong(id, 'ids'),
          isPlanned,
          eq(kit.noWayIn(payments.chainId), placeholder('chainId')),
          notExists(frozen),
        ),
      ),
  );
  return async (chainId, signed) => {
    const rows = await sendable.all({ chainId, ids: signed.map((payment) => payment.id) });
    const numbersOf = await findNumbers(rows);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return signed.every((payment) => {
      const row = byId.get(payment.id);
      return row !== undefined && areSameNumbers(numbersOf(row), payment.numbers);
    });
  };
}

/** A chain's transactions are sent one at a time. */
function createNonceCheck({ build, kit, prepare, tables }: Sql): (chainId: number, nonce: number) => Promise<boolean> {
  const { tankTransactions } = tables;
  const { id, chainId: chain, nonce: given } = tankTransactions;
  const isRival = and(isOpenTransaction(kit), equals(chain, 'chainId'), gte(given, placeholder('nonce')));
  const rival = prepare(kit.first(build.select({ id }).from(tankTransactions).where(isRival)));
  return async (chainId, nonce) => (await rival.get({ chainId, nonce })) !== undefined;
}

function createSending(db: Sql) {
  const { build, kit, prepare, prepareInsert, tables } = db;
  const isTaken = createNonceCheck(db);
  const { payments, tankTransactions } = tables;
  const mayBeSent = createSendCheck(db);
  const keepAttempt = createAttemptInsert(db);
  const insert = prepareInsert(
    build
      .insert(tankTransactions)
      .values({ chainId: placeholder('chainId'), nonce: placeholder('nonce'), createdAt: placeholder('now') }),
  );
  const { id, numbers, gasReserved } = payments;
  const { rows, given } = givenRows(db, 'signed', { id, numbers, gas: gasReserved });
  const send = prepare(
    build
      .update(payments)
      .set({
        state: 'sent',
        reason: null,
        numbers: given.numbers,
        transactionId: bound('transactionId'),
        gasUsed: sql`${payments.gasUsed} + ${given.gas}`,
        gasReserved: given.gas,
        updatedAt: bound('now'),
      })
      .from(rows)
      .where(and(eq(id, given.id), sql`${kit.noWayIn(payments.state)} = 'planned'`))
      .returning({ id }),
  );
  return async (
    { chainId, nonce, attempt }: { chainId: number; nonce: number; attempt: TankAttempt },
    { payments, now }: { payments: readonly { id: number; numbers: readonly bigint[]; gas: bigint }[]; now: number },
  ): Promise<TankTransaction | null> => {
    if ((await isTaken(chainId, nonce)) || !(await mayBeSent(chainId, payments))) return null;
    const transactionId = await theId(insert({ chainId, nonce, now }));
    await keepAttempt(transactionId, attempt);
    const signed = payments.map((payment) => ({ ...payment, numbers: sortNumbers(payment.numbers) }));
    const sent = payments.length === 0 ? [] : await send.all({ signed, transactionId, now });
    const twice = firstMissing(
      payments.map((payment) => payment.id),
      sent,
    );
    if (twice !== undefined) throw new RangeError(`a transaction cannot hold payment ${twice} twice`);
    const attempts: TankTransaction['attempts'] = [attempt];
    return { id: transactionId, chainId, nonce, isOver: false, broadcastAt: null, createdAt: now, attempts };
  };
}

export const tankTransactions = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { payments, tankTransactions } = tables;
  const complete = createCompletion(db);
  const byId = prepare(build.select().from(tankTransactions).where(equals(tankTransactions.id, 'id')));
  const openOnChain = prepare(
    build
      .select()
      .from(tankTransactions)
      .where(and(isOpenTransaction(kit), equals(tankTransactions.chainId, 'chainId')))
      .orderBy(tankTransactions.nonce, tankTransactions.id),
  );
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
    reads: {
      /** A transaction of the gas tank, over or not. */
      tankTransaction: locked(nothing, async (id: number): Promise<TankTransaction | null> => {
        const row = await byId.get({ id });
        return row === undefined ? null : await complete(row);
      }),
      /** Transactions of the gas tank on a chain that are not over, by nonce. */
      openTankTransactions: locked(
        nothing,
        async (chainId: number): Promise<TankTransaction[]> =>
          await readEach(await openOnChain.all({ chainId }), complete),
      ),
    },
    writes: {
      /**
       * Stores a signed transaction and its payments with it: planned → sent, with the numbers that were signed. Null, and
       * nothing is changed, when one of them is not planned, its numbers are not those of its tips any more, or its gig is
       * frozen; and when another transaction of the chain that is not over has the nonce, or a later one: another instance was
       * faster.
       */
      insertTankTransaction: locked(
        // Until it is committed no tip gets another number, no gig is frozen, and no other transaction takes the nonce.
        ({ chainId }, { payments }) => [...byGigsOfPayments(payments), ...byChain(chainId)],
        createSending(db),
      ),
      /** One more signed attempt under the same nonce. False when the transaction is over. */
      addTankAttempt: locked(
        nothing,
        async (id: number, { attempt }: { attempt: TankAttempt; now: number }): Promise<boolean> => {
          if ((await open.get({ id })) === undefined) return false;
          await keepAttempt(id, attempt);
          return true;
        },
      ),
      /** Records a broadcast. False when the transaction is over. */
      noteBroadcast: locked(nothing, (id: number, now: number) => note({ id, now })),
      /**
       * Ends a transaction whose nonce is spent in a settled block, or that is given up. False when it is over, or holds a
       * payment that is sent.
       */
      endTankTransaction: locked(nothing, (id: number) => end({ id })),
    },
  };
});

export const chainAnchors = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { chainAnchors } = tables;
  const { number, hash, at, chainId } = chainAnchors;
  const ofChain = prepare(build.select({ number, hash, at }).from(chainAnchors).where(equals(chainId, 'chainId')));
  const block = boundTo(chainAnchors, 'number', 'hash', 'at');
  const set = prepare(
    build
      .insert(chainAnchors)
      .values({ ...boundTo(chainAnchors, 'chainId'), ...block })
      .onConflictDoUpdate({ target: chainId, set: block }),
  );
  const store = async (chainId: number, { number, hash, at }: BlockRef): Promise<void> => {
    await set.run({ chainId, number, hash, at });
  };
  return {
    reads: {
      /** The settled block of a chain that the ledger counts on; null before the first payment there. */
      chainAnchor: locked(
        byChain,
        async (chainId: number): Promise<BlockRef | null> => (await ofChain.get({ chainId })) ?? null,
      ),
    },
    writes: {
      /** Stores the settled block that the ledger counts on. */
      setChainAnchor: locked(byChain, store),
      /** The same, unless the ledger counts on a newer block already. */
      advanceChainAnchor: locked(byChain, async (chainId: number, block: BlockRef): Promise<void> => {
        const known = await ofChain.get({ chainId });
        if (known === undefined || known.number < block.number) await store(chainId, block);
      }),
    },
  };
});

export const gasTanks = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { gasTanks } = tables;
  const kept = prepare(build.select({ address: gasTanks.address }).from(gasTanks));
  const gasTank = async (): Promise<Address | null> => (await kept.get())?.address ?? null;
  const tank = { id: 1, ...boundTo(gasTanks, 'address', 'createdAt') };
  const keep = prepare(build.insert(gasTanks).values(tank).onConflictDoNothing());
  return {
    reads: {
      /** The gas tank of the store's mnemonic; null before its first use. */
      gasTank: locked(nothing, gasTank),
    },
    writes: {
      /** Stores the gas tank's address at first use and returns the stored one, which never changes. */
      storeGasTank: locked(nothing, async (address: Address, now: number): Promise<Address> => {
        await keep.run({ address, createdAt: now });
        return (await gasTank()) ?? address;
      }),
    },
  };
});
