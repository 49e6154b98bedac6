import { beforeAll, describe, expect, test } from 'vitest';
import { NATIVE_TOKEN_ADDRESS } from '../../../../src/domain/gigs/token.ts';
import type { PayerChain, WalletCall } from '../../../../src/domain/payments/payer-chain.ts';
import { freshAddress } from '../../../support/anvil.ts';
import {
  deployHostileToken,
  deployRecipient,
  type RecipientWay,
  type TokenWay,
} from '../../../support/payer-contracts.ts';
import { answersTo, type Interception, openProxy } from '../../../support/proxies.ts';
import { openTokenPayments, type TokenPayments } from '../../../support/token-payments.ts';

let payments: TokenPayments;
let node: string;
beforeAll(async () => {
  payments = await openTokenPayments();
  node = payments.stage.public.transport.url ?? '';
});

/** A payment in a token of its own, which behaves in this way, from a wallet that holds enough of it. */
async function paymentIn(way: TokenWay): Promise<WalletCall> {
  const odd = await deployHostileToken(payments.stage);
  const call = await payments.payment({ held: 0n, of: odd.address });
  await odd.mint(call.wallet, 100n);
  await odd.set(way);
  return call;
}

/** What a refused simulation says; null when it is not refused. */
async function refusal(payer: PayerChain, call: WalletCall): Promise<{ message: string; isBare: boolean } | null> {
  try {
    await payer.simulate(call);
    return null;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'PaymentRefused') throw error;
    expect(error).toMatchObject({ blockNumber: expect.any(BigInt), isPaid: false });
    const { message, isBare } = error as Error & { isBare: boolean };
    return { message, isBare };
  }
}

/** The same node behind an endpoint that changes what passes. */
async function through(intercept?: Interception) {
  const { url, asked } = await openProxy(node, intercept);
  return { payer: payments.behind(url), asked };
}

describe('a simulation', () => {
  test('behavior: of a wallet that does not delegate yet gives the gas of its first payment', async () => {
    const { payer, stage, pay, payment } = payments;
    const call = await payment();
    const { gas } = await payer.simulate(call);
    const { gasUsed } = await pay(call);
    // The estimate holds what the network gives back afterwards, and a quarter more.
    expect(gas).toBeGreaterThan(gasUsed);
    expect(gas).toBeLessThan((gasUsed * 3n) / 2n);
    expect(await stage.marks(call.wallet)).toBe(1n);
  });

  test('behavior: of a wallet that delegates gives less, and changes nothing', async () => {
    const { payer, stage, pay, call, token } = payments;
    const before = await payments.payment();
    const { gas: first } = await payer.simulate(before);
    await pay(before);
    const later = call(before.gigId, { token: token.address, to: freshAddress(), amount: 10n, numbers: [1n] });
    const { gas } = await payer.simulate(later);
    expect(gas).toBeLessThan(first);
    expect(await stage.marks(before.wallet)).toBe(1n);
  });

  test('behavior: that is refused in the newest block is made again in a named one', async () => {
    const { payer, asked } = await through();
    const head = await payments.stage.public.getBlockNumber();
    await expect(payer.simulate(await payments.payment({ held: 0n }))).rejects.toMatchObject({ isBare: true });
    expect(asked.filter((method) => method === 'eth_estimateGas')).toHaveLength(2);
    await expect(payer.simulate(await payments.payment({ held: 0n }))).rejects.toSatisfy(
      (error: { blockNumber: bigint }) => error.blockNumber >= head,
    );
  });

  test('behavior: that a lagging node refuses is accepted when another one knows better', async () => {
    const lagging = { error: { code: 3, message: 'execution reverted', data: '0x' } };
    const { payer } = await through(({ method, times }) =>
      method === 'eth_estimateGas' && times === 0 ? lagging : undefined,
    );
    expect(await refusal(payer, await payments.payment())).toBeNull();
  });

  test('error: of a wallet with too little says so, and that a lagging node could be the cause', async () => {
    const message = `the transfer of token ${payments.token.address} would fail: balance too low`;
    const poor = await payments.payment({ held: 9n });
    expect(await refusal(payments.payer, poor)).toEqual({ message, isBare: true });
    // In all it owes 20 of the token, and nothing of the native asset.
    const { gigId } = await payments.fundedGig(15n);
    const owed = [payments.token.address, payments.token.address, NATIVE_TOKEN_ADDRESS].map((token, index) => {
      return { token, to: freshAddress(), amount: index < 2 ? 10n : 0n, numbers: [BigInt(index)] };
    });
    expect(await refusal(payments.payer, payments.call(gigId, ...owed))).toEqual({ message, isBare: true });
    const native = await payments.payment({ held: 0n, of: NATIVE_TOKEN_ADDRESS });
    expect(await refusal(payments.payer, native)).toEqual({
      message: `the recipient ${native.payments[0]?.to} would not take the native asset: no reason given`,
      isBare: true,
    });
  });

  const TOKENS: readonly (readonly [TokenWay, string | null])[] = [
    ['Good', null],
    ['Silent', null],
    ['ChargeFee', null],
    ['False', 'the token answers that the transfer fails'],
    ['Reason', 'not today'],
    ['Bare', 'no reason given'],
    ['Burn', 'no reason given'],
  ];
  test.each(TOKENS)('security: of a token that is %s says what it does', async (way, reason) => {
    const answer = await refusal(payments.payer, await paymentIn(way));
    if (reason === null) expect(answer).toBeNull();
    else expect(answer).toMatchObject({ message: expect.stringContaining(reason), isBare: false });
  });

  const REFUSED: readonly TokenWay[] = ['Two', 'Short', 'RevertBomb'];
  test.each(REFUSED)('security: of a token that does %s is refused', async (way) => {
    expect(await refusal(payments.payer, await paymentIn(way))).not.toBeNull();
  });

  const RECIPIENTS: readonly RecipientWay[] = ['Refuse', 'Burn', 'RevertBomb'];
  test.each(RECIPIENTS)('security: to a recipient that does %s with native money is refused', async (way) => {
    const { stage, call, fundedGig } = payments;
    const to = await deployRecipient(stage, way);
    const { gigId } = await fundedGig(0n);
    const payout = call(gigId, { token: NATIVE_TOKEN_ADDRESS, to, amount: 5n, numbers: [0n] });
    await stage.test.setBalance({ address: payout.wallet, value: 5n });
    expect(await refusal(payments.payer, payout)).toMatchObject({ isBare: false });
  });

  test('error: of what needs more gas than a transaction may have is refused', async () => {
    const payer = payments.behind(node, { batchGas: 60_000n });
    expect(await refusal(payer, await payments.payment())).toMatchObject({ message: expect.stringMatching(/gas/) });
  });
});

