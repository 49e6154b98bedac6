import { keccak256 } from 'viem';
import { describe, expect, test } from 'vitest';
import { offerBytes } from '../../../../src/chain/evm/broadcast.ts';
import type { RpcSession } from '../../../../src/chain/rpc/endpoint.ts';
import { readResult } from '../../../../src/chain/rpc/fault.ts';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import type { PayerChain, WalletCall } from '../../../../src/domain/payments/payer-chain.ts';
import type { Payment } from '../../../../src/domain/payments/payment.ts';
import { readFacts } from '../../../../src/services/payments/sender/chain.ts';
import { shrink } from '../../../../src/services/payments/sender/give-up.ts';
import { readLedger } from '../../../../src/services/payments/sender/ledger.ts';
import { pulse } from '../../../../src/services/payments/sender/pulse.ts';
import { firstOf } from '../../../support/first-of.ts';
import { NODE_REFUSALS } from '../../../support/node-refusals.ts';
import { seedMark } from '../../../support/payments.ts';
import { perCase } from '../../../support/per-case.ts';
import { replanOne } from '../../../support/store.ts';
import { ALICE } from './bank.ts';
import { BLOCK_MS, DEGEN, expectOnce, openWorld, paidTo, reload, told } from './world.ts';

type Hex = `0x${string}`;
type Answer = { readonly code: number; readonly message: string } | null;
interface Bytes {
  readonly calls: readonly WalletCall[];
  readonly gas: bigint;
  readonly maxFeePerGas: bigint;
  readonly nonce: number;
}

/** Of a block, where few are enough. */
const SLOW_MS = 9_000;
const TOO_LARGE = { code: -32_000, message: 'exceeds block gas limit' };

const world = perCase(openWorld);

/** The model behind a node that reads what it is offered, and answers an error where `refuse` names one. */
function behind(refuse: (bytes: Bytes) => Answer): { payer: PayerChain; offered: Bytes[] } {
  const whole = world.model.view(world.faults);
  const signed = new Map<Hex, Bytes>();
  const offered: Bytes[] = [];
  async function send(raw: Hex): Promise<Hex> {
    const bytes = signed.get(raw);
    if (bytes === undefined) throw new RangeError('bytes that nobody has signed');
    offered.push(bytes);
    const error = refuse(bytes);
    const context = { chainKey: 'anvil', method: 'eth_sendRawTransaction', secrets: [], status: 200 };
    if (error !== null) readResult({ error }, context);
    await whole.broadcast(raw);
    return keccak256(raw);
  }
  const rpc = { send } as unknown as RpcSession;
  const payer: PayerChain = {
    ...whole,
    sign: async (batch) => {
      const made = await whole.sign(batch);
      const { calls, nonce, fees } = batch;
      signed.set(made.raw, { calls, nonce, gas: made.gas, maxFeePerGas: fees.maxFeePerGas });
      return made;
    },
    broadcast: (raw) => offerBytes(rpc, { raw, chainKey: 'anvil' }),
  };
  return { payer, offered };
}

/** Blocks come for so long, and the sender does what there is to do after each. */
async function passTime(payer: PayerChain, ms: number, blockMs = BLOCK_MS): Promise<void> {
  for (let passed = 0; passed < ms; passed += blockMs) {
    for (let steps = 0; steps < 60 && (await pulse(world.bank.deps, payer)) === 'moved'; steps += 1);
    world.advance(blockMs);
    world.model.mine();
  }
}

/** Gigs with a payment each, of another amount each; what was claimed of others before and failed comes first. */
async function planGigs(count: number) {
  const { bank } = world;
  const gigs = await bank.gigs(count, { token: DEGEN });
  for (const gig of gigs) await bank.award(gig, ALICE, BigInt(gig.id));
  const payments = await bank.claim(ALICE);
  return { gigs, payments, first: firstOf(payments), last: firstOf(payments.slice(-1)) };
}

async function expectConfirmed(...payments: readonly Payment[]): Promise<void> {
  for (const payment of payments) expect(await reload(world.bank, payment)).toMatchObject({ state: 'confirmed' });
}

/** Everybody is paid, each by its gig, and once. */
async function expectPaid({ gigs, payments }: { gigs: readonly Gig[]; payments: readonly Payment[] }) {
  await expectConfirmed(...payments);
  expect(gigs.map((gig) => paidTo(world.model, gig))).toEqual(gigs.map(({ id }) => [BigInt(id)]));
  expectOnce(world.model);
}

