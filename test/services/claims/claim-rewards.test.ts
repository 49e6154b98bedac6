import { beforeEach, describe, expect, test } from 'vitest';
import { payoutsOf } from '../../../src/domain/claims/claim.ts';
import { DomainError, type RefusalCode } from '../../../src/domain/errors.ts';
import type { Address } from '../../../src/domain/gigs/token.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import type { Payment } from '../../../src/domain/payments/payment.ts';
import { claimByUrl, claimRewards } from '../../../src/services/claims/claim-rewards.ts';
import { createClockStatus } from '../../../src/services/operators/clock/clock-status.ts';
import { retryPayment } from '../../../src/services/payments/retry-payment.ts';
import type { TestToken } from '../../support/anvil.ts';
import { firstOf } from '../../support/first-of.ts';
import { perCase } from '../../support/per-case.ts';
import { SEEDED_AT, seedAddress, seedTips } from '../../support/store.ts';
import { ALICE, BOB, BOB_ON_X, openCashier, pendingTips } from '../cashier.ts';
import { fault } from '../fakes.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const VERIFIED = '0x00000000000000000000000000000000000000aa';
const NAMED = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

const cashier = perCase(openCashier);
beforeEach(() => void cashier.verified.set('1001', VERIFIED));

/** A token nobody deployed: what is only claimed never asks the chain. */
function token(number: number): TestToken {
  // Nothing is funded here, so there is no holder.
  return { address: seedAddress(0xc0de00 + number), decimals: 6, name: 'T', symbol: `T${number}` } as TestToken;
}

const gig = (tips: { account: typeof ALICE; amount: bigint }[], number = 1) =>
  cashier.gig({ asset: token(number), tips, funds: 0n });

async function refusal(work: Promise<unknown>): Promise<RefusalCode> {
  const [outcome] = await Promise.allSettled([work]);
  if (outcome.status === 'rejected' && outcome.reason instanceof DomainError) return outcome.reason.refusal.code;
  throw new Error('it was not refused', { cause: outcome });
}

const say = (text: string, account = ALICE) => cashier.claim(cashier.post(account, text));

/** Ends planned payments as the chain's refusal would. */
async function failPayments({ payments }: { payments: readonly Payment[] }) {
  const how = { reason: 'paused', now: cashier.clock() };
  for (const { id } of payments) await cashier.store.transaction((tx) => tx.failPayment(id, how));
}

/** The claims that the tips of an account are in. */
const noncesOf = async (account = ALICE) => (await pendingTips(cashier, account)).map(({ claimNonce }) => claimNonce);

describe('who is paid', () => {
  test('behavior: without an address the verified one of the author, on Farcaster', async () => {
    await gig([{ account: ALICE, amount: 5n }]);
    const { claim } = await say('claim my rewards');
    expect(claim).toMatchObject({ ...ALICE, recipient: VERIFIED, createdAt: SEEDED_AT });
  });

  test('behavior: the address that the post names', async () => {
    await gig([{ account: ALICE, amount: 5n }]);
    expect((await say(`claim my rewards ${NAMED.toUpperCase()}`)).claim.recipient).toBe(NAMED);
  });

  test('error: nobody without an address on X, or without a verified one on Farcaster', async () => {
    await gig([
      { account: BOB, amount: 5n },
      { account: BOB_ON_X, amount: 5n },
    ]);
    expect(await refusal(say('claim my rewards', BOB_ON_X))).toBe('no_address');
    expect(await refusal(say('claim my rewards', BOB))).toBe('no_verified_address');
    const off = { ...cashier.claiming, platforms: new Map() };
    expect(await refusal(claimRewards(off, cashier.post(BOB)))).toBe('no_verified_address');
    expect(await noncesOf(BOB)).toEqual([null]);
  });

  test('security: no wallet, token, contract of the service or address of nobody', async () => {
    const { walletAddress } = await gig([{ account: ALICE, amount: 5n }]);
    const other = await gig([], 2);
    const lost: Address[] = [
      '0x0000000000000000000000000000000000000000',
      '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
      ...[cashier.wallets.gasTankAddress(), walletAddress, other.walletAddress],
      ...[token(1).address, token(2).address],
      // TipPayer, PayBatch and the deployer of both.
      '0x84b0d29f1ae338505ae19f930fc683f8817f3b2e',
      '0x7576471b4734351ee2704cd030bfa82424f6f8d1',
      '0x4e59b44847b379578588920ca78fbf26c0b4956c',
    ];
    for (const address of lost) {
      expect(await refusal(say(`claim my rewards ${address}`))).toBe('invalid_address');
      cashier.verified.set('1001', address);
      expect(await refusal(say('claim my rewards'))).toBe('invalid_address');
    }
    expect(await cashier.store.claims({ limit: 9 })).toEqual([]);
    expect(await pendingTips(cashier, ALICE)).toMatchObject([{ claimNonce: null, userAddress: null }]);
  });

  test('security: the same number on another platform is somebody else', async () => {
    await gig([
      { account: BOB, amount: 5n },
      { account: BOB_ON_X, amount: 7n },
    ]);
    const { payments } = await say(`claim my rewards ${NAMED}`, BOB_ON_X);
    expect(payments.map(({ amount }) => amount)).toEqual([7n]);
    expect(await noncesOf(BOB)).toEqual([null]);
  });
});

