import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { AccountKey } from '../../../src/domain/account.ts';
import type { ClaimStatus } from '../../../src/domain/claim.ts';
import { deployToken, freshAddress, type TestToken } from '../../support/anvil.ts';
import { deployOdd, setting } from '../../support/odd-tokens.ts';
import { ALICE, BOB, type Cashier, openCashier, pendingTips } from '../cashier.ts';

let cashier: Cashier;
beforeEach(async () => {
  cashier = await openCashier();
  await cashier.fundTank(10n ** 18n);
});
afterEach(() => cashier.close());

/** A claim by an account to an address that nobody has used. */
async function claim(account: AccountKey) {
  const recipient = freshAddress();
  const post = cashier.post(account, `claim my rewards ${recipient}`);
  return { recipient, post, claimed: await cashier.claim(post) };
}

const outcomes = async (claimed: ClaimStatus) =>
  (await cashier.status(claimed)).transfers.map(({ amount, state, reason }) => [amount, state, reason]);

describe('a payment', () => {
  test.each([
    { decimals: 0, amounts: [1n, 41n], sum: 42n },
    { decimals: 6, amounts: [1_500_000n, 1n], sum: 1_500_001n },
    {
      decimals: 18,
      amounts: [12_345_678_901_234_567_890_123n, 10n ** 30n],
      sum: 1_000_000_012_345_678_901_234_567_890_123n,
    },
  ])(
    'behavior: of a token with $decimals decimals moves its tips to the base unit',
    async ({ decimals, amounts, sum }) => {
      const asset = await deployToken({ decimals });
      const gig = await cashier.gig({
        asset,
        reward: sum + 5n,
        fee: 2n,
        tips: [...amounts.map((amount) => ({ account: ALICE, amount })), { account: BOB, amount: 5n }],
      });
      const { recipient, claimed } = await claim(ALICE);
      await cashier.settle();
      expect(await cashier.held(asset, recipient)).toBe(sum);
      expect(await cashier.held(asset, gig.walletAddress)).toBe(7n);
      const [transfer] = (await cashier.status(claimed)).transfers;
      expect(transfer).toMatchObject({ state: 'confirmed', amount: sum, nonce: 0, reason: null });
      expect(await pendingTips(cashier, ALICE)).toEqual([]);
      expect(await cashier.store.tipsOfTransfer(transfer?.id ?? 0)).toMatchObject(
        amounts.map((amount) => ({ amount, status: 'claimed', txHash: transfer?.hash, claimNonce: null })),
      );
    },
  );

  test('behavior: asked for again when it is made, is not made again', async () => {
    const asset = await deployToken({ decimals: 6 });
    await cashier.gig({ asset, tips: [{ account: ALICE, amount: 5n }] });
    const { recipient, post, claimed } = await claim(ALICE);
    await cashier.settle();
    const before = await cashier.status(claimed);
    expect(await cashier.claim(post)).toEqual(before);
    await cashier.settle();
    expect(await cashier.held(asset, recipient)).toBe(5n);
  });

  test('behavior: of one claim from several gigs is made from each of their wallets', async () => {
    const [usdc, degen] = [await deployToken({ decimals: 6 }), await deployToken({ decimals: 18 })];
    await cashier.gig({ asset: usdc, tips: [{ account: ALICE, amount: 5n }] });
    await cashier.gig({ asset: usdc, tips: [{ account: ALICE, amount: 7n }] });
    await cashier.gig({ asset: degen, tips: [{ account: ALICE, amount: 9n }] });
    const { recipient, claimed } = await claim(ALICE);
    await cashier.settle();
    expect(await cashier.held(usdc, recipient)).toBe(12n);
    expect(await cashier.held(degen, recipient)).toBe(9n);
    expect((await outcomes(claimed)).map(([, state]) => state)).toEqual(['confirmed', 'confirmed', 'confirmed']);
  });
});