const holds = (gig: Gig | undefined) => (bytes: Bytes) =>
  bytes.calls.some(({ wallet }) => wallet === gig?.walletAddress);

describe('a transaction that the endpoint finds too large', () => {
  test('security: is halved under the same nonce until it is taken, and everybody is paid once', async () => {
    const { payer, offered } = behind(({ calls }) => (calls.length > 3 ? TOO_LARGE : null));
    const planned = await planGigs(14);
    await pulse(world.bank.deps, payer);
    await pulse(world.bank.deps, payer);
    expect(offered.map(({ calls, nonce }) => [calls.length, nonce])).toEqual([
      [14, 0],
      [7, 0],
      [3, 0],
    ]);
    await passTime(payer, 60_000);
    await expectPaid(planned);
  });

  test('security: with one payment has it fail alone, with the words of the node, and the others are paid', async () => {
    const { payments, gigs } = await planGigs(5);
    const { payer } = behind((bytes) => (holds(gigs[2])(bytes) ? TOO_LARGE : null));
    await passTime(payer, 60_000);
    const states = await Promise.all(payments.map((payment) => reload(world.bank, payment)));
    expect(states.map(({ state }) => state)).toEqual(['confirmed', 'confirmed', 'failed', 'confirmed', 'confirmed']);
    expect(states[2]?.reason).toBe('the endpoint finds its transaction too large: exceeds block gas limit');
    // Its tips can be claimed again, and another endpoint may take it.
    const again = firstOf(await world.bank.claim(ALICE));
    await passTime(world.model.view(world.faults), 20_000);
    await expectConfirmed(again);
    expectOnce(world.model);
  });

  test('security: that lands after all is recognized, and nobody is paid twice', async () => {
    const { model, bank } = world;
    const planned = await planGigs(4);
    const { payer } = behind(({ calls }) => (calls.length > 1 ? TOO_LARGE : null));
    await pulse(bank.deps, payer);
    const whole = firstOf(model.signed());
    await pulse(bank.deps, payer);
    model.emptyPool();
    model.reorganise(0, { instead: [whole] });
    await passTime(payer, 120_000);
    await expectPaid(planned);
  });

  test('security: is not signed: the limits of the chain hold for the signed bytes, of a raised version too', async () => {
    const { model, bank } = world;
    const { payer, offered } = behind(() => null);
    // The model's bytes are 33 long, and their gas is that of the calls.
    const limits = { ...payer, chain: { ...payer.chain, txGas: 350_000n, txBytes: 33 } };
    const { payments } = await planGigs(8);
    await passTime(limits, 40_000);
    expect(offered.map(({ calls }) => calls.length)).toEqual([3, 3, 2]);
    await expectConfirmed(...payments);
    expectOnce(model);
    const { first: more } = await planGigs(1);
    const none = { ...payer, chain: { ...payer.chain, txBytes: 32 } };
    const reason = 'the payment needs more gas or bytes than its chain takes in one transaction';
    await pulse(bank.deps, none);
    const waits = { state: 'planned', reason: `it is tried again: ${reason}`, dueAt: world.clock() + 10_000 };
    expect(await reload(bank, more)).toMatchObject(waits);
    await passTime(none, 40_000);
    expect(await reload(bank, more)).toMatchObject({ state: 'failed', reason });
  });

  test('error: of several payments of one wallet is halved too', async () => {
    const { bank, model } = world;
    const gig = await bank.gig({ token: DEGEN });
    const made = await bank.claimByMany(gig, 8, (each) => BigInt(100 + each));
    const { payer } = behind(({ calls }) => (calls.some(({ payments }) => payments.length > 3) ? TOO_LARGE : null));
    await passTime(payer, 60_000);
    await expectConfirmed(...made);
    expect(paidTo(model, gig)).toHaveLength(8);
    expectOnce(model);
  });
});

