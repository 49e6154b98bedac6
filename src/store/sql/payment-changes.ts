import { and, eq, or, type SQL, sql } from 'drizzle-orm';
import { type Db, prepare, type SyncWrites } from '../sqlite/kit.ts';
import { createClaimLookup } from './claims.ts';
import { createPayoutSums } from './gig-payouts.ts';
import { areSameNumbers, createNumberLookup, createPaymentRow, type PaymentRow, sortNumbers } from './payments.ts';
import { bound, equals, prepareChange } from './statements.ts';
import { gigs, PAYMENT_CONFIRMED, PAYMENT_PLANNED, PAYMENT_SENT, payments, tankAttempts, tips } from './tables.ts';
import { createGigCount } from './tip-numbers.ts';

const placeholder = sql.placeholder;

const isPayment = equals(payments.id, 'id');
const isPlanned = and(PAYMENT_PLANNED, isPayment);
const isSent = and(PAYMENT_SENT, isPayment);
const ofPayment = equals(tips.paymentId, 'id');
const noClaim = { claimNonce: null, claimStartedAt: null, lockTimeout: null };

/** The transaction of the gas tank with this hash; null when another process sent it. */
export const TRANSACTION_OF_HASH = sql`(select ${tankAttempts.transactionId} from ${tankAttempts} where ${tankAttempts.hash} = ${placeholder('hash')})`;

/** Keeps a gig's sums; payouts alone count, and only those in the gig's token. */
export function createSumKeeping(db: Db): Record<'add' | 'takeBack', (row: PaymentRow) => void> {
  const sums = createPayoutSums(db);
  const token = prepare(db, db.select({ id: gigs.tokenId }).from(gigs).where(equals(gigs.id, 'gigId')));
  const keep = (change: 'add' | 'takeBack') => (row: PaymentRow) => {
    const { kind, gigId, tokenId, amount, updatedAt } = row;
    if (kind === 'payout' && token.get({ gigId })?.id === tokenId) sums[change]({ gigId, amount, at: updatedAt });
  };
  return { add: keep('add'), takeBack: keep('takeBack') };
}

/** Counts a payout of lost tips as awarded, or takes that back: what it has moved can be awarded to nobody else. */
export function createStrayCount(db: Db): (row: PaymentRow, times: 1n | -1n) => void {
  // It takes no number.
  const count = createGigCount(db, 0);
  return ({ kind, gigId, amount }, times) => {
    if (kind === 'payout') count(gigId, { amount: amount * times, numbers: 0 });
  };
}

/** Planned → failed; its tips can be claimed again. False when it is not planned. */
export function createFailure(db: Db): SyncWrites['failPayment'] {
  const fail = prepareChange(
    db,
    payments,
    { state: 'failed', reason: bound('reason'), updatedAt: bound('now') },
    isPlanned,
  );
  const release = prepare(
    db,
    db
      .update(tips)
      .set(noClaim)
      .where(and(ofPayment, eq(tips.status, 'pending'))),
  );
  return db.$client.transaction((id, { reason, now }) => {
    if (!fail({ id, reason, now })) return false;
    release.run({ id });
    return true;
  });
}

function createConfirmation(db: Db): SyncWrites['confirmPayment'] {
  const find = createPaymentRow(db);
  const numbersOf = createNumberLookup(db);
  const sums = createSumKeeping(db);
  const confirm = prepareChange(
    db,
    payments,
    {
      state: 'confirmed',
      reason: null,
      recipient: bound('recipient'),
      numbers: bound('numbers'),
      transactionId: TRANSACTION_OF_HASH,
      hash: bound('hash'),
      blockNumber: bound('blockNumber'),
      gasUsed: sql`${payments.gasUsed} - ${payments.gasReserved} + ${placeholder('gasUsed')}`,
      gasReserved: 0n,
      updatedAt: bound('now'),
    },
    and(isPayment, or(PAYMENT_PLANNED, PAYMENT_SENT)),
  );
  const settle = prepare(
    db,
    db
      .update(tips)
      .set({
        status: 'claimed',
        userAddress: bound('recipient'),
        txHash: bound('hash'),
        claimedAt: bound('now'),
        ...noClaim,
      })
      .where(and(ofPayment, eq(tips.status, 'pending'))),
  );
  return db.$client.transaction((id, { numbers, ...change }) => {
    const row = find(id);
    if (row === undefined || (row.state !== 'planned' && row.state !== 'sent')) return false;
    const own = numbersOf(row);
    if (row.kind !== 'mark' && !areSameNumbers(own, numbers)) {
      throw new RangeError(`payment ${id} pays the numbers ${own.join(', ')}, not ${numbers.join(', ')}`);
    }
    if (!confirm({ ...change, id, numbers: sortNumbers(numbers).join() })) return false;
    const { recipient, hash, now } = change;
    settle.run({ id, recipient, hash, now });
    sums.add({ ...row, updatedAt: now });
    return true;
  });
}

