import { expect, onTestFinished, test } from 'vitest';
import { minedReceipt } from '../../sandbox/receipt.ts';
import { anvilClients, freshAccount, freshAddress, startAnvil } from '../support/anvil.ts';

test('behavior: the receipt of a transaction comes with its block, and no other block is needed for it', async () => {
  const node = await startAnvil();
  onTestFinished(node.stop);
  const { wallet, public: chain, test: control } = anvilClients(node.url);
  const account = await freshAccount(node.url);
  await control.setAutomine(false);
  const hash = await wallet.sendTransaction({ account, to: freshAddress(), value: 1n });
  const before = await chain.getBlockNumber();
  const receipt = minedReceipt(chain, hash);
  await expect(Promise.race([receipt, chain.getTransaction({ hash })])).resolves.toMatchObject({ blockNumber: null });
  await control.mine({ blocks: 1 });
  expect(await receipt).toMatchObject({ status: 'success', blockNumber: before + 1n });
  expect(await chain.getBlockNumber()).toBe(before + 1n);
});
