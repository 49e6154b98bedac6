import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { OTHER_NUMBERS } from '../../../src/domain/gigs/tip.ts';
import { confirmPayment, seedMark, seedPayments, sendPayments } from '../../support/payments.ts';
import { gasOfGig, sampleAttempt, sampleClaim, seedFee, seedGig, seedHash, seedTips } from '../../support/store.ts';
import { BROKEN_PAYMENTS } from '../broken.ts';
import { useRawStore } from './raw.ts';

const FID = { platform: 'farcaster', platformUserId: '7' } as const;
const OTHER = { platform: 'farcaster', platformUserId: '8' } as const;
const MADE = 'a payment that is made cannot be deleted';
const SENT = 'a tip of a payment that is sent stays as it is';

describe('payments, in raw SQL', () => {
  /** Payments 1 confirmed with tip 1, 2 sent with tip 2, 3 a planned fee, 4 failed with tip 3, 5 a planned mark. */
  const { store, exec, run } = useRawStore(async (store) => {
    const gig = await seedGig(store, { live: true });
    await seedTips(store, gig, [FID]);
    await seedPayments(store, sampleClaim(FID, 'p'));
    await sendPayments(store, [1]);
    await confirmPayment(store, 1);
    await seedTips(store, gig, [FID]);
    await seedPayments(store, sampleClaim(FID, 'q'));
    await sendPayments(store, [2], { nonce: 1, attempt: sampleAttempt(2) });
    await seedFee(store, gig);
    await seedTips(store, gig, [OTHER]);
    await seedPayments(store, sampleClaim(OTHER, 'r'));
    await store.transaction((tx) => tx.failPayment(4, { reason: 'refused', now: 1 }));
    await seedMark(store, gig);
    await store.transaction((tx) => tx.setChainAnchor(8453, { number: 1n, hash: seedHash(1), at: 1 }));
  });

  test.for([1, 2])('security: payment %i is never deleted, because the chain may have paid it', (id) => {
    exec('update tips set payment_id = null where payment_id = 1');
    expect(run(`delete from payments where id = ${id}`)).toThrow(MADE);
    exec('delete from payments where id = 3');
  });

  test('security: signed bytes never change', () => {
    for (const set of ["raw = '0x02'", 'transaction_id = 2', "gas = '1'", 'hash = hash']) {
      const change = `update tank_attempts set ${set} where transaction_id = 1`;
      expect(run(change), set).toThrow('signed bytes cannot be changed');
    }
  });

  test('security: a tip of a payment that is sent keeps its number and its payment', () => {
    expect(run(`update tips set number = ${OTHER_NUMBERS} where id = 2`)).toThrow(SENT);
    expect(run('update tips set payment_id = null where id = 2')).toThrow(SENT);
    expect(run('update tips set payment_id = 4 where id = 2')).toThrow(SENT);
    exec('update tips set number = number, payment_id = payment_id where id = 2');
    exec(`update tips set number = ${OTHER_NUMBERS}, payment_id = null where id = 3`);
  });

  test('behavior: the gas of a gig and the counts follow statements that no method of the store makes', async () => {
    const gas = async () => (await gasOfGig(store, 1)).gasUsed;
    expect(await gas()).toBe(170n);
    exec('update payments set gas_used = gas_used + 5 where id in (1, 2, 3)');
    await setImmediate();
    // 3 is the fee of the start, which counts against no claim.
    expect(await gas()).toBe(180n);
    exec("update payments set state = 'failed', reason = 'no' where id = 3");
    await setImmediate();
    expect(await store.paymentDepths()).toEqual({ planned: 1, sent: 1, confirmed: 1, failed: 2 });
    exec('delete from payments where id = 5');
    await setImmediate();
    expect(await store.paymentDepths()).toMatchObject({ planned: 0 });
  });

  test.for([
    ...BROKEN_PAYMENTS,
    'update payments set block_number = 1.5 where id = 1',
    'update payments set gas_used = 1.5 where id = 1',
    'update tank_transactions set nonce = 1.5',
    'update tank_transactions set is_over = 2',
    `insert into tank_attempts values (9, '${seedHash(9)}', 1, '0x02', '1e9', '1', '1', 1, null)`,
    'update tokens set allowed = 2',
    // A tip and its payment.
    'update tips set payment_id = 99 where id = 3',
    "update tips set status = 'claimed' where id = 2",
    "update tips set claim_nonce = 'x' where id = 1",
    'update tips set tx_hash = null where id = 1',
    'update tips set claimed_at = null where id = 1',
    "update tips set is_void = 1, voided_at = 1, void_reason = 'x' where id = 3",
    'delete from payments where id = 4',
  ])('error: refuses %s', (statement) => {
    expect(run(statement)).toThrow(/constraint failed/);
  });
});
