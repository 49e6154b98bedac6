import { parseTransaction, recoverTransactionAddress } from 'viem';
import { expect, onTestFinished, test } from 'vitest';
import { createWallets } from '../../src/chain/wallets.ts';
import { type Chain, chainById } from '../../src/domain/chain.ts';
import { serveJsonRpc } from '../support/json-rpc.ts';
import { createPayer, NATIVE } from '../support/payer.ts';

// The public mnemonic of every local node; the addresses are those of test/chain/wallets.test.ts.
const wallets = createWallets('test test test test test test test test test test test junk');
const GIG_42 = '0x9ebb83fc48833b5aa9baeb1607b3b6384c49da08';
const TANK = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const TOKEN = { address: '0x00000000000000000000000000000000000000aa', isNative: false } as const;
const TO = '0x00000000000000000000000000000000000000bb';
const TERMS = { nonce: 7, gas: 65_000n, maxFeePerGas: 21n, maxPriorityFeePerGas: 1n } as const;

test('behavior: a token transfer is a call of the token, signed by the gig wallet, and nothing is sent', async () => {
  const { writer, wallets: own } = createPayer({ wallets });
  expect(own.gigAddress(42)).toBe(GIG_42);
  const { raw, hash } = await writer.sign(42, { from: GIG_42, token: TOKEN, to: TO, amount: 255n, ...TERMS });
  const serializedTransaction = raw as `0x02${string}`;
  expect(parseTransaction(serializedTransaction)).toMatchObject({
    type: 'eip1559',
    chainId: 31337,
    nonce: 7,
    gas: 65_000n,
    maxFeePerGas: 21n,
    maxPriorityFeePerGas: 1n,
    to: '0x00000000000000000000000000000000000000aa',
    data: `0xa9059cbb${'bb'.padStart(64, '0')}${'ff'.padStart(64, '0')}`,
  });
  expect((await recoverTransactionAddress({ serializedTransaction })).toLowerCase()).toBe(GIG_42);
  expect(
    await writer.inclusion({ hashes: [hash], call: { from: GIG_42, token: TOKEN, to: TO, amount: 255n } }),
  ).toBeNull();
});

test('behavior: a transfer of the native asset carries its value, signed by wallet 0, the gas tank', async () => {
  const { writer } = createPayer({ wallets });
  const { raw } = await writer.sign(0, { from: TANK, token: NATIVE, to: TO, amount: 255n, ...TERMS });
  const serializedTransaction = raw as `0x02${string}`;
  const transaction = parseTransaction(serializedTransaction);
  expect(transaction).toMatchObject({ to: TO, value: 255n });
  expect(transaction.data).toBeUndefined();
  expect((await recoverTransactionAddress({ serializedTransaction })).toLowerCase()).toBe(TANK);
});

test('behavior: the same terms give the same bytes', async () => {
  const { writer } = createPayer({ wallets });
  const call = { from: GIG_42, token: TOKEN, to: TO, amount: 255n, ...TERMS } as const;
  const first = await writer.sign(42, call);
  expect(await writer.sign(42, call)).toEqual(first);
  expect((await writer.sign(42, { ...call, maxFeePerGas: 22n })).hash).not.toBe(first.hash);
});

test.each([
  { wallet: 0, text: 'the gas tank' },
  { wallet: 41, text: 'another gig' },
])('security: $text does not sign in the name of a gig', async ({ wallet }) => {
  const { writer } = createPayer({ wallets });
  const call = { from: GIG_42, token: TOKEN, to: TO, amount: 1n, ...TERMS } as const;
  await expect(writer.sign(wallet, call)).rejects.toThrow('cannot sign for');
});

test('security: nothing is signed for a chain that the endpoint is not', async () => {
  const { writer } = createPayer({ wallets, chain: chainById(8453) as Chain });
  const call = { from: GIG_42, token: TOKEN, to: TO, amount: 1n, ...TERMS } as const;
  await expect(writer.sign(42, call)).rejects.toMatchObject({ name: 'AdapterError', retry: 'never' });
  await expect(writer.broadcast('0x02')).rejects.toMatchObject({ name: 'AdapterError', retry: 'never' });
});

test.each([0, -1, 1.5, Number.NaN])('error: %d is no number of confirmations', (confirmations) => {
  expect(() => createPayer({ wallets, confirmations })).toThrow(RangeError);
});

test('security: the chain is asked before every signature, so that one which changed behind its URL gets none', async () => {
  let id = '0x7a69';
  const server = await serveJsonRpc(() => ({ result: id }));
  onTestFinished(server.close);
  const { writer } = createPayer({ wallets, url: server.url });
  const call = { from: GIG_42, token: TOKEN, to: TO, amount: 1n, ...TERMS } as const;
  await expect(writer.sign(42, call)).resolves.toMatchObject({ raw: expect.stringMatching(/^0x02/) });
  id = '0x1';
  await expect(writer.sign(42, { ...call, nonce: 8 })).rejects.toMatchObject({
    message: 'chain anvil: the endpoint serves chain id 1, expected 31337',
  });
  expect(server.asked).toEqual(['eth_chainId', 'eth_chainId']);
});
