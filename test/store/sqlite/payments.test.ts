import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { OTHER_NUMBERS } from '../../../src/domain/gigs/tip.ts';
import { confirmPayment, seedMark, seedPayments, sendPayments } from '../../support/payments.ts';
import { gasOfGig, sampleAttempt, sampleClaim, seedFee, seedGig, seedHash, seedTips } from '../../support/store.ts';
import { useRawStore } from './raw.ts';

const FID = { platform: 'farcaster', platformUserId: '7' } as const;
const OTHER = { platform: 'farcaster', platformUserId: '8' } as const;
const MADE = 'a payment that is made cannot be deleted';
const SENT = 'a tip of a payment that is sent stays as it is';

describe('payments, in raw SQL', () => {
  /** Payments 1 confirmed with tip 1, 2 sent with tip 2, 3 failed with tip 3, 4 a planned fee, 5 a planned mark. */
  const { store, exec, run } = useRawStore(async (store) => {
    const gig = await seedGig(store, { live: true });
    await seedTips(store, gig, [FID]);
    await seedPayments(store, sampleClaim(FID, 'p'));
    await sendPayments(store, [1]);
    await confirmPayment(store, 1);
    await seedTips(store, gig, [FID]);
    await seedPayments(store, sampleClaim(FID, 'q'));
    await sendPayments(store, [2], { nonce: 1, attempt: sampleAttempt(2) });
    await seedTips(store, gig, [OTHER]);
    await seedPayments(store, sampleClaim(OTHER, 'r'));
    await store.transaction((tx) => tx.failPayment(3, { reason: 'refused', now: 1 }));
    await seedFee(store, gig);
    await seedMark(store, gig);
    await store.transaction((tx) => tx.setChainAnchor(8453, { number: 1n, hash: seedHash(1), at: 1 }));
  });

  test.for([1, 2])('security: payment %i is never deleted, because the chain may have paid it', (id) => {
    exec('update tips set payment_id = null where payment_id = 1');
    expect(run(`delete from payments where id = ${id}`)).toThrow(MADE);
    exec('delete from payments where id = 4');
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
    expect(run('update tips set payment_id = 3 where id = 2')).toThrow(SENT);
    exec('update tips set number = number, payment_id = payment_id where id = 2');
    exec(`update tips set number = ${OTHER_NUMBERS}, payment_id = null where id = 3`);
  });

  test('behavior: the gas of a gig and the counts follow statements that no method of the store makes', async () => {
    const gas = async () => (await gasOfGig(store, 1)).gasUsed;
    expect(await gas()).toBe(170n);
    exec('update payments set gas_used = gas_used + 5 where id in (1, 2, 4)');
    await setImmediate();
    // 4 is the fee of the start, which counts against no claim.
    expect(await gas()).toBe(180n);
    exec("update payments set state = 'failed', reason = 'no' where id = 4");
    await setImmediate();
    expect(await store.paymentDepths()).toEqual({ planned: 1, sent: 1, confirmed: 1, failed: 2 });
    exec('delete from payments where id = 5');
    await setImmediate();
    expect(await store.paymentDepths()).toMatchObject({ planned: 0 });
  });

  test.for([
    "update payments set state = 'signed' where id = 4",
    "update payments set kind = 'gas' where id = 4",
    // A state and what belongs to it.
    "update payments set state = 'sent' where id = 4",
    "update payments set state = 'sent', numbers = '1' where id = 4",
    "update payments set state = 'sent', transaction_id = 1 where id = 4",
    "update payments set state = 'confirmed', numbers = '1' where id = 4",
    "update payments set state = 'failed' where id = 4",
    "update payments set state = 'planned' where id = 1",
    "update payments set state = 'planned' where id = 2",
    "update payments set state = 'failed', reason = 'no' where id = 1",
    'update payments set numbers = null where id = 2',
    "update payments set numbers = '1' where id = 3",
    "update payments set numbers = '1' where id = 4",
    'update payments set transaction_id = null where id = 2',
    'update payments set transaction_id = 9 where id = 2',
    `update payments set hash = '${seedHash(4)}', block_number = 1 where id = 2`,
    'update payments set hash = null where id = 1',
    'update payments set block_number = null where id = 1',
    'update payments set hash = null, block_number = null where id = 1',
    'update payments set reason = null where id = 3',
    'update payments set gas_reserved = 1 where id = 4',
    'update payments set gas_reserved = 1 where id = 1',
    'update payments set gas_reserved = 101 where id = 2',
    'update payments set failures = 1 where id = 4',
    'update payments set failed_at = 1 where id = 4',
    'update payments set failures = -1, failed_at = 1 where id = 4',
    // What a payment is for.
    'update payments set claim_id = null where id = 2',
    'update payments set claim_id = 1 where id = 4',
    'update payments set claim_id = 99 where id = 1',
    'update payments set gig_id = 99 where id = 4',
    'update payments set token_id = 99 where id = 4',
    "update payments set kind = 'fee', amount = '1' where id = 5",
    "update payments set kind = 'mark', amount = '0' where id = 4",
    // Shapes.
    "update payments set amount = '1' where id = 5",
    "update payments set amount = '-1' where id = 4",
    "update payments set amount = '' where id = 4",
    "update payments set recipient = '0xabc' where id = 4",
    "update payments set numbers = '' where id = 2",
    "update payments set numbers = ',1' where id = 2",
    "update payments set numbers = '1;2' where id = 2",
    "update payments set hash = '0x03' where id = 1",
    "update payments set block_number = 'x' where id = 1",
    'update payments set block_number = 1.5 where id = 1',
    'update payments set block_number = 9007199254740992 where id = 1',
    'update payments set gas_used = -1 where id = 1',
    'update payments set gas_used = 1.5 where id = 1',
    'update payments set due_at = null where id = 4',
    'update tank_transactions set nonce = -1',
    'update tank_transactions set nonce = 1.5',
    'update tank_transactions set is_over = 2',
    "insert into tank_attempts select 9, hash, transaction_id, raw, '1', '1', '1', 1, null from tank_attempts where transaction_id = 1",
    `insert into tank_attempts values (9, '${seedHash(9)}', 9, '0x02', '1', '1', '1', 1, null)`,
    `insert into tank_attempts values (9, '${seedHash(9)}', 1, '0x2', '1', '1', '1', 1, null)`,
    `insert into tank_attempts values (9, '${seedHash(9)}', 1, '0x02', '1e9', '1', '1', 1, null)`,
    'delete from tank_transactions where id = 1',
    'update chain_anchors set number = -1',
    "update chain_anchors set hash = '0x1'",
    'update gigs set gas_used = -1',
    'update tokens set allowed = 2',
    // Whose claim it is.
    "update claims set platform = 'x'",
    "update claims set recipient = '0xabc'",
    "update claims set platform_user_id = '9'",
    'delete from claims',
    // A tip and its payment.
    'update tips set payment_id = 99 where id = 3',
    "update tips set status = 'claimed' where id = 2",
    "update tips set claim_nonce = 'x' where id = 1",
    'update tips set tx_hash = null where id = 1',
    'update tips set claimed_at = null where id = 1',
    "update tips set is_void = 1, voided_at = 1, void_reason = 'x' where id = 3",
    'delete from payments where id = 3',
  ])('error: refuses %s', (statement) => {
    expect(run(statement)).toThrow(/constraint failed/);
  });
});
