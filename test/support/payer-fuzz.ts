import { type Hex, zeroAddress } from 'viem';
import { encodePay } from '../../src/chain/payer/contract/calls.ts';
import type { ContractPayment } from '../../src/chain/payer/contract/payments.ts';
import { decodeRevert } from '../../src/chain/payer/contract/reverts.ts';
import { signPay } from '../../src/chain/payer/contract/signature.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../../src/domain/gigs/token.ts';
import { bitOf, bitsToNumbers } from '../../src/domain/payments/payment-numbers.ts';
import { type Chance, createChance } from '../long/soak/chance.ts';
import { freshAccount, freshAddress } from './anvil.ts';
import { callWhilePaid, deployHostileToken, deployRecipient, type HostileToken } from './payer-contracts.ts';
import { type Conduct, createPayerModel, type ModelCall, type ModelPayment, type PayerModel } from './payer-model.ts';
import { CHAIN_ID, type Gig, gigOf, type Outcome, openStage, type Stage } from './tip-payer.ts';

/** Few enough to collide all the time, and the ends of words and ranges among them. */
const NUMBERS = [0n, 1n, 2n, 254n, 255n, 256n, 257n, 2n ** 64n - 1n, 2n ** 255n, 2n ** 255n + 1n, 2n ** 256n - 1n];
const WORDS = [...new Set(NUMBERS.map((number) => bitOf(number).word))];
const WALLETS = 4;
/** After so many operations everything is compared, and the worn-out wallets are replaced. */
const ROUND = 25;
/** More than nested calls need. */
const BATCH_LIMIT = 1_200_000n;

/** A call with the bytes that make it. */
interface Payload extends ModelCall {
  readonly data: Hex;
}

interface World {
  readonly stage: Stage;
  readonly chance: Chance;
  readonly model: PayerModel;
  readonly gigs: Gig[];
  readonly tokens: readonly HostileToken[];
  readonly recipients: readonly Address[];
  /** Those that call a wallet while they are paid. */
  readonly callers: readonly Address[];
  readonly stranger: Awaited<ReturnType<typeof freshAccount>>;
  readonly payloads: Payload[];
  /** Every wallet and number for which the chain has ever logged a payment. */
  readonly everPaid: Set<string>;
}

/** What happened in a run. */
export interface FuzzCounts {
  readonly made: number;
  readonly refused: Readonly<Record<string, number>>;
}

async function openWorld(seed: number, url?: string): Promise<World> {
  const stage = await openStage(url);
  const conducts = new Map<Address, Conduct>();
  const tokens: HostileToken[] = [];
  for (const [way, conduct] of [
    ['Good', 'pays'],
    ['Silent', 'pays'],
    ['False', 'fails'],
    ['ChargeFee', 'keeps a tenth'],
    ['Reenter', 'calls back'],
  ] as const) {
    const token = await deployHostileToken(stage, way);
    tokens.push(token);
    conducts.set(token.address, conduct);
  }
  const [refuser, caller] = [await deployRecipient(stage, 'Refuse'), await deployRecipient(stage, 'Reenter')];
  conducts.set(refuser, 'fails').set(caller, 'calls back');
  const callers = [caller, ...tokens.slice(-1).map(({ address }) => address)];
  return {
    stage,
    chance: createChance(seed),
    model: createPayerModel(conducts),
    gigs: [],
    tokens,
    recipients: [freshAddress(), freshAddress(), refuser, caller],
    callers,
    stranger: await freshAccount(url),
    payloads: [],
    everPaid: new Set(),
  };
}

async function delegate({ stage, model }: World, gig: Gig): Promise<void> {
  await stage.send({ to: zeroAddress, data: '0x', delegations: [await stage.delegation(gig)] });
  model.delegate(gig.wallet);
}

async function revoke({ stage, model }: World, gig: Gig): Promise<void> {
  const nonce = await stage.public.getTransactionCount({ address: gig.wallet });
  const terms = { contractAddress: zeroAddress, chainId: CHAIN_ID, nonce };
  const { r, s, yParity = 0 } = await gig.account.signAuthorization(terms);
  const delegation = { address: zeroAddress, chainId: CHAIN_ID, nonce, r, s, yParity };
  await stage.send({ to: zeroAddress, data: '0x', delegations: [delegation] });
  model.revoke(gig.wallet);
}

