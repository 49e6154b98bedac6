import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { anvilClients, freshAddress, fundNative, mined } from '../support/anvil.ts';
import { createPayer } from '../support/payer.ts';

test('behavior: whoever spent a nonce is found in the chain, however long ago', async () => {
  const { writer } = createPayer();
  const account = privateKeyToAccount(generatePrivateKey());
  const address = `0x${account.address.slice(2).toLowerCase()}` as const;
  await fundNative(address, 10n ** 18n);
  const { wallet, test: node } = anvilClients();
  const hashes: string[] = [];
  for (let nonce = 0; nonce < 3; nonce += 1) {
    const hash = await wallet.sendTransaction({ account, to: freshAddress(), value: 1n, nonce });
    await mined(hash);
    hashes.push(hash);
    await node.mine({ blocks: nonce === 0 ? 200 : 3 });
  }
  for (const [nonce, hash] of hashes.entries()) expect(await writer.transactionAtNonce({ address, nonce })).toBe(hash);
  expect(await writer.transactionAtNonce({ address, nonce: 3 })).toBeNull();
});
