import { expect, onTestFinished, test } from 'vitest';
import type { TransferCall } from '../../src/domain/chain.ts';
import { anvilClients, deployToken, freshAddress, fundNative, fundToken, startAnvil } from '../support/anvil.ts';
import { deployOdd, setting } from '../support/odd-tokens.ts';
import { createPayer, NATIVE, type Payer, type SignTerms } from '../support/payer.ts';

const GAS_MONEY = 10n ** 18n;

function erc20(token: { address: `0x${string}` }) {
  return { address: token.address, isNative: false };
}

async function ownNode() {
  const anvil = await startAnvil();
  onTestFinished(anvil.stop);
  return { url: anvil.url, node: anvilClients(anvil.url).test };
}

/** Signs, broadcasts and looks. */
async function pay(payer: Payer, { call, ...terms }: { call: TransferCall } & SignTerms) {
  const signed = await payer.signed(call, terms);
  await payer.land(signed);
  const { hash } = signed;
  return { hash, landing: await payer.writer.inclusion({ hashes: [hash], call }) };
}

test('behavior: a token transfer moves its amount, to the base unit, and costs what the wallet lost', async () => {
  const payer = createPayer();
  const token = await deployToken({ decimals: 6 });
  await fundToken(token, payer.gig, 1_500_001n);
  await fundNative(payer.gig, GAS_MONEY);
  const to = freshAddress();
  const call = { from: payer.gig, token: erc20(token), to, amount: 1_500_001n };
  const { hash, landing } = await pay(payer, { call, nonce: 0 });
  expect(landing).toMatchObject({ hash, final: true, moved: 1_500_001n });
  expect(await payer.writer.nativeBalance(payer.gig)).toBe(GAS_MONEY - (landing?.gasSpent ?? 0n));
  expect(await payer.writer.spentNonces(payer.gig)).toEqual({ latest: 1, final: 1 });
});

test('behavior: a transfer of the native asset moves its amount', async () => {
  const payer = createPayer();
  await fundNative(payer.gig, GAS_MONEY);
  const call = { from: payer.gig, token: NATIVE, to: freshAddress(), amount: 123n };
  const { landing } = await pay(payer, { call, nonce: 0 });
  expect(landing).toMatchObject({ final: true, moved: 123n });
  expect(await payer.writer.nativeBalance(call.to)).toBe(123n);
});

test('behavior: a token that takes a fee moves the whole amount, and one that answers nothing too', async () => {
  const payer = createPayer();
  await fundNative(payer.gig, GAS_MONEY);
  for (const [nonce, name] of (['FeeToken', 'SilentToken'] as const).entries()) {
    const token = await deployOdd(name);
    await fundToken(token, payer.gig, 100n);
    if (name === 'FeeToken') await token.change(setting.charging);
    const call = { from: payer.gig, token: erc20(token), to: freshAddress(), amount: 100n };
    expect((await pay(payer, { call, nonce })).landing).toMatchObject({ final: true, moved: 100n });
  }
});

test('error: a token that says yes and moves nothing has moved nothing', async () => {
  const payer = createPayer();
  await fundNative(payer.gig, GAS_MONEY);
  const token = await deployOdd('MuteToken');
  await fundToken(token, payer.gig, 100n);
  await token.change(setting.muted);
  const call = { from: payer.gig, token: erc20(token), to: freshAddress(), amount: 100n };
  expect((await pay(payer, { call, nonce: 0 })).landing).toMatchObject({ final: true, moved: 0n });
});

test('error: a transfer that reverts in its block moves nothing and costs gas', async () => {
  const payer = createPayer();
  await fundNative(payer.gig, GAS_MONEY);
  const token = await deployOdd('BlockingToken');
  await fundToken(token, payer.gig, 100n);
  const call = { from: payer.gig, token: erc20(token), to: freshAddress(), amount: 100n };
  const signed = await payer.signed(call, { nonce: 0 });
  await token.change(setting.blocked(call.to, true));
  await payer.land(signed);
  const landing = await payer.writer.inclusion({ hashes: [signed.hash], call });
  expect(landing).toMatchObject({ moved: 0n, final: true });
  expect(landing?.gasSpent).toBeGreaterThan(0n);
});

test('error: a transfer of the native asset that reverts moves nothing', async () => {
  const payer = createPayer();
  await fundNative(payer.gig, GAS_MONEY);
  const door = await deployOdd('Door');
  const call = { from: payer.gig, token: NATIVE, to: door.address, amount: 100n };
  const signed = await payer.signed(call, { nonce: 0 });
  await door.change(setting.closed);
  await payer.land(signed);
  expect(await payer.writer.inclusion({ hashes: [signed.hash], call })).toMatchObject({ moved: 0n, final: true });
});

