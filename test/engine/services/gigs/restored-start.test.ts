import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createChains } from '../../../../src/chain/registry.ts';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import type { Address } from '../../../../src/domain/gigs/token.ts';
import { COMMAND_LINE } from '../../../../src/domain/operators/actor.ts';
import type { PayerChain } from '../../../../src/domain/payments/payer-chain.ts';
import { FEE_NUMBER } from '../../../../src/domain/payments/payment.ts';
import { readFunding } from '../../../../src/services/gigs/read-funding.ts';
import { startGig } from '../../../../src/services/gigs/start-gig.ts';
import { createAudits, payElsewhere } from '../../../services/audits/auditing.ts';
import { ALICE, BOB, type Cashier, openCashier } from '../../../services/cashier.ts';
import { deployToken, freshAddress, fundToken, type TestToken } from '../../../support/anvil.ts';
import { type GigSeed, seedGig, seedTips, seedToken } from '../../../support/store.ts';

const REWARD = 1_000_000n;
const FEE = 50_000n;

let cashier: Cashier;
let token: TestToken;
let treasury: Address;
beforeEach(async () => {
  token = await deployToken({ decimals: 6, symbol: 'USDC' });
  treasury = freshAddress();
});
afterEach(() => cashier.close());

/** A gig that is funded, and whose database knows of no start. */
async function restoredGig({ confirmations, ...seed }: GigSeed & { confirmations?: number } = {}): Promise<Gig> {
  cashier = await openCashier(confirmations === undefined ? {} : { confirmations });
  await cashier.fundTank(10n ** 18n);
  const { store, wallets } = cashier;
  const { address, decimals, name, symbol } = token;
  const { id: tokenId } = await seedToken(store, { address, decimals, name, symbol, chainId: 31337 });
  const terms = { ...seed, tokenId, rewardAmount: REWARD, feeAmount: FEE, walletAddress: wallets.gigAddress };
  const gig = await seedGig(store, terms);
  await fundToken(token, gig.walletAddress, REWARD + FEE);
  return gig;
}

function source() {
  const { payer, url, clock } = cashier;
  const chains = createChains({ endpoints: [{ chain: payer.chain, rpcUrls: [url] }], clock, retries: 0 });
  return { chains, payers: { payer: () => payer } };
}

function start({ id: gigId }: Gig): Promise<Gig> {
  const { store, clock } = cashier;
  return startGig(
    { store, clock, treasury, randomBytes, ...source() },
    { gigId, holder: 'again', actor: COMMAND_LINE },
  );
}

const blockOf = async (hash: `0x${string}`) => (await cashier.payer.inclusion([hash]))?.blockNumber;

test('security: a gig that an older backup has as created starts again, and nobody is paid twice', async () => {
  const gig = await restoredGig();
  const earner = freshAddress();
  const feeHash = await payElsewhere(cashier, gig, { to: treasury, amount: FEE, numbers: [FEE_NUMBER] });
  const tipHash = await payElsewhere(cashier, gig, { to: earner, amount: 250_000n, numbers: [0n] });
  expect(await readFunding(source(), { gig })).toMatchObject({
    expected: REWARD + FEE,
    actual: REWARD + FEE,
    paidBefore: { amount: 300_000n, since: await blockOf(feeHash) },
  });

  await expect(start(gig)).resolves.toMatchObject({ status: 'live' });
  expect(await cashier.store.gigTransactions(gig.id)).toMatchObject([
    { blockNumber: await blockOf(feeHash), checkBlock: null },
  ]);
  await cashier.settle();
  expect(await cashier.payments('fee')).toMatchObject([{ state: 'confirmed', hash: feeHash, recipient: treasury }]);
  expect(await cashier.payments('payout')).toMatchObject([{ state: 'confirmed', hash: tipHash, recipient: earner }]);

  // The tip that was paid is lost, and what is left of the reward can be earned and paid.
  await seedTips(cashier.store, gig, [{ ...BOB, amount: 749_999n }]);
  const bob = freshAddress();
  await cashier.claim(cashier.post(BOB, `claim my rewards ${bob}`));
  await cashier.settle();
  const held = await Promise.all([treasury, earner, bob].map((owner) => cashier.held(token, owner)));
  expect(held).toEqual([FEE, 250_000n, 749_999n]);
  const { audit } = await createAudits(cashier).only();
  expect(audit).toMatchObject({ held: 1n, expected: 1n, problems: [], unproved: [], notes: [] });
});

test('behavior: without a fee in the chain what was paid counts as well, and the audit takes it over', async () => {
  const gig = await restoredGig();
  const earner = freshAddress();
  const hash = await payElsewhere(cashier, gig, { to: earner, amount: 10n, numbers: [2n ** 40n] });
  await expect(start(gig)).resolves.toMatchObject({ status: 'live' });
  await cashier.settle();
  await seedTips(cashier.store, gig, [{ ...ALICE, amount: 5n }]);
  const { audit } = await createAudits(cashier).only();
  expect(audit).toMatchObject({ held: 999_990n, expected: 999_990n, problems: [], unproved: [] });
  expect(await cashier.payments('payout')).toMatchObject([{ state: 'confirmed', hash, amount: 10n }]);
});

test.each([-2, 2])('security: a clock that is off by %i hours misses nothing of what was paid', async (hours) => {
  const gig = await restoredGig({ createdAt: Date.now() + hours * 3_600_000 });
  await payElsewhere(cashier, gig, { to: treasury, amount: FEE, numbers: [FEE_NUMBER] });
  expect(await readFunding(source(), { gig })).toMatchObject({ actual: REWARD + FEE, paidBefore: { amount: FEE } });
  await expect(start(gig)).resolves.toMatchObject({ status: 'live' });
});

test.each([
  [1_000n, 744n],
  [10n, 0n],
])('behavior: a gig that was created at block %i has paid nothing before block %i', async (createdBlock, from) => {
  const gig = await restoredGig({ createdBlock });
  const asked: bigint[] = [];
  const paidEvents: PayerChain['paidEvents'] = async (query) => {
    asked.push(query.from);
    return [];
  };
  const payer = { ...cashier.payer, delegated: async () => [true], paidEvents };
  await readFunding({ ...source(), payers: { payer: () => payer } }, { gig: { ...gig, rewardAmount: 1n } });
  expect(asked).toEqual([from]);
});

test('behavior: an exact balance asks nothing more, and a wallet that merely waits one question', async () => {
  const gig = await restoredGig();
  const asked: string[] = [];
  const payer = new Proxy(cashier.payer, {
    get: (chain, name: keyof PayerChain) => {
      asked.push(name);
      return chain[name];
    },
  });
  const counted = { ...source(), payers: { payer: () => payer } };
  expect(await readFunding(counted, { gig })).toMatchObject({ actual: REWARD + FEE, paidBefore: null });
  expect(asked).toEqual([]);
  await fundToken(token, gig.walletAddress, 1n);
  expect(await readFunding(counted, { gig })).toMatchObject({ actual: REWARD + FEE + 1n, paidBefore: null });
  expect(asked).toEqual(['delegated']);
});

test('error: what was paid counts once its block has settled, and a wallet that lacks more does not start', async () => {
  const gig = await restoredGig({ confirmations: 1_000_000 });
  await payElsewhere(cashier, gig, { to: treasury, amount: FEE, numbers: [FEE_NUMBER] });
  const missing = { refusal: { code: 'gig_not_funded', funding: { actual: REWARD, paidBefore: null } } };
  await expect(start(gig)).rejects.toMatchObject(missing);
  expect(await cashier.store.gigTransactions(gig.id)).toEqual([]);
});
