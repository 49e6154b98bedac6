import { and, eq, or, type SQL, sql } from 'drizzle-orm';
import type { StoreTx } from '../port/index.ts';
import { createClaimLookup } from './claims.ts';
import type { Sql, Tables } from './engine.ts';
import { createPayoutSums } from './gig-payouts.ts';
import { PAYMENT_CONFIRMED, PAYMENT_PLANNED, PAYMENT_SENT } from './payment-tables.ts';
import { areSameNumbers, createNumberLookup, createPaymentRow, type PaymentRow, sortNumbers } from './payments.ts';
import { bound, equals, prepareChange } from './statements.ts';
import { createGigCount } from './tip-numbers.ts';

const placeholder = sql.placeholder;

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
export function transactionOfHash({ tankAttempts }: Tables): SQL {
  return sql`(select ${tankAttempts.transactionId} from ${tankAttempts} where ${tankAttempts.hash} = ${placeholder('hash')})`;
}

/** Keeps a gig's sums; payouts alone count, and only those in the gig's token. */
export function createSumKeeping(db: Sql): Record<'add' | 'takeBack', (row: PaymentRow) => Promise<void>> {
  const { build, prepare, tables } = db;
  const { gigs } = tables;
  const sums = createPayoutSums(db);
  const token = prepare(build.select({ id: gigs.tokenId }).from(gigs).where(equals(gigs.id, 'gigId')));
  const keep = (change: 'add' | 'takeBack') => async (row: PaymentRow) => {
    const { kind, gigId, tokenId, amount, updatedAt } = row;
    if (kind === 'payout' && (await token.get({ gigId }))?.id === tokenId) {
      await sums[change]({ gigId, amount, at: updatedAt });
    }
  };
  return { add: keep('add'), takeBack: keep('takeBack') };
}

/** Counts a payout of lost tips as awarded, or takes that back: what it has moved can be awarded to nobody else. */
export function createStrayCount(db: Sql): (row: PaymentRow, times: 1n | -1n) => Promise<void> {
  // It takes no number.
  const count = createGigCount(db, 0);
  return async ({ kind, gigId, amount }, times) => {
    if (kind === 'payout') await count(gigId, { amount: amount * times, numbers: 0 });
  };
}

/** Planned → failed; its tips can be claimed again. False when it is not planned. */
export function createFailure(db: Sql): StoreTx['failPayment'] {
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
  return async (id, { reason, now }) => {
    if (!(await fail({ id, reason, now }))) return false;
    await release.run({ id });
    return true;
  };
}

function createConfirmation(db: Sql): StoreTx['confirmPayment'] {
  const { build, prepare, tables } = db;
  const { payments, tips } = tables;
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
      transactionId: transactionOfHash(tables),
      hash: bound('hash'),
      blockNumber: bound('blockNumber'),
      gasUsed: sql`${payments.gasUsed} - ${payments.gasReserved} + ${placeholder('gasUsed')}`,
      gasReserved: 0n,
      updatedAt: bound('now'),
    },
    and(isPayment(tables), or(PAYMENT_PLANNED, PAYMENT_SENT)),
  );
  const settle = prepare(
    build
      .update(tips)
      .set({
        status: 'claimed',
        userAddress: bound('recipient'),
        txHash: bound('hash'),
        claimedAt: bound('now'),
        ...noClaim,
      })
      .where(and(ofPayment(tables), eq(tips.status, 'pending'))),
  );
  return async (id, { numbers, ...change }) => {
    const row = await find(id);
    if (row === undefined || (row.state !== 'planned' && row.state !== 'sent')) return false;
    const own = await numbersOf(row);
    if (row.kind !== 'mark' && !areSameNumbers(own, numbers)) {
      throw new RangeError(`payment ${id} pays the numbers ${own.join(', ')}, not ${numbers.join(', ')}`);
    }
    if (!(await confirm({ ...change, id, numbers: sortNumbers(numbers).join() }))) return false;
    const { recipient, hash, now } = change;
    await settle.run({ id, recipient, hash, now });
    await sums.add({ ...row, updatedAt: now });
    return true;
  };
}

function createReversal(db: Sql): StoreTx['unconfirmPayment'] {
  const { build, prepare, tables } = db;
  const { payments, tips } = tables;
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
  return async (id, { reason, now }) => {
    const row = await find(id);
    if (row?.state !== 'confirmed') return false;
    const claim = row.claimId === null ? null : await claimById(row.claimId);
    const isOwed = row.kind !== 'payout' || claim !== null;
    // What the chain paid to another address is owed to the claim's again.
    const recipient = claim?.recipient ?? row.recipient;
    if (!(await undo({ id, reason, recipient, now, state: isOwed ? 'planned' : 'failed' }))) return false;
    const held = { claimNonce: claim?.publicId ?? null, claimStartedAt: claim === null ? null : now };
    const reopened = await reopen.run({ ...held, id, recipient });
    if (reopened === 0) await countStray(row, -1n);
    await sums.takeBack(row);
    return true;
  };
}

/** Changes of what a payment waits for. */
function createWaits(db: Sql): Pick<StoreTx, 'replanPayment' | 'notePayment' | 'noteSent'> {
  const { payments } = db.tables;
  const isSent = and(PAYMENT_SENT, isPayment(db.tables));
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
    isPlanned(db.tables),
  );
  const noteSent = prepareChange(db, payments, { reason: bound('reason'), updatedAt: bound('now') }, isSent);
  return {
    replanPayment: (id, { hasFailed, ...change }) => (hasFailed ? failed : missed)({ ...change, id }),
    notePayment: (id, change) => note({ ...change, id }),
    noteSent: (id, change) => noteSent({ ...change, id }),
  };
}

type PaymentChanges = Pick<
  StoreTx,
  'confirmPayment' | 'unconfirmPayment' | 'failPayment' | 'replanPayment' | 'notePayment' | 'noteSent'
>;

export function createPaymentChanges(db: Sql): PaymentChanges {
  return {
    confirmPayment: createConfirmation(db),
    unconfirmPayment: createReversal(db),
    failPayment: createFailure(db),
    ...createWaits(db),
  };
}