test('behavior: a landing counts when as many blocks hold it as must, its own included', async () => {
  const { url, node } = await ownNode();
  const payer = createPayer({ url, confirmations: 3 });
  await fundNative(payer.gig, GAS_MONEY, url);
  const call = { from: payer.gig, token: NATIVE, to: freshAddress(), amount: 1n };
  const { hash, landing } = await pay(payer, { call, nonce: 0 });
  expect(landing).toMatchObject({ blockNumber: 2n, final: false });
  expect(await payer.writer.spentNonces(payer.gig)).toEqual({ latest: 1, final: 0 });
  await node.mine({ blocks: 1 });
  expect(await payer.writer.inclusion({ hashes: [hash], call })).toMatchObject({ final: false });
  expect(await payer.writer.spentNonces(payer.gig)).toEqual({ latest: 1, final: 0 });
  await node.mine({ blocks: 1 });
  expect(await payer.writer.inclusion({ hashes: [hash], call })).toMatchObject({ final: true });
  expect(await payer.writer.spentNonces(payer.gig)).toEqual({ latest: 1, final: 1 });
});

test('behavior: more confirmations than the chain has blocks are counted from its first one', async () => {
  const { url } = await ownNode();
  const payer = createPayer({ url, confirmations: 1_000 });
  expect(await payer.writer.spentNonces(payer.gig)).toEqual({ latest: 0, final: 0 });
});

test('behavior: what waits has not landed, and a dearer attempt of it lands instead of it, once', async () => {
  const { url, node } = await ownNode();
  const payer = createPayer({ url });
  const token = await deployToken({ decimals: 18 }, url);
  await fundToken(token, payer.gig, 100n, url);
  await fundNative(payer.gig, GAS_MONEY, url);
  await node.setAutomine(false);
  const call = { from: payer.gig, token: erc20(token), to: freshAddress(), amount: 60n };
  const { maxFeePerGas } = await payer.writer.fees();
  const cheap = await payer.signed(call, { nonce: 0, maxFeePerGas, maxPriorityFeePerGas: 1n });
  await payer.writer.broadcast(cheap.raw);
  await payer.writer.broadcast(cheap.raw);
  expect(await payer.writer.inclusion({ hashes: [cheap.hash], call })).toBeNull();
  expect(await payer.writer.spentNonces(payer.gig)).toEqual({ latest: 0, final: 0 });

  const same = await payer.signed(call, { nonce: 0, maxFeePerGas, maxPriorityFeePerGas: 1n, gas: 90_000n });
  await expect(payer.writer.broadcast(same.raw)).rejects.toMatchObject({ retry: 'safe', reason: 'rejected' });

  const terms = { maxFeePerGas: maxFeePerGas * 2n, maxPriorityFeePerGas: 10n ** 9n };
  const dear = await payer.signed(call, { nonce: 0, ...terms });
  await payer.writer.broadcast(dear.raw);
  await node.mine({ blocks: 1 });
  const landing = await payer.writer.inclusion({ hashes: [cheap.hash, same.hash, dear.hash], call });
  expect(landing).toMatchObject({ hash: dear.hash, moved: 60n, final: true });
  expect(await payer.writer.spentNonces(payer.gig)).toEqual({ latest: 1, final: 1 });
  // Either answer is honest of a node that has dropped the first attempt.
  await expect(payer.writer.broadcast(cheap.raw)).rejects.toMatchObject({ retry: 'unknown', reason: 'rejected' });
});

test('behavior: what a reorganisation took out of the chain has not landed, and lands again', async () => {
  const { url, node } = await ownNode();
  const payer = createPayer({ url, confirmations: 2 });
  await fundNative(payer.gig, GAS_MONEY, url);
  const snapshot = await node.snapshot();
  const call = { from: payer.gig, token: NATIVE, to: freshAddress(), amount: 5n };
  const signed = await payer.signed(call, { nonce: 0 });
  const { hash } = signed;
  await payer.land(signed);
  expect(await payer.writer.inclusion({ hashes: [hash], call })).toMatchObject({ moved: 5n, final: false });
  await node.revert({ id: snapshot });
  expect(await payer.writer.inclusion({ hashes: [hash], call })).toBeNull();
  expect(await payer.writer.spentNonces(payer.gig)).toEqual({ latest: 0, final: 0 });
  await payer.land(signed);
  await node.mine({ blocks: 1 });
  expect(await payer.writer.inclusion({ hashes: [hash], call })).toMatchObject({ hash, moved: 5n, final: true });
  expect(await payer.writer.nativeBalance(call.to)).toBe(5n);
});

test('error: a wallet without gas cannot broadcast, and can once it has some', async () => {
  const payer = createPayer();
  const token = await deployToken({ decimals: 18 });
  await fundToken(token, payer.gig, 100n);
  const call = { from: payer.gig, token: erc20(token), to: freshAddress(), amount: 100n };
  const signed = await payer.signed(call, { nonce: 0 });
  await expect(payer.writer.broadcast(signed.raw)).rejects.toMatchObject({
    name: 'AdapterError',
    retry: 'safe',
    message: expect.stringContaining('does not hold'),
  });
  await fundNative(payer.gig, GAS_MONEY);
  await payer.land(signed);
  expect(await payer.writer.inclusion({ hashes: [signed.hash], call })).toMatchObject({ moved: 100n });
});

test('error: too little gas is not broadcast', async () => {
  const payer = createPayer();
  await fundNative(payer.gig, GAS_MONEY);
  const call = { from: payer.gig, token: NATIVE, to: freshAddress(), amount: 1n };
  const { raw } = await payer.signed(call, { nonce: 0, gas: 20_000n });
  await expect(payer.writer.broadcast(raw)).rejects.toMatchObject({
    retry: 'safe',
    message: expect.stringContaining('too little gas'),
  });
});
