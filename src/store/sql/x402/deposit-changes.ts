import { and, eq, inArray, isNull, lte, or, sql } from 'drizzle-orm';
import type { Deposit, NewDeposit } from '../../../domain/x402/deposit.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, equals, prepareChange, theId } from '../statements.ts';
import { byItsGig } from '../subjects.ts';

/** Names a deposit and the gig that is locked for its change. */
type Named = Pick<Deposit, 'id' | 'gigId'>;

/** The same as it was read: another transaction may hold it by now. */
type Held = Named & { readonly transactionId: number | null };

const now = { updatedAt: bound('now') };

/** kept → sent, by the gas tank or by a facilitator, and back. */
function createSending(db: Sql) {
  const { deposits } = db.tables;
  const { askedAt, gasUsed, id, settler, state, transactionId } = deposits;
  const isIt = equals(id, 'id');
  const isSendable = and(isIt, eq(state, 'kept'), eq(settler, 'tank'));
  const gas = sql`${gasUsed} + ${sql.placeholder('gas')}`;
  const inTransaction = {
    ...now,
    state: 'sent',
    reason: null,
    transactionId: bound('transactionId'),
    gasUsed: gas,
  } as const;
  const send = prepareChange(db, deposits, inTransaction, isSendable);
  const give = prepareChange(db, deposits, { ...now, state: 'sent', reason: bound('reason') }, isSendable);
  const mayAsk = or(isNull(askedAt), lte(askedAt, sql.placeholder('askedBy')));
  const isAskable = and(isIt, inArray(state, ['kept', 'sent']), eq(settler, 'facilitator'), mayAsk);
  const ask = prepareChange(db, deposits, { ...now, state: 'sent', askedAt: bound('now') }, isAskable);
  const isSent = and(isIt, eq(state, 'sent'), eq(settler, 'tank'), equals(transactionId, 'heldBy'));
  const back = { ...now, state: 'kept', reason: bound('reason'), dueAt: bound('dueAt') } as const;
  const again = prepareChange(db, deposits, back, isSent);
  return {
    /** kept → sent, in a stored transaction of the gas tank. */
    sendDeposit: locked(
      byItsGig,
      ({ id }: Named, change: { transactionId: number; gas: bigint; now: number }): Promise<boolean> =>
        send({ id, ...change }),
    ),
    /** kept → sent, because somebody else has sent it. */
    findDepositSent: locked(
      byItsGig,
      ({ id }: Named, change: { reason: string; now: number }): Promise<boolean> => give({ id, ...change }),
    ),
    /** kept or sent → sent, for the one who may ask a facilitator now: false when it was asked after `askedBy`. */
    askForDeposit: locked(
      byItsGig,
      ({ id }: Named, change: { askedBy: number; now: number }): Promise<boolean> => ask({ id, ...change }),
    ),
    /** sent → kept: its transaction is over, and no block has it; false when it is in another one by now. */
    keepDepositAgain: locked(
      byItsGig,
      ({ id, transactionId: heldBy }: Held, change: { reason: string; dueAt: number; now: number }): Promise<boolean> =>
        again({ id, heldBy, ...change }),
    ),
  };
}

/** What a block says. */
function createOutcomes(db: Sql) {
  const { deposits } = db.tables;
  const { id, state } = deposits;
  const isIt = equals(id, 'id');
  const isUsed = and(isIt, eq(state, 'used'));
  const isOpen = and(isIt, inArray(state, ['kept', 'sent']));
  const mayBeUsed = and(isIt, inArray(state, ['kept', 'sent', 'used']));
  const inBlock = { ...now, state: 'used', reason: null, ...boundTo(deposits, 'hash', 'blockNumber') } as const;
  const use = prepareChange(db, deposits, inBlock, mayBeUsed);
  const inNone = { ...now, state: 'sent', hash: null, blockNumber: null } as const;
  const lose = prepareChange(db, deposits, inNone, isUsed);
  const settle = prepareChange(db, deposits, { ...now, state: 'settled' }, isUsed);
  const drop = prepareChange(db, deposits, { ...now, state: 'unused', reason: bound('reason') }, isOpen);
  return {
    /** → used, by this transaction. */
    useDeposit: locked(
      byItsGig,
      ({ id }: Named, change: { hash: `0x${string}`; blockNumber: bigint; now: number }): Promise<boolean> =>
        use({ id, ...change }),
    ),
    /** used → sent: the chain has lost the block. */
    loseDeposit: locked(byItsGig, ({ id }: Named, now: number): Promise<boolean> => lose({ id, now })),
    /** used → settled. */
    settleDeposit: locked(byItsGig, ({ id }: Named, now: number): Promise<boolean> => settle({ id, now })),
    /** kept or sent → unused. */
    dropDeposit: locked(
      byItsGig,
      ({ id }: Named, change: { reason: string; now: number }): Promise<boolean> => drop({ id, ...change }),
    ),
  };
}

/** Changes of deposits. Each names the states from which it is made, and is false from any other. */
export const depositChanges = noun((db: Sql) => {
  const { build, prepareInsert, tables } = db;
  const { deposits } = tables;
  const { id, state } = deposits;
  const values = {
    ...boundTo(deposits, 'gigId', 'chainId', 'payer', 'amount', 'validAfter', 'validBefore', 'nonce', 'signature'),
    ...boundTo(deposits, 'settler', 'signer', 'keptBlock', 'createdAt', 'dueAt', 'updatedAt'),
  };
  const insert = prepareInsert(build.insert(deposits).values({ ...values, state: 'kept' }));
  const isOpen = and(equals(id, 'id'), inArray(state, ['kept', 'sent']));
  const wait = prepareChange(db, deposits, { ...now, reason: bound('reason'), dueAt: bound('dueAt') }, isOpen);
  return {
    reads: {},
    writes: {
      /** Keeps an authorization. A second one of a gig breaks the store's constraint, unless the first is unused. */
      keepDeposit: locked(byItsGig, async (deposit: NewDeposit, now: number): Promise<number> => {
        return await theId(insert({ ...deposit, createdAt: now, updatedAt: now, dueAt: now }));
      }),
      /** What a deposit waits for. */
      noteDeposit: locked(
        byItsGig,
        ({ id }: Named, change: { reason: string | null; dueAt: number; now: number }): Promise<boolean> =>
          wait({ id, ...change }),
      ),
      ...createSending(db),
      ...createOutcomes(db),
    },
  };
});
