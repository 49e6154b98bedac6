import { and, eq, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { MadePayment, MissedPayment } from '../../port/payments.ts';
import { createClaimLookup } from '../claims/claims.ts';
import type { Sql, Tables } from '../engine.ts';
import { createGigCount } from '../gigs/tip-numbers.ts';
import { locked, noun } from '../noun.ts';
import { bound, equals, givenRows, prepareChange } from '../statements.ts';
import { byGigOfPayment, byGigsOfPayments, nothing } from '../subjects.ts';
import { createPayoutSums } from './gig-payouts.ts';
import { PAYMENT_CONFIRMED, PAYMENT_PLANNED, PAYMENT_SENT } from './payment-tables.ts';
import { areSameNumbers, createNumberLookup, createPaymentRows, type PaymentRow, sortNumbers } from './payments.ts';

const noClaim = { claimNonce: null, claimStartedAt: null, lockTimeout: null };

function isPayment({ payments }: Tables): SQL {
  return equals(payments.id, 'id');
}

function isPlanned(tables: Tables): SQL | undefined {
  return and(PAYMENT_PLANNED, isPayment(tables));
}

function ofPayment({ tips }: Tables): SQL {
  return equals(tips.paymentId, 'id');
}

/** The transaction of the gas tank with this hash; null when another process sent it. */
export function transactionOfHash({ tankAttempts }: Tables, hash: SQL | Placeholder): SQL {
  return sql`(select ${tankAttempts.transactionId} from ${tankAttempts} where ${tankAttempts.hash} = ${hash})`;
}

/** Keeps gigs' sums when payments are confirmed, or not any more; payouts alone count. */
export function createSumUpdates(db: Sql): Record<'add' | 'takeBack', (rows: readonly PaymentRow[]) => Promise<void>> {
  const sums = createPayoutSums(db);
  const keep = (change: 'add' | 'takeBack') => (rows: readonly PaymentRow[]) =>
    sums[change](rows.filter(({ kind }) => kind === 'payout').map((row) => ({ ...row, at: row.updatedAt })));
  return { add: keep('add'), takeBack: keep('takeBack') };
}

/** Counts a payout of lost tips as awarded, or takes that back: what it has moved can be awarded to nobody else. */
export function createStrayCount(db: Sql): (row: PaymentRow, times: 1n | -1n) => Promise<void> {
  // It takes no number.
  const count = createGigCount(db);
  return async ({ kind, gigId, amount }, times) => {
    if (kind === 'payout') await count(gigId, { awarded: amount * times, numbers: 0 });
  };
}

/** Planned → failed; its tips can be claimed again. False when it is not planned. */
export function createFailure(db: Sql) {
  const { build, prepare, tables } = db;
  const { payments, tips } = tables;
  const fail = prepareChange(
    db,
    payments,
    { state: 'failed', reason: bound('reason'), updatedAt: bound('now') },
    isPlanned(tables),
  );
  const release = prepare(
    build
      .update(tips)
      .set(noClaim)
      .where(and(ofPayment(tables), eq(tips.status, 'pending'))),
  );
  return async (id: number, { reason, now }: { reason: string; now: number }): Promise<boolean> => {
    if (!(await fail({ id, reason, now }))) return false;
    await release.run({ id });
    return true;
  };
}

function firstOfEach<Named extends { readonly id: number }>(all: readonly Named[]): Named[] {
  return [...Map.groupBy(all, ({ id }) => id).values()].flatMap(([first]) => first ?? []);
}

/** @throws RangeError when a payment has other numbers */
function createConfirmable(
  db: Sql,
): (made: readonly MadePayment[], sentIn?: number) => Promise<{ row: PaymentRow; made: MadePayment }[]> {
  const find = createPaymentRows(db);
  const findNumbers = createNumberLookup(db);
  return async (all, sentIn) => {
    const rows = new Map((await find(all.map(({ id }) => id))).map((row) => [row.id, row]));
    // Another process may have judged the transaction already: what it has planned or sent again uses other gas.
    const isOpen = ({ state, transactionId }: PaymentRow) =>
      sentIn === undefined ? state === 'planned' || state === 'sent' : state === 'sent' && transactionId === sentIn;
    const open = all.flatMap((made) => {
      const row = rows.get(made.id);
      return row !== undefined && isOpen(row) ? { row, made } : [];
    });
    const fixed = open.filter(({ row }) => row.kind !== 'mark');
    const numbersOf = await findNumbers(fixed.map(({ row }) => row));
    for (const { row, made } of fixed) {
      const own = numbersOf(row);
      if (areSameNumbers(own, made.numbers)) continue;
      throw new RangeError(`payment ${row.id} pays the numbers ${own.join(', ')}, not ${made.numbers.join(', ')}`);
    }
    return open;
  };
}

function createConfirmation(db: Sql) {
  const { build, kit, prepare, tables } = db;
  const { payments, tips } = tables;
  const findConfirmable = createConfirmable(db);
  const sums = createSumUpdates(db);
  const { id, recipient, numbers, hash, blockNumber, gasUsed } = payments;
  const { rows, given } = givenRows(db, 'made', { id, recipient, numbers, hash, blockNumber, gasUsed });
  const confirm = prepare(
    build
      .update(payments)
      .set({
        state: 'confirmed',
        reason: null,
        recipient: given.recipient,
        numbers: given.numbers,
        transactionId: transactionOfHash(tables, given.hash),
        hash: given.hash,
        blockNumber: given.blockNumber,
        gasUsed: sql`${gasUsed} - ${payments.gasReserved} + ${given.gasUsed}`,
        gasReserved: 0n,
        updatedAt: bound('now'),
      })
      .from(rows)
      .where(and(eq(id, given.id), sql`${kit.noWayIn(payments.state)} in ('planned', 'sent')`))
      .returning({ id }),
  );
  const claimTips = prepare(
    build
      .update(tips)
      .set({ status: 'claimed', userAddress: given.recipient, txHash: given.hash, claimedAt: bound('now'), ...noClaim })
      .from(rows)
      .where(and(eq(tips.paymentId, given.id), sql`${kit.noWayIn(tips.status)} = 'pending'`)),
  );
  return async (all: readonly MadePayment[], now: number, sentIn?: number): Promise<number[]> => {
    const named = firstOfEach(all);
    const open = named.length === 0 ? [] : await findConfirmable(named, sentIn);
    if (open.length === 0) return [];
    const made = open.map((each) => ({ ...each.made, numbers: sortNumbers(each.made.numbers) }));
    const changed = new Set((await confirm.all({ made, now })).map((row) => row.id));
    const confirmed = open.filter(({ row }) => changed.has(row.id));
    await claimTips.run({ made: made.filter((each) => changed.has(each.id)), now });
    await sums.add(confirmed.map(({ row }) => ({ ...row, updatedAt: now })));
    return confirmed.map(({ row }) => row.id);
  };
}

function createReversal(db: Sql) {
  const { build, prepare, tables } = db;
  const { payments, tips } = tables;
  const find = createPaymentRows(db);
  const claimById = createClaimLookup(db);
  const sums = createSumUpdates(db);
  const countStray = createStrayCount(db);
  const undo = prepareChange(
    db,
    payments,
    {
      state: bound('state'),
      reason: bound('reason'),
      recipient: bound('recipient'),
      numbers: null,
      hash: null,
      blockNumber: null,
      dueAt: bound('now'),
      updatedAt: bound('now'),
    },
    and(PAYMENT_CONFIRMED, isPayment(tables)),
  );
  const reopen = prepare(
    build
      .update(tips)
      .set({
        status: 'pending',
        userAddress: bound('recipient'),
        txHash: null,
        claimedAt: null,
        claimNonce: bound('claimNonce'),
        claimStartedAt: bound('claimStartedAt'),
      })
      .where(and(ofPayment(tables), eq(tips.status, 'claimed'))),
  );
  return async (id: number, { reason, now }: { reason: string; now: number }): Promise<boolean> => {
    const [row] = await find([id]);
    if (row?.state !== 'confirmed') return false;
    const claim = row.claimId === null ? null : await claimById(row.claimId);
    const isOwed = row.kind !== 'payout' || claim !== null;
    // What the chain paid to another address is owed to the claim's again.
    const recipient = claim?.recipient ?? row.recipient;
    if (!(await undo({ id, reason, recipient, now, state: isOwed ? 'planned' : 'failed' }))) return false;
    const held = { claimNonce: claim?.publicId ?? null, claimStartedAt: claim === null ? null : now };
    const reopened = await reopen.run({ ...held, id, recipient });
    if (reopened === 0) await countStray(row, -1n);
    await sums.takeBack([row]);
    return true;
  };
}

function createReplanning(db: Sql) {
  const { build, kit, prepare, tables } = db;
  const { payments } = tables;
  const { id, reason, dueAt, gasUsed, failures, failedAt } = payments;
  const { rows, given } = givenRows(db, 'missed', { id, reason, dueAt, gasUsed, failures });
  // Another process may have judged the transaction already, and have sent the payment again in the next one.
  const isIn = eq(kit.noWayIn(payments.transactionId), bound('transactionId'));
  const replan = prepare(
    build
      .update(payments)
      .set({
        state: 'planned',
        reason: given.reason,
        numbers: null,
        dueAt: given.dueAt,
        failures: sql`${failures} + ${given.failures}`,
        failedAt: kit.ifElse(sql`${given.failures} > 0`, bound('now'), failedAt),
        gasUsed: sql`${gasUsed} - ${payments.gasReserved} + ${given.gasUsed}`,
        gasReserved: 0n,
        updatedAt: bound('now'),
      })
      .from(rows)
      .where(and(eq(id, given.id), sql`${kit.noWayIn(payments.state)} = 'sent'`, isIn))
      .returning({ id }),
  );
  return async (
    all: readonly MissedPayment[],
    change: { readonly transactionId: number; readonly now: number },
  ): Promise<number[]> => {
    const missed = firstOfEach(all).map((each) => ({ ...each, failures: each.hasFailed ? 1 : 0 }));
    const replanned = new Set(
      (missed.length === 0 ? [] : await replan.all({ missed, ...change })).map((row) => row.id),
    );
    return missed.flatMap((each) => (replanned.has(each.id) ? each.id : []));
  };
}

function createWaits(db: Sql) {
  const { payments } = db.tables;
  const isSent = and(PAYMENT_SENT, isPayment(db.tables));
  const note = prepareChange(
    db,
    payments,
    { reason: bound('reason'), dueAt: bound('dueAt'), updatedAt: bound('now') },
    isPlanned(db.tables),
  );
  const noteSent = prepareChange(db, payments, { reason: bound('reason'), updatedAt: bound('now') }, isSent);
  return {
    /** Sets what a planned payment waits for, in words, or null, and until when it is not tried. */
    notePayment: locked(nothing, (id: number, change: { reason: string | null; dueAt: number; now: number }) =>
      note({ ...change, id }),
    ),
    /** Sets why a payment that is sent is not settled yet, in words, or null. False when it is not sent. */
    noteSent: locked(nothing, (id: number, change: { reason: string | null; now: number }) =>
      noteSent({ ...change, id }),
    ),
  };
}

export const paymentChanges = noun((db: Sql) => ({
  reads: {},
  writes: {
    /**
     * Planned or sent → confirmed, with the numbers; their tips → claimed, with the hash. Of several with one id the first
     * counts.
     * @param sentIn the transaction whose gas they have used: those that are not sent in it stay as they are
     * @returns the ids of those that were planned or sent, in their order; the others stay as they are
     * @throws RangeError when the numbers of one are not those of its tips or its fee; those of a mark may be any
     */
    confirmPayments: locked(byGigsOfPayments, createConfirmation(db)),
    /**
     * Confirmed → planned, because a reorganisation took its marks back; its tips are pending again, for the same claim and
     * its recipient. A payout that was adopted without a claim → failed, and its tips can be claimed.
     */
    unconfirmPayment: locked(byGigOfPayment, createReversal(db)),
    /** Planned → failed. Its tips can be claimed again, and name it until they are. */
    failPayment: locked(byGigOfPayment, createFailure(db)),
    /**
     * Sent → planned, because this transaction did not mark their numbers. Of several with one id the first counts.
     * @returns the ids of those that were sent in this transaction, in their order; the others stay as they are
     */
    replanPayments: locked(byGigsOfPayments, createReplanning(db)),
    ...createWaits(db),
  },
}));