describe('what a claim pays', () => {
  test('behavior: one payment for each gig and token, and its tips say so while it runs', async () => {
    const [one, two, three] = [
      await gig([
        { account: ALICE, amount: 5n },
        { account: ALICE, amount: 6n },
        { account: BOB, amount: 100n },
      ]),
      await gig([{ account: ALICE, amount: 7n }]),
      await gig([{ account: ALICE, amount: 8n }], 2),
    ];
    const { payments } = await say('claim my rewards');
    expect(payments.map(({ gigId, token: { symbol }, amount, wallet }) => [gigId, symbol, amount, wallet])).toEqual([
      [one.id, 'T1', 11n, one.walletAddress],
      [two.id, 'T1', 7n, two.walletAddress],
      [three.id, 'T2', 8n, three.walletAddress],
    ]);
    for (const tip of await pendingTips(cashier, ALICE)) {
      expect(tip).toMatchObject({ status: 'pending', claimNonce: 'claim-1', userAddress: VERIFIED });
      expect([tip.claimStartedAt, tip.lockTimeout]).toEqual([SEEDED_AT, SEEDED_AT + HOUR]);
    }
    expect(await noncesOf(BOB)).toEqual([null]);
  });

  test('behavior: more tips of a gig than one payment can hold are paid by several, told as one', async () => {
    const seeded = await gig([{ account: ALICE, amount: 1n }]);
    for (let word = 1; word < 50; word += 1) {
      await cashier.store.transaction((tx) => tx.skipTipNumbers(seeded.id, word * 256));
      await seedTips(cashier.store, seeded, [{ ...ALICE, amount: 1n }]);
    }
    const post = cashier.post(ALICE);
    const status = await cashier.claim(post);
    expect(status.payments.map(({ amount }) => amount)).toEqual([40n, 10n]);
    expect(payoutsOf(status)).toMatchObject([{ outcome: 'pending', payment: { amount: 50n } }]);
    // Both are planned again, by the post or by the operator.
    cashier.advance(1_000);
    await failPayments(status);
    cashier.advance(60_000);
    const again = await cashier.claim(post);
    expect(again.payments.slice(2).map(({ amount }) => amount)).toEqual([40n, 10n]);
    expect(payoutsOf(again)).toMatchObject([{ outcome: 'pending', payment: { amount: 50n } }]);
    cashier.advance(1_000);
    await failPayments({ payments: again.payments.slice(2) });
    const deps = { store: cashier.store, clock: cashier.clock, treasury: null };
    expect(await retryPayment(deps, { paymentId: 4, actor: COMMAND_LINE })).toMatchObject({ id: 5, amount: 40n });
    expect(await retryPayment(deps, { paymentId: 3, actor: COMMAND_LINE })).toBeNull();
    const refused = (id: number, message: string) =>
      expect(retryPayment(deps, { paymentId: id, actor: COMMAND_LINE })).rejects.toMatchObject({
        refusal: { message },
      });
    await refused(5, 'Payment 5 is planned; only one that failed can be retried.');
    await refused(99, 'There is no payment 99; see payment list.');
    const planned = await cashier.store.payments({ state: 'planned', limit: 9 });
    expect(planned.map(({ amount }) => amount)).toEqual([10n, 40n]);
  });

  test('behavior: a tip is in one running claim, and what is earned meanwhile in the next post’s', async () => {
    const seeded = await gig([{ account: ALICE, amount: 5n }]);
    await say('claim my rewards');
    expect(await refusal(say(`claim my rewards ${NAMED}`))).toBe('no_tips');
    await seedTips(cashier.store, seeded, [{ ...ALICE, amount: 9n }]);
    const { payments } = await say(`claim my rewards ${NAMED}`);
    expect(payments.map(({ amount, recipient }) => [amount, recipient])).toEqual([[9n, NAMED]]);
    expect(await noncesOf()).toEqual(['claim-1', 'claim-3']);
  });

  test('security: a post is one claim for ever, whatever it says later and whoever sends it', async () => {
    const seeded = await gig([{ account: ALICE, amount: 5n }]);
    const post = cashier.post(ALICE);
    const first = await cashier.claim(post);
    await seedTips(cashier.store, seeded, [{ ...ALICE, amount: 9n }]);
    cashier.advance(30 * DAY);
    expect(await cashier.claim({ ...post, text: `claim my rewards ${NAMED}` })).toEqual(first);
    expect(await cashier.claim({ ...post, text: 'never mind' })).toEqual(first);
  });

  test('security: a post that found nothing pays nothing later either', async () => {
    const seeded = await gig([]);
    const post = cashier.post(ALICE);
    expect(await refusal(cashier.claim(post))).toBe('no_tips');
    await seedTips(cashier.store, seeded, [ALICE]);
    expect(await refusal(cashier.claim(post))).toBe('no_tips');
    expect(await noncesOf()).toEqual([null]);
    expect((await say('claim my rewards')).payments).toHaveLength(1);
  });

  test('behavior: of a hundred at once, by two posts, one claim takes the tips', async () => {
    await gig([{ account: ALICE, amount: 5n }]);
    const [one, two] = [cashier.post(ALICE), cashier.post(ALICE, `claim my rewards ${NAMED}`)];
    const work = Array.from({ length: 100 }, (_, index) => cashier.claim(index % 3 === 0 ? two : one));
    const won = (await Promise.allSettled(work)).filter((result) => result.status === 'fulfilled');
    expect(new Set(won.map(({ value }) => value.claim.id)).size).toBe(1);
    expect(await cashier.payments('payout')).toHaveLength(1);
  });
});

