import { beforeEach, describe, expect, test } from 'vitest';
import type { Gig } from '../../src/domain/gigs/gig.ts';
import {
  SEEDED_AT,
  sampleAttempt,
  sampleClaim,
  seedAddress,
  seedClaim,
  seedConfirmed,
  seedFee,
  seedGig,
  seedHash,
  seedSent,
  seedTips,
} from '../support/store.ts';
import { desk, output, refusal, useDesk } from './admin.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const BOB = { platform: 'twitter', platformUserId: '1002' } as const;
const TIME = '2026-01-01T00:00:00.000Z';
const REASON = 'the transfer of token 0x12 would fail: account is blocked';

let gig: Gig;
useDesk();
beforeEach(async () => {
  gig = await seedGig(desk.store, { live: true });
});

/** A claim of two tips by alice, whose one payout is payment 1. */
async function claimed() {
  await seedTips(desk.store, gig, [ALICE, ALICE]);
  return await seedClaim(desk.store, sampleClaim(ALICE, '0x00000000000000000000000000000000000000c1'));
}

async function fail(id: number): Promise<void> {
  await desk.store.transaction((tx) => tx.failPayment(id, { reason: REASON, now: SEEDED_AT }));
}

/** Sends a payment and confirms it. */
async function confirm(id: number): Promise<void> {
  await seedSent(desk.store, [id], { nonce: 4, attempt: sampleAttempt(0xf1) });
  await seedConfirmed(desk.store, id, { hash: seedHash(0xf1), blockNumber: 77n, gasUsed: 61_000n });
}

const PAYOUT = {
  id: 1,
  kind: 'payout',
  state: 'confirmed',
  gig_id: 1,
  claim_id: 1,
  chain: 'base',
  amount: '2',
  token: { symbol: 'DEGEN', address: '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed', decimals: 18 },
  wallet: '0x0000000000000000000000000000000000000001',
  recipient: '0x000000000000000000000000000000000000cafE',
  hash: seedHash(0xf1),
  block_number: 77,
  gas_used: 61_000,
  failures: 0,
  reason: null,
  created_at: TIME,
  updated_at: TIME,
};

describe('payment list', () => {
  test('behavior: shows payments with their state, the newest first', async () => {
    await claimed();
    await confirm(1);
    await seedFee(desk.store, gig);
    const items = (await desk.json('payment', 'list')) as object[];
    expect(items).toMatchObject([{ id: 2, kind: 'fee', state: 'planned', claim_id: null, amount: '5' }, {}]);
    expect(items[1]).toEqual(PAYOUT);
    const { out } = await desk.admin(['payment', 'list']);
    expect(out.split('\n').map((line) => line.split(/ {2,}/).slice(0, 7).join('|'))).toEqual([
      'id|kind|state|gig|claim|amount|chain',
      '2|fee|planned|1|-|5 DEGEN|base',
      '1|payout|confirmed|1|1|2 DEGEN|base',
      '',
    ]);
  });

  test('behavior: is narrowed by state and kind, and goes page by page', async () => {
    await claimed();
    await fail(1);
    for (let count = 0; count < 3; count += 1) {
      await seedFee(desk.store, gig);
      if (count < 2) await fail(2 + count);
    }
    const ids = (...options: string[]) => desk.column('id', 'payment', 'list', ...options);
    expect(await ids('--state', 'failed')).toEqual([3, 2, 1]);
    expect(await ids('--kind', 'fee')).toEqual([4, 3, 2]);
    expect(await ids('--kind', 'mark', '--state', 'failed')).toEqual([]);
    await seedFee(desk.store, await seedGig(desk.store, { live: true }));
    expect(await ids('--gig', '2')).toEqual([5]);
    expect(await ids('--gig', '1', '--kind', 'fee', '--limit', '2')).toEqual([4, 3]);
    expect(await ids('--limit', '2', '--before', '5')).toEqual([4, 3]);
    expect(await ids('--limit', '2', '--before', '3')).toEqual([2, 1]);
    expect((await desk.admin(['payment', 'list', '--gig', '9'])).out).toBe('No payments found.\n');
  });
});

describe('tip show', () => {
  const claimLine = async (id: string) => /^ {2}claim +(.*)$/m.exec((await desk.admin(['tip', 'show', id])).out)?.[1];

  test('behavior: a tip names the claim that pays it, also once it is paid', async () => {
    await claimed();
    await seedTips(desk.store, gig, [ALICE]);
    expect(await desk.json('tip', 'show', '2')).toMatchObject({
      status: 'pending',
      claim_id: 1,
      claim_nonce: expect.any(String),
    });
    await confirm(1);
    expect(await desk.json('tip', 'show', '2')).toMatchObject({ status: 'claimed', claim_id: 1, claim_nonce: null });
    expect(await claimLine('2')).toBe('1');
    expect(await desk.json('tip', 'show', '3')).toMatchObject({ status: 'pending', claim_id: null, claim_nonce: null });
    expect(await claimLine('3')).toBe('none');
  });
});

