import { keccak256 } from 'viem';
import { describe, expect, test } from 'vitest';
import { offerBytes } from '../../../../src/chain/evm/broadcast.ts';
import type { RpcSession } from '../../../../src/chain/rpc/endpoint.ts';
import { readResult } from '../../../../src/chain/rpc/fault.ts';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import type { PayerChain, WalletCall } from '../../../../src/domain/payments/payer-chain.ts';
import type { Payment } from '../../../../src/domain/payments/payment.ts';
import { pulse } from '../../../../src/services/payments/sender/pulse.ts';
import { NODE_REFUSALS } from '../../../support/node-refusals.ts';
import { perTest } from '../../../support/per-test.ts';
import { account } from './bank.ts';
import { BLOCK_MS, DEGEN, expectOnce, openWorld, paidTo, reload } from './world.ts';

type Hex = `0x${string}`;
type Answer = { readonly code: number; readonly message: string } | null;
interface Bytes {
  readonly calls: readonly WalletCall[];
  readonly gas: bigint;
  readonly maxFeePerGas: bigint;
  readonly nonce: number;
}

const ALICE = account(1);
/** Of a block, where few are enough. */
const SLOW_MS = 9_000;
const TOO_LARGE = { code: -32_000, message: 'exceeds block gas limit' };

const world = perTest(openWorld);

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

/** Gigs with a payment each, of another amount each. */
async function planGigs(count: number): Promise<{ gigs: Gig[]; payments: Payment[] }> {
  const { bank } = world;
  const gigs: Gig[] = [];
  for (let each = 0; each < count; each += 1) {
    const gig = await bank.gig({ token: DEGEN });
    await bank.award(gig, ALICE, BigInt(gig.id));
    gigs.push(gig);
  }
  return { gigs, payments: await bank.claim(ALICE) };
}

const holds = (gig: Gig | undefined) => (bytes: Bytes) =>
  bytes.calls.some(({ wallet }) => wallet === gig?.walletAddress);

describe('a transaction that the endpoint finds too large', () => {
  test('security: is halved under the same nonce until it is taken, and everybody is paid once', async () => {
    const { model } = world;
    const { payer, offered } = behind(({ calls }) => (calls.length > 3 ? TOO_LARGE : null));
    const { gigs, payments } = await planGigs(14);
    await pulse(world.bank.deps, payer);
    await pulse(world.bank.deps, payer);
    expect(offered.map(({ calls, nonce }) => [calls.length, nonce])).toEqual([
      [14, 0],
      [7, 0],
      [3, 0],
    ]);
    await passTime(payer, 60_000);
    for (const payment of payments) expect(await reload(world.bank, payment)).toMatchObject({ state: 'confirmed' });
    expect(gigs.map((gig) => paidTo(model, gig))).toEqual(gigs.map(({ id }) => [BigInt(id)]));
    expectOnce(model);
  });

  test('security: with one payment has it fail alone, with the words of the node, and the others are paid', async () => {
    const { payments, gigs } = await planGigs(5);
    const { payer } = behind((bytes) => (holds(gigs[2])(bytes) ? TOO_LARGE : null));
    await passTime(payer, 60_000);
    const states = await Promise.all(payments.map((payment) => reload(world.bank, payment)));
    expect(states.map(({ state }) => state)).toEqual(['confirmed', 'confirmed', 'failed', 'confirmed', 'confirmed']);
    expect(states[2]?.reason).toBe('the endpoint finds its transaction too large: exceeds block gas limit');
    // Its tips can be claimed again, and another endpoint may take it.
    const [again] = await world.bank.claim(ALICE);
    await passTime(world.model.view(world.faults), 20_000);
    expect(await reload(world.bank, again as Payment)).toMatchObject({ state: 'confirmed' });
    expectOnce(world.model);
  });

  test('security: that lands after all is recognized, and nobody is paid twice', async () => {
    const { model, bank } = world;
    const { gigs, payments } = await planGigs(4);
    const { payer } = behind(({ calls }) => (calls.length > 1 ? TOO_LARGE : null));
    await pulse(bank.deps, payer);
    const [whole] = model.signed();
    await pulse(bank.deps, payer);
    model.emptyPool();
    model.reorganise(0, { instead: [whole as Hex] });
    await passTime(payer, 120_000);
    for (const payment of payments) expect(await reload(bank, payment)).toMatchObject({ state: 'confirmed' });
    expect(gigs.map((gig) => paidTo(model, gig))).toEqual(gigs.map(({ id }) => [BigInt(id)]));
    expectOnce(model);
  });

  test('security: is not signed: the limits of the chain hold for the signed bytes, of a raised version too', async () => {
    const { model, bank } = world;
    const { payer, offered } = behind(() => null);
    // The model's bytes are 33 long, and their gas is that of the calls.
    const limits = { ...payer, chain: { ...payer.chain, txGas: 350_000n, txBytes: 33 } };
    const { payments } = await planGigs(8);
    await passTime(limits, 40_000);
    expect(offered.map(({ calls }) => calls.length)).toEqual([3, 3, 2]);
    for (const payment of payments) expect(await reload(bank, payment)).toMatchObject({ state: 'confirmed' });
    expectOnce(model);
    const more = await planGigs(1);
    const none = { ...payer, chain: { ...payer.chain, txBytes: 32 } };
    await passTime(none, 40_000);
    expect(await reload(bank, more.payments[0] as Payment)).toMatchObject({
      state: 'failed',
      reason: 'the payment needs more gas or bytes than its chain takes in one transaction',
    });
  });

  test('error: of several payments of one wallet is halved too', async () => {
    const { bank, model } = world;
    const gig = await bank.gig({ token: DEGEN });
    const made: Payment[] = [];
    for (let each = 0; each < 8; each += 1) {
      await bank.award(gig, account(each), BigInt(100 + each));
      made.push(...(await bank.claim(account(each))));
    }
    const { payer } = behind(({ calls }) => (calls.some(({ payments }) => payments.length > 3) ? TOO_LARGE : null));
    await passTime(payer, 60_000);
    for (const payment of made) expect(await reload(bank, payment)).toMatchObject({ state: 'confirmed' });
    expect(paidTo(model, gig)).toHaveLength(8);
    expectOnce(model);
  });
});