describe('when a claim is too late', () => {
  test('error: a post that is older than a day when it is first seen', async () => {
    await gig([{ account: ALICE, amount: 5n }]);
    const postedAt = cashier.clock() - DAY;
    expect(await refusal(cashier.claim(cashier.post(ALICE, undefined, { postedAt: postedAt - 1 })))).toBe(
      'post_too_old',
    );
    expect((await cashier.claim(cashier.post(ALICE, undefined, { postedAt }))).payments).toHaveLength(1);
  });

  test('behavior: a mention that came in time is not too old because its answer took long', async () => {
    await gig([{ account: ALICE, amount: 5n }]);
    const post = cashier.post(ALICE, undefined, { seenAt: cashier.clock() + HOUR });
    cashier.advance(2 * DAY);
    expect((await cashier.claim(post)).payments).toHaveLength(1);
  });
});

describe('what failed', () => {
  test('behavior: asking again plans it again, alone, and only once', async () => {
    await gig([{ account: ALICE, amount: 5n }]);
    await gig([{ account: ALICE, amount: 7n }], 2);
    const post = cashier.post(ALICE);
    await failPayments({ payments: (await cashier.claim(post)).payments.slice(0, 1) });
    const freed = (await pendingTips(cashier, ALICE)).map(({ claimNonce, lockTimeout }) => [claimNonce, lockTimeout]);
    expect(freed).toEqual([
      [null, null],
      ['claim-1', SEEDED_AT + HOUR],
    ]);
    expect((await cashier.claim({ ...post, retry: false })).payments).toHaveLength(2);
    const again = await Promise.all(Array.from({ length: 10 }, () => cashier.claim(post)));
    for (const { payments } of again) expect(payments.map(({ amount }) => amount)).toEqual([5n, 7n, 5n]);
    expect(await noncesOf()).toEqual(['claim-1', 'claim-1']);
  });

  test('security: the operator plans one of them again, and nothing of another gig', async () => {
    await gig([{ account: ALICE, amount: 5n }]);
    await gig([{ account: ALICE, amount: 7n }]);
    const status = await say('claim my rewards');
    await failPayments(status);
    const deps = { store: cashier.store, clock: cashier.clock, treasury: null };
    await retryPayment(deps, { paymentId: firstOf(status.payments).id, actor: COMMAND_LINE });
    expect((await cashier.status(status)).payments.map(({ amount }) => amount)).toEqual([5n, 7n, 5n]);
  });

  test('behavior: the URL of a post that has claimed plans it again, also on X and when the post is gone', async () => {
    await gig([{ account: BOB_ON_X, amount: 7n }]);
    await failPayments(await cashier.claim(cashier.post(BOB_ON_X, `claim my rewards ${NAMED}`, { postId: '2001' })));
    const deps = { ...cashier.claiming, clocks: createClockStatus({ clock: cashier.clock }) };
    const again = await claimByUrl(deps, { url: 'https://x.com/bob/status/2001' });
    expect(again.payments.map(({ state, recipient }) => [state, recipient])).toEqual([
      ['failed', NAMED],
      ['planned', NAMED],
    ]);
    const retries = (await cashier.store.auditEvents({ limit: 9 })).filter(({ action }) => action === 'claim.retry');
    expect(retries.map(({ subjectId }) => subjectId)).toEqual([String(again.claim.id)]);
  });

  test('security: tips that another post has claimed since are not taken back', async () => {
    await gig([{ account: ALICE, amount: 5n }]);
    const post = cashier.post(ALICE);
    const first = await cashier.claim(post);
    await failPayments(first);
    const second = await say(`claim my rewards ${NAMED}`);
    expect((await cashier.claim(post)).payments.map(({ state }) => state)).toEqual(['failed']);
    expect((await cashier.status(second)).payments.map(({ state }) => state)).toEqual(['planned']);
    await failPayments(second);
    expect((await cashier.claim(post)).payments).toHaveLength(1);
  });
});

