import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Gig } from '../../src/domain/gig.ts';
import {
  SEEDED_AT,
  sampleAttempt,
  sampleClaim,
  seedAddress,
  seedClaim,
  seedFee,
  seedGig,
  seedHash,
  seedMove,
  seedTips,
} from '../support/store.ts';
import { type Desk, openDesk } from './admin.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const BOB = { platform: 'twitter', platformUserId: '1002' } as const;
const TIME = '2026-01-01T00:00:00.000Z';
const REASON = 'the payment would revert: account is blocked';

let desk: Desk;
let gig: Gig;
beforeEach(async () => {
  desk = await openDesk();
  gig = await seedGig(desk.store, { live: true });
});
afterEach(() => desk.close());

/** A claim of two tips by alice, whose one payout is payment 1. */
async function claimed() {
  await seedTips(desk.store, gig, [ALICE, ALICE]);
  return await seedClaim(desk.store, sampleClaim(ALICE, '0x00000000000000000000000000000000000000c1'));
}

async function fail(id: number): Promise<void> {
  await desk.store.transaction((tx) => tx.failPayment(id, { reason: REASON, now: SEEDED_AT }));
}

async function confirm(id: number): Promise<void> {
  await desk.store.transaction(async (tx) => {
    await tx.markSigned(id, { nonce: 4, attempt: sampleAttempt(0xf1), now: SEEDED_AT });
    const inclusion = { hash: seedHash(0xf1), blockNumber: 77n, gasSpent: 123n };
    await tx.markConfirmed(id, { ...inclusion, now: SEEDED_AT });
  });
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
  sender: '0x0000000000000000000000000000000000000001',
  recipient: '0x000000000000000000000000000000000000cafE',
  nonce: 4,
  hash: seedHash(0xf1),
  block_number: 77,
  gas_spent_wei: '123',
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
    for (let count = 0; count < 3; count += 1) await seedMove(desk.store, gig);
    const ids = async (...options: string[]) =>
      ((await desk.json('payment', 'list', ...options)) as { id: number }[]).map(({ id }) => id);
    expect(await ids('--state', 'failed')).toEqual([1]);
    expect(await ids('--kind', 'gas')).toEqual([4, 3, 2]);
    expect(await ids('--kind', 'gas', '--state', 'failed')).toEqual([]);
    await seedFee(desk.store, await seedGig(desk.store, { live: true }));
    expect(await ids('--gig', '2')).toEqual([5]);
    expect(await ids('--gig', '1', '--kind', 'gas', '--limit', '2')).toEqual([4, 3]);
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

describe('the hash of a payment', () => {
  test('behavior: is that of its newest form while one may land, then that of the one that did', async () => {
    await claimed();
    const hashes = async () => ((await desk.json('payment', 'list')) as { hash: unknown }[]).map(({ hash }) => hash);
    expect(await hashes()).toEqual([null]);
    const change = (run: Parameters<typeof desk.store.transaction<boolean>>[0]) => desk.store.transaction(run);
    await change((tx) => tx.markSigned(1, { nonce: 4, attempt: sampleAttempt(0xf1), now: SEEDED_AT }));
    expect(await hashes()).toEqual([seedHash(0xf1)]);
    await change((tx) => tx.addAttempt(1, { attempt: sampleAttempt(0xf2), now: SEEDED_AT }));
    await change((tx) => tx.markBroadcast(1, SEEDED_AT));
    expect(await hashes()).toEqual([seedHash(0xf2)]);
    expect((await desk.admin(['payment', 'list'])).out).toContain(seedHash(0xf2));
    expect((await desk.admin(['payment', 'show', '1'])).out).toMatch(new RegExp(`^ {2}hash +${seedHash(0xf2)}$`, 'm'));
    const inclusion = { hash: seedHash(0xf1), blockNumber: 77n, gasSpent: 123n };
    await change((tx) => tx.markConfirmed(1, { ...inclusion, now: SEEDED_AT }));
    expect(await hashes()).toEqual([seedHash(0xf1)]);
  });

  test('behavior: is none when its nonce went to somebody else', async () => {
    await seedMove(desk.store, gig);
    await desk.store.transaction(async (tx) => {
      await tx.markSigned(1, { nonce: 4, attempt: sampleAttempt(0xf1), now: SEEDED_AT });
      await tx.planAgain(1, { reason: 'spent', now: SEEDED_AT });
    });
    expect(await desk.json('payment', 'list', '--state', 'replaced')).toMatchObject([{ id: 1, hash: null }]);
  });
});

describe('payment show', () => {
  test('behavior: shows each signed attempt and the tips it pays, and no signed bytes', async () => {
    await claimed();
    await confirm(1);
    expect(await desk.json('payment', 'show', '1')).toEqual({
      ...PAYOUT,
      attempts: [
        {
          hash: seedHash(0xf1),
          gas: 65_000,
          signed_at: TIME,
          max_fee_per_gas_wei: '3000000000',
          max_priority_fee_per_gas_wei: '1000000000',
        },
      ],
      tip_ids: [1, 2],
    });
    const { code, out } = await desk.admin(['payment', 'show', '1']);
    expect(code).toBe(0);
    expect(out).toMatch(/^Payment 1\n/);
    expect(out).toMatch(/^ {2}state +confirmed$/m);
    expect(out).toMatch(/^ {2}amount +2 DEGEN$/m);
    expect(out).toMatch(/^ {2}tips +1, 2$/m);
    expect(out).not.toContain(sampleAttempt(0xf1).raw);
  });

  test('error: a payment that does not exist', async () => {
    const outcome = { code: 1, out: '', err: 'There is no payment 9; see payment list.\n' };
    expect(await desk.admin(['payment', 'show', '9'])).toEqual(outcome);
    expect(await desk.admin(['payment', 'retry', '9'])).toEqual(outcome);
  });
});

describe('payment retry', () => {
  test('behavior: plans a failed payout again for its claim, once', async () => {
    await claimed();
    await fail(1);
    expect(await desk.admin(['payment', 'retry', '1'])).toEqual({
      code: 0,
      err: '',
      out: 'Payment 1 is planned again as payment 2; the running service pays it.\n',
    });
    expect(await desk.store.payment(2)).toMatchObject({
      state: 'planned',
      kind: 'payout',
      claimId: 1,
      amount: 2n * 10n ** 18n,
      recipient: seedAddress(0xcafe),
    });
    expect((await desk.store.tipsOfPayment(2)).map(({ id }) => id)).toEqual([1, 2]);
    expect(await desk.admin(['payment', 'retry', '1'])).toEqual({
      code: 1,
      out: '',
      err: 'Payment 1 has nothing left to pay: its tips were claimed or planned again since.\n',
    });
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
    const { code, err } = await desk.admin(['payment', 'retry', '1']);
    expect([code, err]).toEqual([
      1,
      'Payment 1 has nothing left to pay: its tips were claimed or planned again since.\n',
    ]);
  });

  test('behavior: plans a failed fee again, once, to where fees go now', async () => {
    await seedFee(desk.store, gig);
    await fail(1);
    expect(await desk.admin(['payment', 'retry', '1'], { env: { TREASURY_ADDRESS: seedAddress(0xfee) } })).toEqual({
      code: 0,
      err: '',
      out: 'Payment 1 is planned again as payment 2; the running service pays it.\n',
    });
    expect(await desk.store.payment(2)).toMatchObject({
      state: 'planned',
      kind: 'fee',
      claimId: null,
      recipient: seedAddress(0xfee),
      amount: (await desk.store.payment(1))?.amount,
    });
    const again = await desk.admin(['payment', 'retry', '1']);
    expect([again.code, again.err]).toEqual([
      ...[1, 'Payment 1 has nothing left to pay: its tips were claimed or planned again since.\n'],
    ]);
  });

  test('error: what has not failed is refused', async () => {
    await claimed();
    const refused = await desk.admin(['payment', 'retry', '1']);
    expect([refused.code, refused.err]).toEqual([1, 'Payment 1 is planned; only one that failed can be retried.\n']);
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
    expect(out).toMatch(/^1 +\S+ +farcaster:1001 \(@alice\) +0x00000000 +0x\S+cafE +1 failed$/m);
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
    expect(out).toMatch(/^ {2}payouts +1 paid$/m);
    expect(out).toMatch(/^1 +payout +failed .* the payment would revert: account is blocked$/m);
  });

  test('error: a claim that does not exist, and a list without any', async () => {
    expect(await desk.admin(['claim', 'show', '9'])).toEqual({
      code: 1,
      out: '',
      err: 'There is no claim 9; see claim list.\n',
    });
    expect((await desk.admin(['claim', 'list'])).out).toBe('No claims.\n');
  });
});
