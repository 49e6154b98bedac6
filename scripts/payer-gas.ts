import { parseEther } from 'viem';
import { startAnvil } from '../sandbox/anvil.ts';
import { transferData } from '../sandbox/erc20.ts';
import type { ContractPayment } from '../src/chain/payer/contract/payments.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../src/domain/gigs/token.ts';
import { bitOf } from '../src/domain/payments/payment-numbers.ts';
import { deployToken, freshAddress, fundNative, fundToken } from '../test/support/anvil.ts';
import { type Gig, gigOf, type Outcome, openStage, type StageCall } from '../test/support/tip-payer.ts';

/** Prints what payments cost on a node of its own; each figure is the gas of a receipt, divided by its payments. */

/** What a wallet may use in a batch. */
const GAS_LIMIT = 200_000n;
const AMOUNT = 123_456_789_012_345_678n;
/** The number of a gig's first payment, which the first payment of a word has already cost. */
const USED = 255n;

const anvil = await startAnvil();
process.once('exit', () => void anvil.stop());
const stage = await openStage(anvil.url);
const token = await deployToken({ decimals: 18 }, anvil.url);

type Recipient = 'new' | 'existing';

/** An address that has none of the asset, or some of it. */
async function recipient(kind: Recipient): Promise<Address> {
  const address = freshAddress();
  if (kind === 'existing') {
    await fundToken(token, address, 1n, anvil.url);
    await fundNative(address, 1n, anvil.url);
  }
  return address;
}

function tip(to: Address, number: bigint, asset: Address = token.address): ContractPayment {
  return { token: asset, to, amount: AMOUNT, ...bitOf(number) };
}

/** A gig with money, that has paid before or not. */
async function fundedGig({ isFirst }: { isFirst: boolean }): Promise<Gig> {
  const gig = gigOf();
  await fundToken(token, gig.wallet, parseEther('1000'), anvil.url);
  await fundNative(gig.wallet, parseEther('100'), anvil.url);
  if (isFirst) return gig;
  const before = tip(token.holder.address, USED);
  await stage.pay(gig, [before], { delegations: [await stage.delegation(gig)] });
  return gig;
}

async function delegationsOf(gigs: readonly Gig[], isFirst: boolean): Promise<Partial<StageCall>> {
  return isFirst ? { delegations: await Promise.all(gigs.map(stage.delegation)) } : {};
}

/** Gas of a plain transfer from a wallet that is given its gas by another transaction for each four transfers. */
const alone: Record<Recipient, number> = { new: Number.NaN, existing: Number.NaN };
const TOP_UP_GAS = 21_000;
const TRANSFERS_OF_A_TOP_UP = 4;

function report(what: string, { receipt, paid, failed }: Outcome, payments: number): void {
  if (paid.length !== payments || failed.length > 0) throw new Error(`${what}: ${paid.length} of ${payments} paid`);
  const each = Math.round(Number(receipt.gasUsed) / payments);
  const share = what.includes('native') ? '' : (each / alone[what.includes('new') ? 'new' : 'existing']).toFixed(2);
  const total = String(receipt.gasUsed).padStart(12);
  console.log(`${what.padEnd(56)} ${String(each).padStart(8)} ${total} ${share.padStart(14)}`);
}

async function direct(what: string, terms: { to: Recipient; isFirst?: boolean; numbers?: bigint[]; asset?: Address }) {
  const { isFirst = false, numbers = [0n], asset } = terms;
  const [gig, to] = [await fundedGig({ isFirst }), await recipient(terms.to)];
  const payments = numbers.map((number) => tip(to, number, asset));
  report(`wallet: ${what}`, await stage.pay(gig, payments, await delegationsOf([gig], isFirst)), payments.length);
}

async function batch(count: number, what: string, terms: { to: Recipient; isFirst?: boolean; asset?: Address }) {
  const { isFirst = false, asset } = terms;
  const to = await recipient(terms.to);
  const gigs: Gig[] = [];
  for (let index = 0; index < count; index += 1) gigs.push(await fundedGig({ isFirst }));
  const calls = await Promise.all(
    gigs.map(async (gig) => {
      const data = await stage.signed(gig, [tip(to, 0n, asset)]);
      return { wallet: gig.wallet, gasLimit: GAS_LIMIT, data };
    }),
  );
  report(`batch of ${count}: ${what}`, await stage.payMany(calls, await delegationsOf(gigs, isFirst)), count);
}

async function many(to: Recipient) {
  const gig = await fundedGig({ isFirst: false });
  const payments: ContractPayment[] = [];
  for (let number = 0n; number < 50n; number += 1n) payments.push(tip(await recipient(to), number));
  report(`wallet: 50 payments, each to another ${to} holder`, await stage.pay(gig, payments), payments.length);
}

async function transfer(to: Recipient) {
  const data = transferData({ to: await recipient(to), amount: AMOUNT });
  const { receipt } = await stage.send({ to: token.address, data, from: token.holder });
  alone[to] = Number(receipt.gasUsed) + TOP_UP_GAS / TRANSFERS_OF_A_TOP_UP;
  console.log(`${`plain transfer, ${to} holder`.padEnd(65)} ${String(receipt.gasUsed).padStart(12)}`);
}

const native = NATIVE_TOKEN_ADDRESS;
const COLUMNS = ['each'.padStart(8), 'transaction'.padStart(12), 'of a transfer*'];
console.log(`${'gas'.padEnd(56)} ${COLUMNS.join(' ')}`);
await transfer('new');
await transfer('existing');
await direct('first, new holder', { to: 'new', isFirst: true });
await direct('first, existing holder', { to: 'existing', isFirst: true });
await direct('later, new holder', { to: 'new' });
await direct('later, existing holder', { to: 'existing' });
await direct('later, existing holder, first number of a word', { to: 'existing', numbers: [256n] });
await direct('later, existing holder, tip and fee', { to: 'existing', numbers: [0n, 2n ** 255n] });
await direct('native, first, new recipient', { to: 'new', isFirst: true, asset: native });
await direct('native, later, new recipient', { to: 'new', asset: native });
await direct('native, later, existing recipient', { to: 'existing', asset: native });
for (const count of [1, 3, 10]) {
  await batch(count, 'first, one new holder', { to: 'new', isFirst: true });
  await batch(count, 'later, one new holder', { to: 'new' });
  await batch(count, 'later, one existing holder', { to: 'existing' });
  await batch(count, 'native, later, one existing recipient', { to: 'existing', asset: native });
}
await many('new');
await many('existing');
console.log('* a plain transfer with a quarter of the transaction that brings its wallet gas');
process.exit(0);