describe('what stands in the way', () => {
  test('error: no mnemonic', async () => {
    await gig([{ account: ALICE, amount: 5n }]);
    const off = { ...cashier.claiming, wallets: null, clocks: createClockStatus({ clock: cashier.clock }) };
    expect(await refusal(claimRewards(off, cashier.post(ALICE)))).toBe('wallets_off');
    expect(await cashier.store.claims({ limit: 9 })).toEqual([]);
    await gig([{ account: BOB_ON_X, amount: 5n }]);
    await cashier.claim(cashier.post(BOB_ON_X, `claim my rewards ${NAMED}`, { postId: '2001' }));
    expect(await refusal(claimByUrl(off, { url: 'https://x.com/bob/status/2001' }))).toBe('wallets_off');
  });

  test('error: a platform that does not tell the author’s address leaves everything as it was', async () => {
    await gig([{ account: ALICE, amount: 5n }]);
    const network = cashier.platforms.get('farcaster');
    if (network === undefined) throw new Error('Farcaster is off');
    const failing = { ...network, payoutAddresses: () => Promise.reject(fault('timeout', 'safe')) };
    const deps = { ...cashier.claiming, platforms: new Map([['farcaster' as const, failing]]) };
    const post = cashier.post(ALICE);
    await expect(claimRewards(deps, post)).rejects.toMatchObject({ name: 'AdapterError', reason: 'timeout' });
    expect(await cashier.store.claims({ limit: 9 })).toEqual([]);
    expect((await cashier.claim(post)).payments).toHaveLength(1);
  });
});