describe('payment show', () => {
  test('behavior: shows the tips that it pays, their numbers, and the transaction with each attempt, but no signed bytes', async () => {
    await claimed();
    await confirm(1);
    const attempt = {
      gas: 65_000,
      signed_at: TIME,
      max_fee_per_gas_wei: '3000000000',
      max_priority_fee_per_gas_wei: '1000000000',
    };
    expect(await desk.json('payment', 'show', '1')).toEqual({
      ...PAYOUT,
      numbers: ['0', '1'],
      transaction: {
        id: 1,
        nonce: 4,
        is_over: false,
        broadcast_at: null,
        attempts: [{ ...attempt, hash: seedHash(0xf1) }],
      },
      tip_ids: [1, 2],
    });
    const out = await output(desk.admin(['payment', 'show', '1']));
    expect(out).toMatch(/^Payment 1\n/);
    expect(out).toMatch(/^ {2}state +confirmed$/m);
    expect(out).toMatch(/^ {2}for +gig 1, claim 1$/m);
    expect(out).toMatch(new RegExp(`^ {2}signed 1 +${seedHash(0xf1)} at ${TIME}$`, 'm'));
    expect(out).toMatch(/^ {2}amount +2 DEGEN$/m);
    expect(out).toMatch(/^ {2}transaction +1 of the gas tank \(nonce 4\): under way$/m);
    expect(out).toMatch(/^ {2}tips +1, 2$/m);
    expect(out).toMatch(/^ {2}numbers +0, 1$/m);
    expect(out).not.toContain(sampleAttempt(0xf1).raw);
  });

  test('behavior: of a planned payment there is no transaction, and a fee has a number of its own', async () => {
    await seedFee(desk.store, gig);
    expect(await desk.json('payment', 'show', '1')).toMatchObject({
      state: 'planned',
      hash: null,
      numbers: [String(2n ** 255n)],
      transaction: null,
      tip_ids: [],
    });
    const { out } = await desk.admin(['payment', 'show', '1']);
    expect(out).toMatch(/^ {2}numbers +the fee$/m);
    expect(out).not.toContain('transaction');
  });

  test('error: a payment that does not exist', async () => {
    const outcome = { code: 1, out: '', err: 'There is no payment 9; see payment list.\n' };
    expect(await desk.admin(['payment', 'show', '9'])).toEqual(outcome);
    expect(await desk.admin(['payment', 'retry', '9'])).toEqual(outcome);
  });
});

test('error: payment anchor moves nothing where the ledger counts on no block', async () => {
  const env = { GIG_WALLET_MNEMONIC: 'test test test test test test test test test test test junk' };
  expect(await refusal(desk.admin(['payment', 'anchor', 'anvil', '--to', '1'], { env }))).toBe(
    '--to must be below the block of Anvil on which the ledger counts: that is none.\n',
  );
});

describe('payment retry', () => {
  test('behavior: plans a failed payout again for its claim, once', async () => {
    await claimed();
    await fail(1);
    expect(await output(desk.admin(['payment', 'retry', '1']))).toBe(
      'Payment 1 is planned again as payment 2; the running service pays it.\n',
    );
    expect(await desk.store.payment(2)).toMatchObject({
      state: 'planned',
      kind: 'payout',
      claimId: 1,
      amount: 2n * 10n ** 18n,
      recipient: seedAddress(0xcafe),
    });
    expect((await desk.store.tipsOfPayment(2)).map(({ id }) => id)).toEqual([1, 2]);
    expect(await refusal(desk.admin(['payment', 'retry', '1']))).toBe(
      'Payment 1 has nothing left to pay: its tips were claimed or planned again since.\n',
    );
    expect(await desk.json('payment', 'list')).toHaveLength(2);
  });

  test('behavior: says when the gig is frozen', async () => {
    await claimed();
    await fail(1);
    await desk.store.transaction((tx) => tx.freezeGig(1, { reason: 'it does not add up', now: SEEDED_AT }));
    const { out } = await desk.admin(['payment', 'retry', '1']);
    expect(out.split('\n')[1]).toBe('It waits while gig 1 is frozen: it does not add up');
  });

  test('error: pays nothing that somebody claimed since', async () => {
    await claimed();
    await fail(1);
    const again = await seedClaim(desk.store, sampleClaim(ALICE, '0x00000000000000000000000000000000000000c2'));
    expect(again.tips).toHaveLength(2);
    expect(await refusal(desk.admin(['payment', 'retry', '1']))).toBe(
      'Payment 1 has nothing left to pay: its tips were claimed or planned again since.\n',
    );
  });

  test('behavior: plans a failed fee again, once, to where fees go now', async () => {
    await seedFee(desk.store, gig);
    await fail(1);
    expect(await output(desk.admin(['payment', 'retry', '1'], { env: { TREASURY_ADDRESS: seedAddress(0xfee) } }))).toBe(
      'Payment 1 is planned again as payment 2; the running service pays it.\n',
    );
    expect(await desk.store.payment(2)).toMatchObject({
      state: 'planned',
      kind: 'fee',
      claimId: null,
      recipient: seedAddress(0xfee),
      amount: (await desk.store.payment(1))?.amount,
    });
    expect(await refusal(desk.admin(['payment', 'retry', '1']))).toBe(
      'Payment 1 has nothing left to pay: the fee of gig 1 was paid or planned again since.\n',
    );
  });

  test('error: what has not failed is refused', async () => {
    await claimed();
    expect(await refusal(desk.admin(['payment', 'retry', '1']))).toBe(
      'Payment 1 is planned; only one that failed can be retried.\n',
    );
  });
});

