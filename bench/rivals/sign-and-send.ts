import { createPublicClient, http } from 'viem';
import { transferData } from '../../sandbox/erc20.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import { race, raceOptions } from './race.ts';

/**
 * What paying costs at the least: each wallet signs one transfer after the other and sends it, with all that could be
 * known known beforehand. Nothing is kept, looked up, tried, or waited for.
 */
const options = raceOptions();
const { url, mnemonic, token, wallets, recipient } = options;
const client = createPublicClient({ transport: http(url) });
const keys = createWallets(mnemonic);
const found = wallets.map(
  async (wallet) => [wallet, await client.getTransactionCount({ address: keys.gigAddress(wallet) })] as const,
);
const nonces = new Map(await Promise.all(found));
const fees = await client.estimateFeesPerGas();

await race(options, async (wallet, count) => {
  const serializedTransaction = await keys.gigAccount(wallet).signTransaction({
    chainId: 31337,
    type: 'eip1559',
    to: token,
    data: transferData({ to: recipient, amount: 1n }),
    gas: 100_000n,
    nonce: (nonces.get(wallet) ?? 0) + count,
    maxFeePerGas: fees.maxFeePerGas * 2n,
    maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
  });
  await client.sendRawTransaction({ serializedTransaction });
});