/** New wallets with a little of everything, so that some payments find too little. */
async function renewWallets(world: World): Promise<void> {
  const { stage, model, chance, tokens, gigs } = world;
  gigs.length = 0;
  for (let index = 0; index < WALLETS; index += 1) {
    const gig = gigOf();
    gigs.push(gig);
    for (const token of tokens) {
      const amount = BigInt(chance.between(50, 300));
      await token.mint(gig.wallet, amount);
      model.fund(token.address, gig.wallet, amount);
    }
    const wei = BigInt(chance.between(50, 300));
    await stage.test.setBalance({ address: gig.wallet, value: wei });
    model.fund(NATIVE_TOKEN_ADDRESS, gig.wallet, wei);
    await delegate(world, gig);
  }
  world.payloads.length = 0;
}

function drawPayment({ chance, tokens, recipients, gigs }: World, plain: boolean): ContractPayment {
  const safe = tokens.slice(0, 2).map(({ address }) => address);
  const every = [...tokens.map(({ address }) => address), ...safe, NATIVE_TOKEN_ADDRESS, NATIVE_TOKEN_ADDRESS];
  const token = chance.pick(plain ? safe : every);
  const wallets = gigs.map(({ wallet }) => wallet);
  const first = bitOf(chance.pick(NUMBERS));
  const second = bitOf(chance.pick(NUMBERS));
  const bits = second.word === first.word && chance.happens(0.3) ? first.bits | second.bits : first.bits;
  return {
    token,
    to: chance.pick([...recipients, ...recipients, ...wallets]),
    amount: BigInt(chance.between(0, 40)),
    word: first.word,
    bits: chance.happens(0.02) ? 0n : bits,
  };
}

async function drawPayload(world: World, { plain = false } = {}): Promise<Payload> {
  const { chance, gigs, payloads } = world;
  const gig = chance.pick(gigs);
  const payments = Array.from({ length: chance.between(1, 3) }, () => drawPayment(world, plain));
  const { wallet } = gig;
  const isSigned = !chance.happens(0.08);
  const chainId = isSigned ? CHAIN_ID : chance.pick([1, CHAIN_ID]);
  // Unless the chain is another one, an amount that was not signed spoils the signature.
  const spoilt = isSigned || chainId !== CHAIN_ID ? 0n : 1n;
  const signed = payments.map((payment) => ({ ...payment, amount: payment.amount + spoilt }));
  const data = encodePay(payments, await signPay(gig.account, { chainId, wallet, payments: signed }));
  const payload = { wallet, payments, isSigned, data };
  payloads.push(payload);
  return payload;
}

async function anyPayload(world: World): Promise<Payload> {
  const { chance, payloads } = world;
  return payloads.length > 0 && chance.happens(0.25) ? chance.pick(payloads) : await drawPayload(world);
}

function same(found: unknown, expected: unknown, what: string): void {
  const text = (value: unknown) => JSON.stringify(value, (_key, one) => (typeof one === 'bigint' ? `${one}n` : one));
  if (text(found) !== text(expected)) throw new Error(`${what}: found ${text(found)}, expected ${text(expected)}`);
}

/** The events of a receipt are the model's, in order, and name no number for the second time. */
function compareEvents({ model, everPaid }: World, { paid }: Outcome): number {
  const row = ({ wallet, token, to, amount, word, bits }: ModelPayment) => [wallet, token, to, amount, word, bits];
  const expected = model.takeEvents();
  same(paid.map(row), expected.map(row), 'events');
  for (const event of paid) {
    for (const number of bitsToNumbers(event)) {
      const key = `${event.wallet} ${number}`;
      if (everPaid.has(key)) throw new Error(`${key} was paid twice`);
      everPaid.add(key);
    }
  }
  return expected.length;
}

async function payDirectly(world: World): Promise<(string | null)[]> {
  const { stage, model, chance, stranger } = world;
  const isShort = chance.happens(0.1);
  const payload = isShort ? await drawPayload(world, { plain: true }) : await anyPayload(world);
  const call = { to: payload.wallet, data: payload.data, from: chance.pick([stage.tank, stranger]) };
  if (!model.isDelegated(payload.wallet)) {
    const outcome = await stage.send(call);
    same([outcome.succeeded, outcome.paid], [true, []], 'a wallet without code');
    return ['not_delegated'];
  }
  const expected = model.foresee(payload);
  if (isShort) {
    const outcome = await stage.send({ ...call, gas: BigInt(chance.between(35_000, 200_000)) });
    // With too little gas nothing may happen, and otherwise only what the model does.
    if (outcome.succeeded) same(model.attempt(payload), null, 'a payment that is short of gas');
    compareEvents(world, outcome);
    return [outcome.succeeded ? null : (expected ?? 'short')];
  }
  const revert = await stage.revertOf({ to: payload.wallet, data: payload.data });
  same(revert === null ? null : decodeRevert(revert).kind, expected, 'what a simulation says');
  const outcome = await stage.send(call);
  same(model.attempt(payload), expected, 'the model');
  same(outcome.succeeded, expected === null, 'the receipt');
  compareEvents(world, outcome);
  return [expected];
}

