import { afterEach, beforeEach, expect, test } from 'vitest';
import { deployToken, freshAddress, placeCode, type TestToken } from '../../support/anvil.ts';
import { deployOdd, setting } from '../../support/odd-tokens.ts';
import { stepPayments } from '../../support/steps.ts';
import { burningToken } from '../../support/token.ts';
import { ALICE, BOB, type Cashier, openCashier } from '../cashier.ts';

const ETHER = 10n ** 18n;
const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

let cashier: Cashier;
let asset: TestToken;
beforeEach(async () => {
  cashier = await openCashier();
  asset = await deployToken({ decimals: 6 });
});
afterEach(() => cashier.close());

async function claim(account = ALICE) {
  const recipient = freshAddress();
  const claimed = await cashier.claim(cashier.post(account, `claim my rewards ${recipient}`));
  return { recipient, claimed };
}

test('behavior: the gas tank brings a wallet what its transfers burn, for several at once', async () => {
  const gig = await cashier.gig({ asset, tips: [ALICE, BOB].map((account) => ({ account, amount: 5n })) });
  await cashier.fundTank(ETHER);
  await claim(ALICE);
  await claim(BOB);
  await cashier.settle();
  const topUps = await cashier.transfers('gas');
  expect(topUps).toMatchObject([
    { state: 'confirmed', gigId: gig.id, sender: cashier.wallets.gasTankAddress(), recipient: gig.walletAddress },
  ]);
  const payouts = await cashier.transfers('payout');
  const burnt = payouts.reduce((sum, { gasSpent }) => sum + (gasSpent ?? 0n), 0n);
  const given = topUps[0]?.amount ?? 0n;
  expect(await cashier.held('native', gig.walletAddress)).toBe(given - burnt);
  const left = ETHER - given - (topUps[0]?.gasSpent ?? 0n);
  expect(await cashier.held('native', cashier.wallets.gasTankAddress())).toBe(left);
});

test('error: with an empty tank claims wait, nothing fails, and they are paid when it is filled', async () => {
  await cashier.gig({ asset, tips: [{ account: ALICE, amount: 5n }] });
  await cashier.gig({ asset, tips: [{ account: BOB, amount: 7n }] });
  const [alice, bob] = [await claim(ALICE), await claim(BOB)];
  for (let looks = 0; looks < 5; looks += 1) await cashier.look();
  for (const { claimed } of [alice, bob]) {
    expect((await cashier.status(claimed)).transfers).toMatchObject([
      { state: 'planned', nonce: null, reason: 'its wallet waits for gas' },
    ]);
  }
  expect(await cashier.transfers('gas')).toMatchObject([
    { state: 'planned', reason: 'the gas tank is too low' },
    { state: 'planned' },
  ]);
  await cashier.fundTank(ETHER);
  await cashier.settle();
  expect([await cashier.held(asset, alice.recipient), await cashier.held(asset, bob.recipient)]).toEqual([5n, 7n]);
  expect(await cashier.transfers('gas')).toHaveLength(2);
});

test('behavior: a payment that finds the tank too low says so at once, and once', async () => {
  await cashier.gig({ asset, tips: [{ account: ALICE, amount: 5n }] });
  await claim();
  let said = 0;
  const tankIsLow = () => {
    said += 1;
  };
  const look = () => stepPayments({ ...cashier.paying, tankIsLow });
  await look();
  expect(said).toBe(0);
  await look();
  await look();
  expect(said).toBe(1);
  expect(await cashier.transfers('gas')).toMatchObject([{ reason: 'the gas tank is too low' }]);
});

test('behavior: gas never eats into a reward in the native asset', async () => {
  const gig = await cashier.gig({
    asset: 'native',
    reward: ETHER,
    fee: ETHER / 20n,
    tips: [
      { account: ALICE, amount: ETHER / 3n },
      { account: BOB, amount: ETHER - ETHER / 3n },
    ],
  });
  await cashier.fundTank(ETHER);
  const [alice, bob] = [await claim(ALICE), await claim(BOB)];
  await cashier.settle();
  expect(await cashier.held('native', alice.recipient)).toBe(333_333_333_333_333_333n);
  expect(await cashier.held('native', bob.recipient)).toBe(666_666_666_666_666_667n);
  expect(await cashier.held('native', gig.walletAddress)).toBeGreaterThanOrEqual(ETHER / 20n);
  expect((await cashier.transfers('gas')).map(({ state }) => state)).toEqual(['confirmed']);
});