describe('claim', () => {
  const ITEM = {
    id: 1,
    claim_nonce: 'claim-0x00000000000000000000000000000000000000c1',
    platform: 'farcaster',
    platform_user_id: '1001',
    username: 'alice',
    post_id: '0x00000000000000000000000000000000000000c1',
    source: 'mention',
    recipient: '0x000000000000000000000000000000000000cafE',
    created_at: TIME,
  };

  test('behavior: list shows who asked, the newest first, with what became of it', async () => {
    await claimed();
    await desk.store.transaction((tx) => tx.setUsername({ ...ALICE, username: 'alice' }, SEEDED_AT));
    await fail(1);
    await seedClaim(desk.store, sampleClaim(BOB, '2000001'));
    const items = (await desk.json('claim', 'list')) as object[];
    expect(items).toMatchObject([{ id: 2, payouts: { success: 0, pending: 0, failed: 0 } }, {}]);
    expect(items[1]).toEqual({ ...ITEM, payouts: { success: 0, pending: 0, failed: 1 } });
    const { out } = await desk.admin(['claim', 'list']);
    expect(out).toMatch(/^2 +\S+ +twitter:1002 +2000001 +0x\S+cafE +nothing to pay$/m);
    expect(out).toMatch(/^1 +\S+ +farcaster:1001 \(@alice\) +0x00000000 +0x\S+cafE +2 DEGEN \(failed\)$/m);
    expect(await desk.json('claim', 'list', '--limit', '1', '--before', '2')).toMatchObject([{ id: 1 }]);
  });

  test('behavior: show adds every payment that was planned for it', async () => {
    await claimed();
    await desk.store.transaction((tx) => tx.setUsername({ ...ALICE, username: 'alice' }, SEEDED_AT));
    await fail(1);
    await desk.admin(['payment', 'retry', '1']);
    await confirm(2);
    expect(await desk.json('claim', 'show', '1')).toEqual({
      ...ITEM,
      payouts: { success: 1, pending: 0, failed: 0 },
      payments: [expect.objectContaining({ id: 1, state: 'failed', reason: REASON }), { ...PAYOUT, id: 2 }],
    });
    const { out } = await desk.admin(['claim', 'show', '1']);
    expect(out).toMatch(/^Claim 1\n {2}account +farcaster:1001 \(@alice\)$/m);
    expect(out).toMatch(/^ {2}payouts +2 DEGEN$/m);
    expect(out).toMatch(/^ {2}source +mention$/m);
    expect(out).toMatch(/^1 +payout +failed .* the transfer of token 0x12 would fail: account is blocked$/m);
  });

  test('behavior: a claim by a tap on a card is shown as such', async () => {
    await seedTips(desk.store, gig, [ALICE]);
    const postId = `snap:${'ab'.repeat(16)}`;
    await seedClaim(desk.store, {
      ...sampleClaim(ALICE, '0x00000000000000000000000000000000000000c1'),
      postId,
      source: 'snap',
    });
    expect(await desk.json('claim', 'show', '1')).toMatchObject({ post_id: postId, source: 'snap' });
    const { out } = await desk.admin(['claim', 'show', '1']);
    expect(out).toContain(postId);
    expect(out).toMatch(/^ {2}source +snap$/m);
  });

  test('error: a claim that does not exist, and a list without any', async () => {
    expect(await refusal(desk.admin(['claim', 'show', '9']))).toBe('There is no claim 9; see claim list.\n');
    expect((await desk.admin(['claim', 'list'])).out).toBe('No claims.\n');
  });
});