function createReversal(db: Db): SyncWrites['unconfirmPayment'] {
  const find = createPaymentRow(db);
  const claimById = createClaimLookup(db);
  const sums = createSumKeeping(db);
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
    and(PAYMENT_CONFIRMED, isPayment),
  );
  const reopen = prepare(
    db,
    db
      .update(tips)
      .set({
        status: 'pending',
        userAddress: bound('recipient'),
        txHash: null,
        claimedAt: null,
        claimNonce: bound('claimNonce'),
        claimStartedAt: bound('claimStartedAt'),
      })
      .where(and(ofPayment, eq(tips.status, 'claimed'))),
  );
  return db.$client.transaction((id, { reason, now }) => {
    const row = find(id);
    if (row?.state !== 'confirmed') return false;
    const claim = row.claimId === null ? null : claimById(row.claimId);
    const isOwed = row.kind !== 'payout' || claim !== null;
    // What the chain paid to another address is owed to the claim's again.
    const recipient = claim?.recipient ?? row.recipient;
    if (!undo({ id, reason, recipient, now, state: isOwed ? 'planned' : 'failed' })) return false;
    const held = { claimNonce: claim?.publicId ?? null, claimStartedAt: claim === null ? null : now };
    const { changes } = reopen.run({ ...held, id, recipient });
    if (changes === 0) countStray(row, -1n);
    sums.takeBack(row);
    return true;
  });
}

/** Changes of what a payment waits for. */
function createWaits(db: Db): Pick<SyncWrites, 'replanPayment' | 'notePayment' | 'noteSent'> {
  const replan = (set: { failures?: SQL; failedAt?: SQL }) =>
    prepareChange(
      db,
      payments,
      {
        ...set,
        state: 'planned',
        reason: bound('reason'),
        numbers: null,
        dueAt: bound('dueAt'),
        gasUsed: sql`${payments.gasUsed} - ${payments.gasReserved} + ${placeholder('gasUsed')}`,
        gasReserved: 0n,
        updatedAt: bound('now'),
      },
      isSent,
    );
  const failed = replan({ failures: sql`${payments.failures} + 1`, failedAt: bound('now') });
  const missed = replan({});
  const note = prepareChange(
    db,
    payments,
    { reason: bound('reason'), dueAt: bound('dueAt'), updatedAt: bound('now') },
    isPlanned,
  );
  const noteSent = prepareChange(db, payments, { reason: bound('reason'), updatedAt: bound('now') }, isSent);
  return {
    replanPayment: (id, { hasFailed, ...change }) => (hasFailed ? failed : missed)({ ...change, id }),
    notePayment: (id, change) => note({ ...change, id }),
    noteSent: (id, change) => noteSent({ ...change, id }),
  };
}

type PaymentChanges = Pick<
  SyncWrites,
  'confirmPayment' | 'unconfirmPayment' | 'failPayment' | 'replanPayment' | 'notePayment' | 'noteSent'
>;

export function createPaymentChanges(db: Db): PaymentChanges {
  return {
    confirmPayment: createConfirmation(db),
    unconfirmPayment: createReversal(db),
    failPayment: createFailure(db),
    ...createWaits(db),
  };
}
