import { expect, inject, onTestFinished, test } from 'vitest';
import { deployToken, freshAddress } from '../../support/anvil.ts';
import type { Answer } from '../../support/json-rpc.ts';
import { deployOdd, setting } from '../../support/odd-tokens.ts';
import { createPayer } from '../../support/payer.ts';
import { serveRpcProxy } from '../../support/rpc-proxy.ts';
import { stepPayments } from '../../support/steps.ts';
import { ALICE, type Cashier, openCashier } from '../cashier.ts';

const ETHER = 10n ** 18n;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TIMING = { refusedMs: 10_000, barelyRefusedMs: 30_000 };

/** A cashier whose trials go through an endpoint that answers `faulty` to some methods, for as long as it is told to. */
async function open(faulty: Readonly<Record<string, Answer>> = {}) {
  const state = { isFaulty: true };
  const proxy = await serveRpcProxy(inject('anvilUrl'), ({ method }) => {
    const answer = state.isFaulty ? faulty[method] : undefined;
    return answer === undefined ? undefined : Promise.resolve(answer);
  });
  onTestFinished(proxy.close);
  const { simulateTransfer: tryTransfer } = createPayer({ url: proxy.url, retries: 0 }).writer;
  const cashier = await openCashier({
    timing: TIMING,
    wrap: (writer) => ({ ...writer, simulateTransfer: tryTransfer }),
  });
  onTestFinished(cashier.close);
  await cashier.fundTank(ETHER);
  return { cashier, state };
}

async function claimed(cashier: Cashier, recipient = freshAddress()) {
  const asset = await deployToken({ decimals: 6 });
  const gig = await cashier.gig({ asset, tips: [{ account: ALICE, amount: 5n }] });
  await cashier.store.transaction((tx) =>
    tx.recordGigTransaction(
      {
        gigId: gig.id,
        tokenId: gig.token.id,
        chainId: 31337,
        amount: 1_000_000n,
        commissionAmount: 0n,
        blockNumber: 2n,
        spentNonces: 0,
        checkBlock: null,
      },
      cashier.clock(),
    ),
  );
  const { claim } = await cashier.claim(cashier.post(ALICE, `claim my rewards ${recipient}`));
  const payout = async () => {
    const [transfer] = await cashier.store.transfersOfClaim(claim.id);
    return { state: transfer?.state, reason: transfer?.reason };
  };
  return { payout, recipient, asset };
}

async function later(cashier: Cashier, ms: number): Promise<void> {
  cashier.advance(ms);
  await stepPayments(cashier.paying);
}

const SHORT = { error: { code: 3, message: 'execution reverted: ERC20: transfer amount exceeds balance' } };

test('error: a node that lags behind the funding never makes a payment fail, however long it lags', async () => {
  const { cashier, state } = await open({
    eth_call: SHORT,
    eth_estimateGas: SHORT,
    eth_blockNumber: { result: '0x1' },
  });
  const { payout, recipient, asset } = await claimed(cashier);
  for (let days = 0; days < 3; days += 1) await later(cashier, DAY);
  expect(await payout()).toEqual({
    state: 'planned',
    reason: 'the node that tried it lags behind what the ledger knows of the chain',
  });
  state.isFaulty = false;
  await cashier.settle();
  expect(await payout()).toEqual({ state: 'confirmed', reason: null });
  expect(await cashier.held(asset, recipient)).toBe(5n);
});

test.each([
  { text: 'a revert without data', answer: { error: { code: -32000, message: 'execution reverted' } } },
  { text: 'a revert with empty data', answer: { error: { code: 3, message: 'execution reverted', data: '0x' } } },
])('error: $text is tried again for longer, and fails for good only when it lasts', async ({ answer }) => {
  const { cashier, state } = await open({ eth_call: answer });
  const first = await claimed(cashier);
  const reason = 'it is tried again: the transfer would revert: no reason given';
  await later(cashier, 0);
  await later(cashier, TIMING.barelyRefusedMs - 1);
  expect(await first.payout()).toEqual({ state: 'planned', reason });
  state.isFaulty = false;
  await cashier.settle();
  expect(await first.payout()).toEqual({ state: 'confirmed', reason: null });

  state.isFaulty = true;
  const second = await claimed(cashier);
  await later(cashier, 0);
  await later(cashier, TIMING.barelyRefusedMs);
  expect(await second.payout()).toEqual({ state: 'failed', reason: 'the transfer would revert: no reason given' });
});

test.each([
  { text: 'insufficient funds for gas', code: -32000 },
  { text: 'insufficient funds for gas, said as a revert', code: 3 },
])('error: $text is waited for, however long', async ({ code }) => {
  const message = 'insufficient funds for gas * price + value: address 0xbb have 0 want 1';
  const { cashier, state } = await open({ eth_estimateGas: { error: { code, message } } });
  const { payout } = await claimed(cashier);
  for (let days = 0; days < 3; days += 1) await later(cashier, DAY);
  expect(await payout()).toMatchObject({ state: 'planned' });
  state.isFaulty = false;
  await cashier.settle();
  expect(await payout()).toEqual({ state: 'confirmed', reason: null });
});

test('error: a revert of the token’s own fails for good once it has lasted, also on a clock that was set back', async () => {
  const { cashier } = await open();
  const token = await deployOdd('BlockingToken');
  const recipient = freshAddress();
  await token.change(setting.blocked(recipient, true));
  const claim = async () => {
    await cashier.gig({ asset: token, tips: [{ account: ALICE, amount: 5n }] });
    const status = await cashier.claim(cashier.post(ALICE, `claim my rewards ${recipient}`));
    return async () => (await cashier.status(status)).transfers[0]?.state;
  };
  const first = await claim();
  await later(cashier, 0);
  await later(cashier, TIMING.refusedMs - 1);
  expect(await first()).toBe('planned');
  await later(cashier, 1);
  expect(await first()).toBe('failed');

  const second = await claim();
  await later(cashier, 0);
  expect(await second()).toBe('planned');
  await later(cashier, -DAY);
  expect(await second()).toBe('failed');
});
