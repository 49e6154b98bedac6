import { keccak256, numberToHex } from 'viem';
import type { ChainWriter } from '../domain/chain.ts';
import { offer } from './evm/broadcast.ts';
import { transactionOf } from './evm/erc20.ts';
import { FEES_MS, feesOfNow } from './evm/fees.ts';
import { findInclusion } from './evm/inclusion.ts';
import { deepBlock, nonceCount, spentNonces } from './evm/nonces.ts';
import { simulate } from './evm/simulate.ts';
import { findTransactionAtNonce } from './evm/transaction-at-nonce.ts';
import { createEndpoint, type EndpointOptions } from './rpc/endpoint.ts';
import { shareFor } from './rpc/shared.ts';
import type { Wallets } from './wallets.ts';

export interface WriterOptions extends EndpointOptions {
  readonly wallets: Pick<Wallets, 'gigAccount' | 'gasTankAccount'>;
}

/**
 * Pays on one chain through one endpoint. Nothing is sent before the first call.
 * @throws RangeError when the chain's number of confirmations is not a whole number from 1
 */
export function createChainWriter(options: WriterOptions): ChainWriter {
  const { chain, wallets } = options;
  const { confirmations } = chain;
  if (!Number.isInteger(confirmations) || confirmations < 1) throw new RangeError(`confirmations: ${confirmations}`);
  const endpoint = createEndpoint(options);
  const chainKey = chain.key;

  return {
    chain,
    confirmations,
    simulateTransfer: (transfer) => endpoint.run(async (rpc) => ({ gas: await simulate(rpc, { transfer, chainKey }) })),
    fees: shareFor(() => endpoint.run((rpc) => feesOfNow(rpc, chain)), { ms: FEES_MS, clock: options.clock }),
    sign: (wallet, call) =>
      // Opening the session proves that the endpoint serves the chain that the signature names.
      endpoint.run(
        async () => {
          const account = wallet === 0 ? wallets.gasTankAccount() : wallets.gigAccount(wallet);
          if (account.address.toLowerCase() !== call.from) {
            throw new Error(`wallet ${wallet} is ${account.address}, which cannot sign for ${call.from}`);
          }
          const { nonce, gas, maxFeePerGas, maxPriorityFeePerGas } = call;
          const terms = { nonce, gas, maxFeePerGas, maxPriorityFeePerGas, ...transactionOf(call) };
          const raw = await account.signTransaction({ type: 'eip1559', chainId: chain.id, ...terms });
          return { hash: keccak256(raw), raw };
        },
        { recheck: true },
      ),
    broadcast: (raw) => endpoint.run((rpc) => offer(rpc, { raw, chainKey })),
    inclusion: (query) => endpoint.run((rpc) => findInclusion(rpc, { ...query, chainKey, confirmations })),
    pendingNonces: (address) => endpoint.run((rpc) => nonceCount(rpc, { address, block: 'pending' })),
    noncesAt: ({ address, blockNumber }) =>
      endpoint.run((rpc) => nonceCount(rpc, { address, block: numberToHex(blockNumber) })),
    spentNonces: (address) => endpoint.run((rpc) => spentNonces(rpc, { address, confirmations })),
    transactionAtNonce: ({ address, nonce }) =>
      endpoint.run(async (rpc) => {
        const head = await rpc.quantity({ method: 'eth_blockNumber' });
        return await findTransactionAtNonce(rpc, { address, nonce, until: deepBlock(head, confirmations) });
      }),
    nativeBalance: (address) =>
      endpoint.run((rpc) => rpc.quantity({ method: 'eth_getBalance', params: [address, 'latest'] })),
  };
}
