import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { DELEGATION_CODE } from '../../../../src/chain/payer/contract/contracts.ts';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import { otherNumber } from '../../../../src/domain/gigs/tip.ts';
import type { Address } from '../../../../src/domain/gigs/token.ts';
import { adoptMarks } from '../../../../src/services/payments/sender/found/adopt.ts';
import { pulse } from '../../../../src/services/payments/sender/pulse.ts';
import {
  deployToken,
  freshAddress,
  fundNative,
  fundToken,
  startAnvil,
  type TestToken,
} from '../../../support/anvil.ts';
import { openPayments, type Payments } from '../../../support/payer-chain.ts';
import { deployHostileToken } from '../../../support/payer-contracts.ts';
import { ALICE, account, type Bank, BOB, openBank } from './bank.ts';

let payments: Payments;
let token: TestToken;
let bank: Bank;
let ahead = 0;
const clock = () => Date.now() + ahead;

function bankOn({ payer, wallets }: Payments, more: { copy?: string; countsOn?: boolean } = {}): Promise<Bank> {
  return openBank({ clock, payer, walletAddress: wallets.gigAddress, name: more.copy ? 'b' : 'a', ...more });
}

beforeAll(async () => {
  token = await deployToken({ decimals: 6 });
});
beforeEach(async () => {
  ahead = 0;
  payments = await openPayments();
  bank = await bankOn(payments);
});
afterEach(() => bank.close());

/** A gig whose wallet holds a million base units. */
async function fundedGig(of: Bank = bank, terms: { asset?: Address; fee?: bigint } = {}): Promise<Gig> {
  const { asset = token.address, fee = 0n } = terms;
  const gig = await of.gig({ token: asset, fee });
  if (asset === token.address) await fundToken(token, gig.walletAddress, 1_000_000n);
  return gig;
}

/** Pulses until nothing is left to do, and answers the gas tank's transactions that it took. */
async function settle(of: Bank = bank): Promise<number> {
  const before = (await payments.payer.tank()).spentNonces;
  for (let rounds = 0; rounds < 2_000; rounds += 1) {
    if ((await of.run()) === 'done') return (await payments.payer.tank()).spentNonces - before;
    ahead += 100;
  }
  const left = await of.store.payments({ limit: 5 });
  throw new Error(`not settled: ${left.map(({ state, reason }) => `${state} ${reason}`).join(', ')}`);
}

async function held(owner: Address, of: Address = token.address): Promise<bigint> {
  const data = `0x70a08231${owner.slice(2).padStart(64, '0')}` as const;
  return BigInt((await payments.stage.public.call({ to: of, data })).data ?? '0x0');
}

describe('on a real node', () => {
  test('behavior: a first payment with the fee of its gig, and later ones without an authorization', async () => {
    const gig = await fundedGig(bank, { fee: 500n });
    const [first, second] = [freshAddress(), freshAddress()];
    await bank.award(gig, ALICE, 100n, 200n);
    await bank.claim(ALICE, first);
    expect(await settle()).toBe(1);
    await bank.award(gig, BOB, 50n);
    await bank.claim(BOB, second);
    expect(await settle()).toBe(1);
    expect(await Promise.all([first, second, gig.walletAddress].map((owner) => held(owner)))).toEqual([
      300n,
      50n,
      1_000_000n - 850n,
    ]);
    const [later, fee, earlier] = (await bank.store.payments({ limit: 3 })).toSorted((a, b) => b.id - a.id);
    const types = await Promise.all(
      [earlier, fee, later].map(async (payment) => {
        const hash = payment?.hash ?? '0x';
        return (await payments.stage.public.getTransaction({ hash })).type;
      }),
    );
    expect(types).toEqual(['eip7702', 'eip7702', 'eip1559']);
    expect(await payments.stage.public.getBalance({ address: gig.walletAddress })).toBe(0n);
    expect(later?.gasUsed).toBeGreaterThan(40_000n);
    expect(await adoptMarks(bank.deps, payments.payer, { gigs: [gig] })).toEqual({ taken: 0, unexplained: [] });
  });

  test('behavior: three gigs in one transaction, each by its own wallet', async () => {
    const gigs = [await fundedGig(), await fundedGig(), await fundedGig()];
    const to = freshAddress();
    for (const gig of gigs) await bank.award(gig, ALICE, BigInt(gig.id));
    await bank.claim(ALICE, to);
    expect(await settle()).toBe(1);
    expect(await held(to)).toBe(6n);
    const made = await bank.store.payments({ limit: 3 });
    expect(new Set(made.map(({ hash }) => hash)).size).toBe(1);
    for (const { walletAddress: address } of gigs) {
      expect(await payments.stage.public.getCode({ address })).toBe(DELEGATION_CODE);
    }
  });

  test('behavior: fifty of one gig in one transaction', async () => {
    const gig = await fundedGig();
    const recipients = Array.from({ length: 50 }, () => freshAddress());
    for (const [index, to] of recipients.entries()) {
      await bank.award(gig, account(index), BigInt(index + 1));
      await bank.claim(account(index), to);
    }
    expect(await settle()).toBe(1);
    expect(await Promise.all(recipients.map((to) => held(to)))).toEqual(
      recipients.map((_, index) => BigInt(index + 1)),
    );
  });

  test('behavior: the native asset, to the last unit', async () => {
    const gig = await bank.gig();
    await fundNative(gig.walletAddress, 700n);
    const to = freshAddress();
    await bank.award(gig, ALICE, 300n, 400n);
    await bank.claim(ALICE, to);
    expect(await settle()).toBe(1);
    const balance = (address: Address) => payments.stage.public.getBalance({ address });
    expect(await Promise.all([to, gig.walletAddress].map(balance))).toEqual([700n, 0n]);
  });

  test('security: a token that answers false fails, and the others of its transaction are paid', async () => {
    const hostile = await deployHostileToken(payments.stage, 'False');
    const [bad, good] = [await fundedGig(bank, { asset: hostile.address }), await fundedGig()];
    await hostile.mint(bad.walletAddress, 1_000n);
    const to = freshAddress();
    await bank.award(bad, ALICE, 5n);
    await bank.award(good, ALICE, 7n);
    const [refused] = await bank.claim(ALICE, to);
    await settle();
    expect(await held(to)).toBe(7n);
    expect(await bank.store.payment(refused?.id ?? 0)).toMatchObject({
      state: 'failed',
      reason: `the transfer of token ${hostile.address} would fail: the token answers that the transfer fails`,
    });
  });
});