describe('a payment that is refused alone', () => {
  const HOUR = 3_600_000;
  const alone = { reason: 'the endpoint refuses a transaction with it alone: authority already reserved' };
  const large = 'the endpoint finds its transaction too large: exceeds block gas limit';

  test.each([
    { message: 'authority already reserved', ms: 90_000, ...alone, waitMs: 90_000 },
    { message: 'authority already reserved', ms: 600_000, ...alone, waitMs: 150_000 },
    { message: 'authority already reserved', ms: 10 * HOUR, ...alone, waitMs: HOUR },
    {
      message: 'nonce too high',
      ms: 90_000,
      reason: /^the endpoint does not take its transaction now: nonce/,
      waitMs: 4_000,
    },
    {
      message: 'txpool is full',
      ms: 90_000,
      reason: /^the endpoint asks for higher fees .*: txpool is full/,
      waitMs: 4_000,
    },
    // Fees have room, and the tank cannot pay them.
    { message: 'txpool is full', ms: 90_000, cap: 100n, reason: /^the endpoint asks for higher fees/, waitMs: 4_000 },
    { message: 'exceeds block gas limit', ms: 0, reason: large, waitMs: null },
  ])('security: $message, for $ms ms: $reason', async ({ message, ms, cap = 10n, reason, waitMs }) => {
    const { bank, model, clock } = world;
    const { payer } = behind(() => ({ code: -32_000, message }));
    const capped = { ...payer, chain: { ...payer.chain, maxFeePerGas: cap } };
    model.tank.balance = 1_000_000n;
    const { first } = await planGigs(1);
    expect(await pulse(bank.deps, capped)).toBe('moved');
    world.advance(ms);
    model.mine();
    expect(await pulse(bank.deps, capped)).toBe('moved');
    const matching = typeof reason === 'string' ? reason : expect.stringMatching(reason);
    const row = waitMs === null ? { state: 'failed' } : { state: 'planned', dueAt: clock() + waitMs };
    expect(await reload(bank, first)).toMatchObject({ ...row, reason: matching, gasUsed: 0n });
    const said = { level: 'warn', msg: 'transaction refused; its payment is planned again', reason: matching };
    const failed = { level: 'error', msg: 'payment failed', paymentId: first.id, reason: matching };
    const lines = bank.lines.slice(bank.lines.findIndex(({ msg }) => msg === said.msg));
    const gone = { ...said, transactionId: 1, nonce: 0, payments: 1 };
    expect(lines).toMatchObject(waitMs === null ? [gone, failed] : [gone]);
    expect(await told(bank)).toEqual(waitMs === null ? ['payment.failed'] : []);
  });

  test('security: a mark that is too large waits, because its gig waits for it', async () => {
    const { bank, clock } = world;
    const gig = await bank.gig({ token: DEGEN });
    await bank.payBefore(await bank.award(gig, ALICE, 5n));
    const mark = await seedMark(bank.store, gig, clock());
    const { payer } = behind(() => TOO_LARGE);
    for (let steps = 0; steps < 2; steps += 1) await pulse(bank.deps, payer);
    const reason = 'the endpoint refuses a transaction with it alone: exceeds block gas limit';
    expect(await reload(bank, mark)).toMatchObject({ state: 'planned', reason, dueAt: clock() + 90_000 });
  });

  test('security: fails no more when another process has planned it again meanwhile', async () => {
    const { bank, clock } = world;
    const { payer } = behind(() => TOO_LARGE);
    const { first } = await planGigs(1);
    await pulse(bank.deps, payer);
    const { transaction } = bank.deps.store;
    const again = { reason: 'again', dueAt: clock(), hasFailed: false, gasUsed: 0n, now: clock() };
    let isFirst = true;
    const late: typeof transaction = async (run, options) => {
      if (isFirst) await transaction((tx) => replanOne(tx, first.id, again));
      isFirst = false;
      return await transaction(run, options);
    };
    const store = new Proxy(bank.deps.store, {
      get: (target, key, receiver) => (key === 'transaction' ? late : Reflect.get(target, key, receiver)),
    });
    await pulse({ ...bank.deps, store }, payer);
    expect(await reload(bank, first)).toMatchObject({ state: 'planned', reason: 'again' });
    expect(await told(bank)).toEqual([]);
  });

  test('behavior: what is left of a larger one keeps its place among what is planned, and why', async () => {
    const { bank, clock } = world;
    const { payer } = behind(({ calls }) => (calls.length > 1 ? TOO_LARGE : null));
    const { payments } = await planGigs(3);
    const dueAt = clock();
    world.advance(5_000);
    await pulse(bank.deps, payer);
    await pulse(bank.deps, payer);
    const reason = 'the endpoint finds its transaction too large: exceeds block gas limit';
    for (const payment of payments.slice(1)) {
      expect(await reload(bank, payment)).toMatchObject({ state: 'planned', reason, dueAt });
    }
    expect(await reload(bank, firstOf(payments))).toMatchObject({ state: 'sent', reason: null });
    const message = 'transaction refused; fewer of its payments are sent at a time';
    expect(bank.lines.filter(({ msg }) => msg === message)).toMatchObject([{ level: 'warn', payments: 3, reason }]);
  });

  test('security: is left aside when another process has replaced what the endpoint said', async () => {
    const { bank, model, clock, faults } = world;
    const { payer } = behind(() => ({ code: -32_000, message: 'authority already reserved' }));
    const { first } = await planGigs(1);
    await pulse(bank.deps, payer);
    await bank.store.transaction((tx) => tx.noteSent(first.id, { reason: null, now: clock() }));
    const [transaction] = (await readLedger(bank.store, model.chain.id)).open;
    if (transaction === undefined) throw new Error('nothing was sent');
    const facts = await readFacts(bank.store, model.view(faults));
    await shrink(bank.deps, payer, { facts, transaction });
    const reason = 'the endpoint refuses a transaction with it alone: ';
    expect(await reload(bank, first)).toMatchObject({ state: 'planned', reason, dueAt: clock() + 90_000 });
  });
});

