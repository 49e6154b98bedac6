import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { padHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { createDepositChains } from '../../../src/chain/registry.ts';
import { createWallets } from '../../../src/chain/wallets.ts';
import type { Address } from '../../../src/domain/gigs/token.ts';
import { type DepositChain, DepositRefused } from '../../../src/domain/x402/deposit-chain.ts';
import {
  anvilClients,
  deployToken,
  freshAddress,
  fundToken,
  mined,
  type TestToken,
  tokenBalance,
} from '../../support/anvil.ts';
import { ANVIL, createPayer } from '../../support/payer.ts';
import { deployUsdc } from '../../support/x402.ts';

const wallets = createWallets(generateMnemonic(wordlist));
const TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;
const DOMAIN = { name: 'USD Coin', version: '2' };

let token: TestToken;
let chain: DepositChain;
beforeAll(async () => {
  token = await deployUsdc();
  const endpoints = [{ chain: ANVIL, rpcUrls: [inject('anvilUrl')] as const }];
  chain = createDepositChains({ endpoints, clock: Date.now, wallets })(ANVIL.id);
  await anvilClients().test.setBalance({ address: wallets.gasTankAddress(), value: 10n ** 18n });
});

async function signed(amount = 100n) {
  const key = privateKeyToAccount(generatePrivateKey());
  const payer: Address = `0x${key.address.slice(2).toLowerCase()}`;
  await fundToken(token, payer, amount);
  const to = freshAddress();
  const { timestamp } = await anvilClients().public.getBlock();
  const [validAfter, validBefore] = [0, Number(timestamp) + 600];
  const nonce = padHex(payer, { size: 32 });
  const message = { from: payer, to, value: amount, validAfter: 0n, validBefore: BigInt(validBefore), nonce };
  const domain = { ...DOMAIN, chainId: ANVIL.id, verifyingContract: token.address };
  const signature = await key.signTypedData({
    domain,
    types: TYPES,
    primaryType: 'TransferWithAuthorization',
    message,
  });
  return { payer, to, amount, validAfter, validBefore, nonce, signature, token: token.address };
}

describe('a token', () => {
  test('behavior: says what its payers sign by, and its separator confirms it', async () => {
    expect(await chain.signingDomain(token.address)).toEqual(DOMAIN);
  });

  test('security: without authorizations, or without code, is not taken', async () => {
    const plain = await deployToken({ decimals: 6, name: 'USD Coin' });
    expect(await chain.signingDomain(plain.address)).toBeNull();
    expect(await chain.signingDomain(freshAddress())).toBeNull();
  });
});

describe('an authorization', () => {
  test('behavior: is simulated, signed for the gas tank, found by its event, and used once', async () => {
    const transfer = await signed();
    expect(await chain.signerOf(transfer, DOMAIN)).toBe('key');
    const { gas } = await chain.simulate(transfer);
    const { payer } = createPayer({ wallets });
    const { raw, hash } = await chain.sign(transfer, { gas, nonce: 0, fees: await payer.fees() });
    const asked = { token: token.address, payer: transfer.payer, nonce: transfer.nonce };
    const before = await anvilClients().public.getBlockNumber();
    expect(await chain.isSpent({ ...asked, blockNumber: before })).toBe(false);
    await payer.broadcast(raw);
    const { blockNumber } = await mined(hash);
    expect(await chain.isSpent({ ...asked, blockNumber })).toBe(true);
    expect(await chain.findUse({ ...asked, from: before, to: blockNumber })).toEqual({ hash, blockNumber });
    expect(
      await chain.findUse({ ...asked, nonce: padHex('0x1', { size: 32 }), from: before, to: blockNumber }),
    ).toBeNull();
    expect(await chain.isCancelled({ ...asked, from: before, to: blockNumber })).toBe(false);
    expect(await tokenBalance(token, transfer.to)).toBe(100n);
    await expect(chain.simulate(transfer)).rejects.toThrow(DepositRefused);
  });

  test('security: of another amount or payer is not signed, and would revert', async () => {
    const transfer = await signed();
    for (const other of [
      { ...transfer, amount: 99n },
      { ...transfer, payer: freshAddress() },
    ]) {
      expect(await chain.signerOf(other, DOMAIN)).toBeNull();
      await expect(chain.simulate(other)).rejects.toThrow(/invalid signature/);
    }
  });

  test('behavior: of a wallet that writes the parity alone is the same', async () => {
    const transfer = await signed();
    const last = Number(`0x${transfer.signature.slice(-2)}`);
    const signature: `0x${string}` = `0x${transfer.signature.slice(2, -2)}0${last - 27}`;
    expect(await chain.signerOf({ ...transfer, signature }, DOMAIN)).toBe('key');
    expect((await chain.simulate({ ...transfer, signature })).gas).toBeGreaterThan(21_000n);
  });
});