describe('with a ledger that is not the newest', () => {
  test('security: a payment that a lost database made is taken over', async () => {
    const gig = await fundedGig();
    const [first, second] = [freshAddress(), freshAddress()];
    await bank.award(gig, ALICE, 100n, 200n);
    const before = await bank.copy();
    await bank.claim(ALICE, first);
    await settle();
    await bank.restore(before);
    expect(await adoptMarks(bank.deps, payments.payer, { gigs: [gig] })).toEqual({ taken: 1, unexplained: [] });
    expect(await bank.claim(ALICE, second)).toEqual([]);
    const [adopted] = await bank.store.payments({ limit: 1 });
    expect(adopted).toMatchObject({ state: 'confirmed', recipient: first, amount: 300n, claimId: null });
  });

  test('security: a claim that finds its numbers paid is healed by what the chain says', async () => {
    const gig = await fundedGig();
    const [first, second] = [freshAddress(), freshAddress()];
    await bank.award(gig, ALICE, 100n);
    const other = await bankOn(payments, { copy: await bank.copy() });
    onTestFinished(() => other.close());
    await other.claim(ALICE, first);
    await settle(other);
    const [late] = await bank.claim(ALICE, second);
    expect(await settle()).toBe(0);
    expect(await bank.store.payment(late?.id ?? 0)).toMatchObject({ state: 'confirmed', recipient: first });
    expect([await held(first), await held(second)]).toEqual([100n, 0n]);
  });

  test('security: a number that was paid to somebody else is given up once enough blocks lie on that', async () => {
    const mine = await bankOn(payments, { countsOn: true });
    onTestFinished(() => mine.close());
    const gig = await fundedGig(mine);
    const other = await bankOn(payments, { copy: await mine.copy(), countsOn: true });
    onTestFinished(() => other.close());
    await other.award(gig, BOB, 70n);
    await other.claim(BOB, freshAddress());
    await settle(other);
    const to = freshAddress();
    const [tip] = await mine.award(gig, ALICE, 90n);
    await mine.claim(ALICE, to);
    await mine.run();
    expect(await held(to)).toBe(0n);
    await payments.stage.test.mine({ blocks: 64 });
    ahead += 60_000;
    await settle(mine);
    expect(await held(to)).toBe(90n);
    expect((await mine.store.tip(tip?.id ?? 0))?.number).toBe(tip && otherNumber(tip));
  });
});

describe('on a node of its own', () => {
  test('behavior: a transaction that is stuck is replaced with higher fees', async () => {
    const { url, stop } = await startAnvil();
    onTestFinished(stop);
    const own = await openPayments({ url });
    const mine = await bankOn(own);
    onTestFinished(() => mine.close());
    const coin = await deployToken({ decimals: 6 }, url);
    const gig = await mine.gig({ token: coin.address });
    await fundToken(coin, gig.walletAddress, 1_000n, url);
    await own.stage.test.setAutomine(false);
    await mine.award(gig, ALICE, 10n);
    const [payment] = await mine.claim(ALICE, freshAddress());
    expect(await mine.run()).toBe('waiting');
    // A block comes in which nobody pays so little.
    const [sent] = await mine.store.openTankTransactions(own.payer.chain.id);
    await own.stage.test.setNextBlockBaseFeePerGas({ baseFeePerGas: 2n * (sent?.attempts[0].maxFeePerGas ?? 0n) });
    await own.stage.test.increaseTime({ seconds: 60 });
    await own.stage.test.mine({ blocks: 1 });
    ahead += 90_000;
    // A view of the chain that has not asked for fees yet: they are kept for a moment.
    expect(await pulse(mine.deps, own.behind(url))).toBe('waiting');
    const [open] = await mine.store.openTankTransactions(own.payer.chain.id);
    expect(open?.attempts).toHaveLength(2);
    await own.stage.test.setAutomine(true);
    await own.stage.test.mine({ blocks: 1 });
    await mine.run();
    const raised = open?.attempts[1];
    expect(await mine.store.payment(payment?.id ?? 0)).toMatchObject({ state: 'confirmed', hash: raised?.hash });
    expect(raised?.maxFeePerGas).toBeGreaterThan(open?.attempts[0].maxFeePerGas ?? 0n);
  });
});
