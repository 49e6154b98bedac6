import { numberToHex } from 'viem';
import type { ChainAuditor } from '../domain/chain.ts';
import { AdapterError } from '../domain/errors.ts';
import { balanceAt } from './evm/balance.ts';
import { findTokensSent } from './evm/events.ts';
import { findInclusion } from './evm/inclusion.ts';
import { nonceCount } from './evm/nonces.ts';
import { createEndpoint, type EndpointOptions } from './rpc/endpoint.ts';

/** Audits wallets of one chain through one endpoint. Nothing is sent before the first request. */
export function createChainAuditor(options: EndpointOptions): ChainAuditor {
  const { chain } = options;
  const { confirmations, key: chainKey } = chain;
  const endpoint = createEndpoint(options);

  return {
    chain,
    block: (since) =>
      endpoint.run(async (rpc) => {
        const head = await rpc.quantity({ method: 'eth_blockNumber' });
        if (head < since) {
          const message = `chain ${chainKey}: the endpoint is at block ${head}, before block ${since}`;
          throw new AdapterError({ retry: 'safe', reason: 'bad_response', message });
        }
        const counted = head - BigInt(confirmations) + 1n;
        return counted > since ? counted : since;
      }),
    wallet: ({ token, owner, blockNumber }) =>
      endpoint.run(async (rpc) => {
        const [held, spentNonces] = await Promise.all([
          balanceAt(rpc, { chainKey, token, owner, blockNumber }),
          nonceCount(rpc, { address: owner, block: numberToHex(blockNumber) }),
        ]);
        return { held, spentNonces };
      }),
    spentNonces: ({ address, blockNumber }) =>
      endpoint.run((rpc) => nonceCount(rpc, { address, block: numberToHex(blockNumber) })),
    tokensSent: (query) => findTokensSent(endpoint, { ...query, chainKey }),
    inclusion: (query) => endpoint.run((rpc) => findInclusion(rpc, { ...query, chainKey, confirmations })),
  };
}
