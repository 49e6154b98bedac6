import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AccountKey } from '../../../src/domain/account.ts';
import { deployToken, freshAddress, type TestToken } from '../../support/anvil.ts';
import { stepPayments } from '../../support/steps.ts';
import { ALICE, BOB_ON_X, type Cashier, openCashier } from '../cashier.ts';

let cashier: Cashier;
let asset: TestToken;
beforeEach(async () => {
  cashier = await openCashier();
  asset = await deployToken({ decimals: 6 });
  await cashier.fundTank(10n ** 18n);
});
afterEach(() => cashier.close());

test('behavior: a hundred accounts of one gig that claim at once are each paid once', async () => {
  const crowd = Array.from({ length: 100 }, (_, index) => ({
    account: { platform: 'farcaster', platformUserId: String(5_000 + index) } satisfies AccountKey,
    amount: 100n + BigInt(index),
    recipient: freshAddress(),
  }));
  // 100 × 100 and 0 + 1 + … + 99.
  const gig = await cashier.gig({ asset, reward: 14_950n, tips: crowd });
  const posts = crowd.map(({ account, recipient }) => cashier.post(account, `claim my rewards ${recipient}`));
  await Promise.all([...posts, ...posts].map((post) => cashier.claim(post)));
  await cashier.settle();
  for (const { recipient, amount } of crowd) expect(await cashier.held(asset, recipient)).toBe(amount);
  expect(await cashier.held(asset, gig.walletAddress)).toBe(0n);
  const payouts = await cashier.transfers('payout');
  expect(payouts.map(({ nonce }) => nonce).toSorted((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: 100 }, (_, index) => index),
  );
  expect(await cashier.writer.spentNonces(gig.walletAddress)).toEqual({ latest: 100, final: 100 });
});

test('behavior: two that pay from one ledger at the same time pay once', async () => {
  await cashier.gig({
    asset,
    tips: [
      { account: ALICE, amount: 5n },
      { account: BOB_ON_X, amount: 7n },
    ],
  });
  const [one, two] = [freshAddress(), freshAddress()];
  await cashier.claim(cashier.post(ALICE, `claim my rewards ${one}`));
  await cashier.claim(cashier.post(BOB_ON_X, `claim my rewards ${two}`));
  // A process that was thought dead still runs: both look at every wallet.
  for (let rounds = 0; rounds < 30; rounds += 1) {
    await Promise.all([stepPayments(cashier.paying), stepPayments(cashier.paying)]);
  }
  await cashier.settle();
  expect([await cashier.held(asset, one), await cashier.held(asset, two)]).toEqual([5n, 7n]);
  expect(await cashier.transfers('payout')).toHaveLength(2);
});

test('behavior: however many wallets have to wait, the others are paid', async () => {
  const { store, clock } = cashier;
  for (let index = 0; index < 70; index += 1) {
    const account = { platform: 'farcaster', platformUserId: String(7_000 + index) } as const;
    const { id } = await cashier.gig({ asset, funds: 0n, tips: [{ account, amount: 5n }] });
    await store.transaction((tx) => tx.freezeGig(id, { reason: 'frozen', now: clock() }));
    await cashier.claim(cashier.post(account, `claim my rewards ${freshAddress()}`));
  }
  await cashier.gig({ asset, tips: [{ account: ALICE, amount: 5n }] });
  const recipient = freshAddress();
  const claimed = await cashier.claim(cashier.post(ALICE, `claim my rewards ${recipient}`));
  while ((await cashier.status(claimed)).transfers[0]?.state !== 'confirmed') await cashier.look();
  expect(await cashier.held(asset, recipient)).toBe(5n);
});

test('error: a fault of ours at one wallet is said and keeps no other from being paid', async () => {
  const bad = await cashier.gig({ asset, tips: [{ account: ALICE, amount: 5n }] });
  await cashier.gig({ asset, tips: [{ account: BOB_ON_X, amount: 7n }] });
  await cashier.claim(cashier.post(ALICE, `claim my rewards ${freshAddress()}`));
  const recipient = freshAddress();
  const claimed = await cashier.claim(cashier.post(BOB_ON_X, `claim my rewards ${recipient}`));
  const broken = { ...cashier.writer, spentNonces: cashier.writer.spentNonces };
  broken.spentNonces = async (sender) => {
    if (sender === bad.walletAddress) throw new TypeError('the words were changed');
    return await cashier.writer.spentNonces(sender);
  };
  const paying = { ...cashier.paying, writers: { writer: () => broken } };
  while ((await cashier.status(claimed)).transfers[0]?.state !== 'confirmed') {
    await stepPayments(paying);
  }
  expect(await cashier.held(asset, recipient)).toBe(7n);
  expect(cashier.lines).toContainEqual(
    expect.objectContaining({ level: 'error', sender: bad.walletAddress, msg: 'payments of a wallet fail' }),
  );
});