test('security: the gas tank does not make up for what left a wallet by another hand', async () => {
  const gig = await cashier.gig({ asset: 'native', reward: ETHER, tips: [{ account: ALICE, amount: 5n }] });
  await cashier.fundTank(ETHER);
  await cashier.node.setBalance({ address: gig.walletAddress, value: ETHER / 2n });
  const { recipient, claimed } = await claim();
  for (let looks = 0; looks < 3; looks += 1) await cashier.look();
  expect((await cashier.status(claimed)).transfers).toMatchObject([
    { state: 'planned', reason: 'its wallet holds less than the gig has to pay' },
  ]);
  expect(await cashier.transfers('gas')).toEqual([]);
  await cashier.node.setBalance({ address: gig.walletAddress, value: ETHER });
  await cashier.settle();
  expect(await cashier.held('native', recipient)).toBe(5n);
});

test('error: a gig that is frozen pays nothing, gets no gas, and goes on where it was', async () => {
  const gig = await cashier.gig({ asset, tips: [{ account: ALICE, amount: 5n }] });
  await cashier.fundTank(ETHER);
  const freeze = (reason: string | null) =>
    cashier.store.transaction((tx) => tx.freezeGig(gig.id, { reason, now: cashier.clock() }));
  await freeze('its books do not agree');
  const { recipient, claimed } = await claim();
  for (let looks = 0; looks < 3; looks += 1) await cashier.look();
  expect((await cashier.status(claimed)).transfers).toMatchObject([
    { state: 'planned', reason: 'the gig is frozen: its books do not agree' },
  ]);
  expect(await cashier.transfers('gas')).toEqual([]);
  await freeze(null);
  await cashier.settle();
  expect(await cashier.held(asset, recipient)).toBe(5n);
});

test('security: a token whose transfer would burn a great deal of gas is refused before anything is burnt', async () => {
  const address = await placeCode(burningToken);
  const greedy = { ...asset, address };
  await cashier.gig({ asset: greedy, funds: 0n, tips: [{ account: ALICE, amount: 5n }] });
  await cashier.gig({ asset, tips: [{ account: ALICE, amount: 7n }] });
  await cashier.fundTank(ETHER);
  const { recipient, claimed } = await claim();
  await cashier.settle();
  const [refused, paid] = (await cashier.status(claimed)).transfers;
  expect(refused).toMatchObject({ state: 'failed', nonce: null });
  expect(refused?.reason).toMatch(/^it would burn 1[0-9]{6} gas, more than 1000000 allowed$/);
  expect(paid?.state).toBe('confirmed');
  expect(await cashier.held(asset, recipient)).toBe(7n);
  expect((await cashier.transfers('gas')).map(({ gigId }) => gigId)).toEqual([paid?.gigId]);
});

test('security: a recipient that fails on the chain what its trial lets pass burns gas three times a day', async () => {
  await cashier.close();
  cashier = await openCashier({ wrap: (writer) => ({ ...writer, simulateTransfer: async () => ({ gas: 60_000n }) }) });
  const door = await deployOdd('Door');
  await door.change(setting.closed);
  await cashier.gig({ asset: 'native', tips: [{ account: ALICE, amount: 5n }] });
  await cashier.fundTank(ETHER);
  const post = cashier.post(ALICE, `claim my rewards ${door.address}`);
  for (let tries = 0; tries < 6; tries += 1) {
    await cashier.claim(post);
    await cashier.settle();
    cashier.advance(HOUR);
  }
  const landed = { state: 'failed', reason: 'the chain reverted it' };
  const refused = {
    state: 'failed',
    nonce: null,
    reason: 'it failed on the chain 3 times; it can be tried again in a day',
  };
  expect(await cashier.transfers('payout')).toMatchObject([landed, landed, landed, refused, refused, refused]);
  cashier.advance(DAY + 1);
  await cashier.claim(post);
  await cashier.settle();
  expect((await cashier.transfers('payout')).at(-1)).toMatchObject({ ...landed, nonce: 3 });
  const elsewhere = freshAddress();
  await cashier.claim(cashier.post(ALICE, `claim my rewards ${elsewhere}`));
  await cashier.settle();
  expect(await cashier.held('native', elsewhere)).toBe(5n);
});