async function payInBatch(world: World): Promise<(string | null)[]> {
  const { stage, model, chance } = world;
  const payloads: Payload[] = [];
  for (let count = chance.between(1, 5); count > 0; count -= 1) payloads.push(await anyPayload(world));
  const calls = payloads.map(({ wallet, data }) => ({ wallet, data, gasLimit: BATCH_LIMIT }));
  const outcome = await stage.payMany(calls);
  const expected = payloads.map((payload) => model.attempt(payload));
  same(outcome.succeeded, true, 'a batch');
  const failed = expected.flatMap((kind, index) => (kind === null ? [] : [{ index, kind }]));
  const found = outcome.failed.map(({ index, answer }) => ({ index, kind: decodeRevert(answer).kind }));
  same(found, failed, 'what failed of a batch');
  compareEvents(world, outcome);
  return expected;
}

async function changeDelegation(world: World): Promise<[]> {
  const gig = world.chance.pick(world.gigs);
  await (world.model.isDelegated(gig.wallet) ? revoke(world, gig) : delegate(world, gig));
  return [];
}

async function changeCallback(world: World): Promise<[]> {
  const { stage, model, chance, callers } = world;
  const [caller, payload] = [chance.pick(callers), await anyPayload(world)];
  await callWhilePaid(stage, caller, { to: payload.wallet, data: payload.data });
  model.setCallback(caller, payload);
  return [];
}

/** Every mark and every balance of the wallets is the model's. */
async function compareAll({ stage, model, gigs, tokens, recipients }: World): Promise<void> {
  for (const { wallet } of gigs) {
    const bits = await Promise.all(WORDS.map((word) => stage.marks(wallet, word << 8n)));
    const numbers = WORDS.flatMap((word, index) => bitsToNumbers({ word, bits: bits[index] ?? 0n }));
    const sorted = (all: Iterable<bigint>) => [...all].toSorted((a, b) => (a < b ? -1 : 1));
    same(sorted(numbers), sorted(model.marks(wallet)), `the marks of ${wallet}`);
  }
  for (const owner of [...gigs.map(({ wallet }) => wallet), ...recipients]) {
    for (const { address, balance } of tokens) {
      same(await balance(owner), model.balance(address, owner), `what ${owner} has of ${address}`);
    }
    const wei = await stage.public.getBalance({ address: owner });
    same(wei, model.balance(NATIVE_TOKEN_ADDRESS, owner), `the native money of ${owner}`);
  }
}

async function operate(world: World): Promise<(string | null)[]> {
  const { chance } = world;
  const drawn = chance.next();
  if (drawn < 0.6) return await payDirectly(world);
  if (drawn < 0.85) return await payInBatch(world);
  return drawn < 0.92 ? await changeDelegation(world) : await changeCallback(world);
}

/**
 * Random sequences of payments, replays, batches, call-backs, revocations and lack of gas, held against the model after
 * each step. Uses the shared node, or the one at `url`.
 * @throws Error that names seed and step, when the chain does anything else than the model
 */
export async function fuzzPayer(terms: { seed: number; steps: number; url?: string }): Promise<FuzzCounts> {
  const { seed, steps } = terms;
  const world = await openWorld(seed, terms.url);
  const refused: Record<string, number> = {};
  let made = 0;
  for (let step = 0; step < steps; step += 1) {
    try {
      if (step % ROUND === 0) {
        await compareAll(world);
        await renewWallets(world);
      }
      for (const kind of await operate(world)) {
        if (kind === null) made += 1;
        else refused[kind] = (refused[kind] ?? 0) + 1;
      }
    } catch (error) {
      throw new Error(`seed ${seed}, step ${step}`, { cause: error });
    }
  }
  await compareAll(world);
  return { made, refused };
}