describe('whatever a node refuses', () => {
  test.each(NODE_REFUSALS)('security: $node: $message – the next payment goes out', async (refusal) => {
    const { bank, model } = world;
    const { gigs, payments } = await planGigs(2);
    const [bad, good] = gigs;
    const [refused, paid] = payments;
    if (bad === undefined || good === undefined || refused === undefined || paid === undefined) throw new Error('none');
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
    expect(await reload(bank, paid)).toMatchObject({ state: 'confirmed' });
    const later = await planGigs(1);
    await passTime({ ...payer, fees }, 144_000, SLOW_MS);
    // A payment that has failed is claimed again before it.
    expect(await reload(bank, later.payments.at(-1) as Payment)).toMatchObject({ state: 'confirmed' });
    expect(paidTo(model, good)).toEqual([BigInt(good.id)]);
    expectOnce(model);
  });

  test('behavior: a payment that is refused alone is tried again, rarely, and is paid when the node takes it', async () => {
    const { bank, model } = world;
    let isStrict = true;
    const { gigs, payments } = await planGigs(3);
    const { payer, offered } = behind((bytes) =>
      isStrict && holds(gigs[0])(bytes) ? { code: -32_000, message: 'authority already reserved' } : null,
    );
    await passTime(payer, 600_000);
    expect(await reload(bank, payments[0] as Payment)).toMatchObject({
      state: 'planned',
      reason: 'the endpoint refuses a transaction with it alone: authority already reserved',
    });
    // Another payment never waits for it again.
    const before = offered.length;
    const more = await planGigs(1);
    await passTime(payer, 12_000);
    expect(await reload(bank, more.payments[0] as Payment)).toMatchObject({ state: 'confirmed' });
    expect(offered.length - before).toBeLessThan(3);
    isStrict = false;
    await passTime(payer, 400_000);
    expect(await reload(bank, payments[0] as Payment)).toMatchObject({ state: 'confirmed', reason: null });
    expectOnce(model);
  });

  test('security: a payment that is refused alone is soon found among others that come all the time', async () => {
    const { bank } = world;
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
    const { payments } = await planGigs(1);
    await passTime(payer, 12_000);
    expect(await reload(bank, payments[0] as Payment)).toMatchObject({ state: 'confirmed' });
    expectOnce(world.model);
  });
});
