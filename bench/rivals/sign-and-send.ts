import { createPublicClient, http } from 'viem';
import { createWallets } from '../../src/chain/wallets.ts';
import { transferData } from '../../src/sandbox/erc20.ts';

/**
 * What paying costs at the least: each wallet signs one transfer after the other and sends it, with all that could be
 * known known beforehand. Nothing is kept, looked up, tried, or waited for. Prints how long the second half of
 * all transfers took, in milliseconds.
 */
const { url, mnemonic, token, wallets, transfers, recipient } = JSON.parse(process.argv[2] ?? '{}') as {
  url: string;
  mnemonic: string;
  token: `0x${string}`;
  wallets: readonly number[];
  transfers: number;
  recipient: `0x${string}`;
};
const client = createPublicClient({ transport: http(url) });
const keys = createWallets(mnemonic);
const nonces = await Promise.all(
  wallets.map((wallet) => client.getTransactionCount({ address: keys.gigAddress(wallet) })),
);
const fees = await client.estimateFeesPerGas();

const half = (wallets.length * transfers) / 2;
let sent = 0;
let begin = 0;

async function pay(wallet: number, nonce: number): Promise<void> {
  const account = keys.gigAccount(wallet);
  for (let count = 0; count < transfers; count++) {
    const serializedTransaction = await account.signTransaction({
      ...{ chainId: 31337, type: 'eip1559', to: token, data: transferData({ to: recipient, amount: 1n }) },
      ...{ gas: 100_000n, nonce: nonce + count },
      ...{ maxFeePerGas: fees.maxFeePerGas * 2n, maxPriorityFeePerGas: fees.maxPriorityFeePerGas },
    });
    await client.sendRawTransaction({ serializedTransaction });
    sent += 1;
    if (sent === half) begin = performance.now();
  }
}

await Promise.all(wallets.map((wallet, index) => pay(wallet, nonces[index] ?? 0)));
process.stdout.write(`${performance.now() - begin}\n`);