describe('a node that simulates nothing', () => {
  /** Passes a request without a part of its parameters. */
  function without(method: string, change: (params: unknown[]) => unknown[]) {
    return through(({ ask, ...call }) =>
      call.method === method ? ask(method, change(call.params as unknown[])) : undefined,
    );
  }

  const IGNORES = { name: 'AdapterError', message: expect.stringContaining('ignores EIP-7702 in simulations') };

  test('security: because it ignores the code that a wallet would have, is never taken for a payment', async () => {
    const { payer } = await without('eth_call', ([call, block]) => [call, block]);
    await expect(payer.simulate(await payments.payment())).rejects.toMatchObject({ ...IGNORES, retry: 'never' });
  });

  test('security: because it ignores authorizations, is never taken for a payment', async () => {
    const { payer } = await without('eth_estimateGas', ([call, block]) => {
      const { authorizationList: _list, type: _type, ...rest } = call as Record<string, unknown>;
      return [rest, block];
    });
    await expect(payer.simulate(await payments.payment())).rejects.toMatchObject(IGNORES);
  });

  test('error: because the contracts are not there, is no refusal of the payment', async () => {
    const { payer } = await through(answersTo('eth_call', { result: '0x' }));
    await expect(payer.simulate(await payments.payment())).rejects.toMatchObject({
      name: 'AdapterError',
      retry: 'safe',
    });
  });

  test.each([
    { status: 504, code: -32015, message: 'gateway timeout' },
    { status: 503, code: -32000, message: 'execution reverted' },
    { status: 502, code: -32000, message: 'gas required exceeds allowance (0)' },
    { status: 400, code: 3, message: 'execution reverted' },
    { status: 200, code: -32015, message: 'gateway timeout' },
    { status: 200, code: -32005, message: 'daily requests exceeded, execution reverted' },
    { status: 200, code: -32005, message: 'daily requests exceeded', data: '0x12345678' },
    { status: 200, code: -32016, message: 'over rate limit: gas required exceeds allowance (0)' },
  ])('error: of HTTP $status with $code, "$message", has not refused the payment', async ({ status, ...error }) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, error });
    const { payer } = await through(answersTo('eth_estimateGas', (response) => response.writeHead(status).end(body)));
    await expect(payer.simulate(await payments.payment())).rejects.toMatchObject({
      name: 'AdapterError',
      retry: 'safe',
    });
  });

  test('error: because its estimate is no number, is no refusal of the payment', async () => {
    const { payer } = await through(answersTo('eth_estimateGas', { result: 'much' }));
    const simulation = payer.simulate(await payments.payment());
    await expect(simulation).rejects.toMatchObject({ name: 'AdapterError', reason: 'bad_response' });
  });
});

/** Calldata of this many digits is a payment's, and not a probe's. */
const PAYMENT_DIGITS = 200;

test.each(['first', 'later'])(
  'security: a %s payment that fails with its own estimate is the fault of its token, not of the chain',
  async (which) => {
    const { payment, pay, token } = payments;
    const call = await payment();
    if (which === 'later') await pay(call);
    const next = payments.call(call.gigId, { token: token.address, to: freshAddress(), amount: 1n, numbers: [1n] });
    // What a token does that behaves with plenty of gas and with very little.
    const { payer } = await through(({ method, params }) => {
      const [asked] = Array.isArray(params) ? params : [];
      const isPayment = method === 'eth_estimateGas' && String(asked?.data).length > PAYMENT_DIGITS;
      return isPayment ? { result: '0x7530' } : undefined;
    });
    expect(await refusal(payer, next)).toEqual({
      message: 'the payment fails with the gas that its estimate says',
      isBare: true,
    });
  },
);