describe('an odd token', () => {
  test('error: that refuses one recipient fails that payment alone, and it can be claimed elsewhere', async () => {
    const asset = await deployOdd('BlockingToken');
    const other = await deployToken({ decimals: 6 });
    const tips = [ALICE, BOB].map((account) => ({ account, amount: 5n }));
    await cashier.gig({ asset, tips });
    await cashier.gig({ asset: other, tips });
    const alice = await claim(ALICE);
    const bob = await claim(BOB);
    await asset.change(setting.blocked(alice.recipient, true));
    await cashier.settle();
    expect(await outcomes(alice.claimed)).toEqual([
      [5n, 'failed', expect.stringMatching(/^the transfer would revert: recipient is blocked/)],
      [5n, 'confirmed', null],
    ]);
    expect((await outcomes(bob.claimed)).map(([, state]) => state)).toEqual(['confirmed', 'confirmed']);
    expect(await cashier.held(asset, bob.recipient)).toBe(5n);
    expect(await cashier.held(other, alice.recipient)).toBe(5n);
    expect(await pendingTips(cashier, ALICE)).toMatchObject([{ amount: 5n, claimNonce: null, lockTimeout: null }]);

    const elsewhere = await claim(ALICE);
    await cashier.settle();
    expect(await cashier.held(asset, elsewhere.recipient)).toBe(5n);
    expect(await outcomes(elsewhere.claimed)).toEqual([[5n, 'confirmed', null]]);
  });

  test('behavior: a payment that failed is made when its post is sent again and the token lets it', async () => {
    const asset = await deployOdd('BlockingToken');
    await cashier.gig({ asset, tips: [{ account: ALICE, amount: 5n }] });
    const { recipient, post } = await claim(ALICE);
    await asset.change(setting.blocked(recipient, true));
    await cashier.settle();
    await cashier.claim(post);
    await cashier.settle();
    await asset.change(setting.blocked(recipient, false));
    // Whoever asks again and again does not make more of it.
    expect((await cashier.claim(post)).transfers).toHaveLength(2);
    cashier.advance(30_000);
    const last = await cashier.claim(post);
    await cashier.settle();
    expect((await outcomes(last)).map(([, state]) => state)).toEqual(['failed', 'failed', 'confirmed']);
    expect(await cashier.held(asset, recipient)).toBe(5n);
  });

  test('error: that is blocked after it was signed costs its gas and leaves its tips free', async () => {
    const asset = await deployOdd('BlockingToken');
    const recipient = freshAddress();
    let sent = 0;
    const late = await openCashier({
      wrap: (writer) => ({
        ...writer,
        broadcast: async (raw) => {
          sent += 1;
          // The first one is the top-up.
          if (sent === 2) await asset.change(setting.blocked(recipient, true));
          await writer.broadcast(raw);
        },
      }),
    });
    onTestFinished(late.close);
    await late.fundTank(10n ** 18n);
    await late.gig({ asset, tips: [{ account: ALICE, amount: 5n }] });
    const claimed = await late.claim(late.post(ALICE, `claim my rewards ${recipient}`));
    await late.settle();
    const [transfer] = (await late.status(claimed)).transfers;
    expect(transfer).toMatchObject({ state: 'failed', nonce: 0, hash: transfer?.attempts[0]?.hash });
    expect(transfer?.gasSpent).toBeGreaterThan(0n);
    expect(await pendingTips(late, ALICE)).toMatchObject([{ claimNonce: null }]);
    const elsewhere = freshAddress();
    const again = await late.claim(late.post(ALICE, `claim my rewards ${elsewhere}`));
    await late.settle();
    expect((await late.status(again)).transfers).toMatchObject([{ state: 'confirmed', nonce: 1 }]);
    expect(await late.held(asset, elsewhere)).toBe(5n);
  });

  test('error: that answers false is not paid', async () => {
    const asset = await deployOdd('FalseToken');
    await cashier.gig({ asset, tips: [{ account: ALICE, amount: 5n }] });
    const { recipient, claimed } = await claim(ALICE);
    await asset.change(setting.paused);
    await cashier.settle();
    expect(await outcomes(claimed)).toEqual([[5n, 'failed', 'the token answers that the transfer fails']]);
    expect(await cashier.held(asset, recipient)).toBe(0n);
  });

  test('behavior: that answers nothing, as USDT does, is paid', async () => {
    const asset = await deployOdd('SilentToken');
    await cashier.gig({ asset, tips: [{ account: ALICE, amount: 5n }] });
    const { recipient, claimed } = await claim(ALICE);
    await cashier.settle();
    expect(await outcomes(claimed)).toEqual([[5n, 'confirmed', null]]);
    expect(await cashier.held(asset, recipient)).toBe(5n);
  });

  test('behavior: that keeps a fee is paid, its fee at the cost of the recipient', async () => {
    const asset = await deployOdd('FeeToken');
    const gig = await cashier.gig({
      asset,
      reward: 100n,
      tips: [ALICE, BOB].map((account) => ({ account, amount: 50n })),
    });
    await asset.change(setting.charging);
    const [alice, bob] = [await claim(ALICE), await claim(BOB)];
    await cashier.settle();
    for (const { recipient, claimed } of [alice, bob]) {
      expect(await outcomes(claimed)).toEqual([[50n, 'confirmed', null]]);
      expect(await cashier.held(asset, recipient)).toBe(45n);
    }
    expect(await cashier.held(asset, gig.walletAddress)).toBe(0n);
  });

  test('error: that moves nothing although it says so stops its gig', async () => {
    const asset = await deployOdd('MuteToken');
    const gig = await cashier.gig({ asset, tips: [ALICE, BOB].map((account) => ({ account, amount: 5n })) });
    await asset.change(setting.muted);
    const [alice, bob] = [await claim(ALICE), await claim(BOB)];
    while ((await cashier.status(alice.claimed)).transfers[0]?.state !== 'failed') await cashier.look();
    await cashier.look();
    expect(await cashier.store.gigFreeze(gig.id)).toMatch(/does not say that anything moved/);
    const [event] = await cashier.store.auditEvents({ limit: 1, gigId: gig.id });
    expect(event).toMatchObject({ action: 'gig.freeze', actor: 'job', actorName: 'payments', requestId: null });
    expect(event?.detail).toContain('does not say that anything moved');
    expect(await outcomes(bob.claimed)).toEqual([[5n, 'planned', expect.stringMatching(/^the gig is frozen: /)]]);
  });
});

test('error: a wallet without its tokens fails its own payments, and no other', async () => {
  const asset: TestToken = await deployToken({ decimals: 6 });
  await cashier.gig({ asset, funds: 0n, tips: [{ account: ALICE, amount: 5n }] });
  await cashier.gig({ asset, tips: [{ account: ALICE, amount: 7n }] });
  const { recipient, claimed } = await claim(ALICE);
  await cashier.settle();
  expect((await outcomes(claimed)).map(([, state]) => state)).toEqual(['failed', 'confirmed']);
  expect(await cashier.held(asset, recipient)).toBe(7n);
});