describe('whatever a node refuses', () => {
  test.each(NODE_REFUSALS)('security: $node: $message – the next payment goes out', async (refusal) => {
    const { bank, model } = world;
    const { gigs, first: refused, last: paid } = await planGigs(2);
    const [bad, good] = [firstOf(gigs), firstOf(gigs.slice(1))];
    // Fees help where the node asks for more, and nothing helps otherwise.
    const isRefused = (bytes: Bytes) =>
      refusal.objection === 'too_cheap' ? bytes.maxFeePerGas < 12n : holds(bad)(bytes);
    const { payer } = behind((bytes) => (isRefused(bytes) ? refusal : null));
    const fees = async () => ({ maxFeePerGas: 10n, maxPriorityFeePerGas: 1n });
    // The clock’s last digits are added to the fee.
    await passTime({ ...payer, fees }, 4_000);
    const held = await reload(bank, refused);
    if (held.state !== 'confirmed') expect(held.reason).toContain(refusal.message.slice(0, 12));
    // As long as the rules of raising and releasing allow, and the blocks that a payment needs.
    await passTime({ ...payer, fees }, 144_000, SLOW_MS);
    await expectConfirmed(paid);
    const { last: later } = await planGigs(1);
    await passTime({ ...payer, fees }, 144_000, SLOW_MS);
    // A payment that has failed is claimed again before it.
    await expectConfirmed(later);
    expect(paidTo(model, good)).toEqual([BigInt(good.id)]);
    expectOnce(model);
  });

  test('behavior: a payment that is refused alone is tried again, rarely, and is paid when the node takes it', async () => {
    const { bank, model } = world;
    let isStrict = true;
    const { gigs, first: refused } = await planGigs(3);
    const { payer, offered } = behind((bytes) =>
      isStrict && holds(gigs[0])(bytes) ? { code: -32_000, message: 'authority already reserved' } : null,
    );
    await passTime(payer, 600_000);
    const reason = 'the endpoint refuses a transaction with it alone: authority already reserved';
    expect(await reload(bank, refused)).toMatchObject({ state: 'planned', reason });
    // Another payment never waits for it again.
    const before = offered.length;
    const { first: more } = await planGigs(1);
    await passTime(payer, 12_000);
    await expectConfirmed(more);
    expect(offered.length - before).toBeLessThan(3);
    isStrict = false;
    await passTime(payer, 400_000);
    expect(await reload(bank, refused)).toMatchObject({ state: 'confirmed', reason: null });
    expectOnce(model);
  });

  test('security: a payment that is refused alone is soon found among others that come all the time', async () => {
    const { gigs } = await planGigs(6);
    const refusal = { code: -32_000, message: 'authority already reserved' };
    const { payer, offered } = behind((bytes) => (holds(gigs[4])(bytes) ? refusal : null));
    const minutes = async (count: number) => {
      for (let each = 0; each < 3 * count; each += 1) {
        await planGigs(1);
        await passTime(payer, 20_000);
      }
    };
    await minutes(12);
    const before = offered.length;
    await minutes(2);
    expect(offered.slice(before).some((bytes) => bytes.calls.length > 1)).toBe(false);
    const { first } = await planGigs(1);
    await passTime(payer, 12_000);
    await expectConfirmed(first);
    expectOnce(world.model);
  });
});
