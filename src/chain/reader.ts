import { type Hex, numberToHex } from 'viem';
import type { ChainReader } from '../domain/chain.ts';
import { AdapterError } from '../domain/errors.ts';
import type { Address } from '../domain/token.ts';
import { createEndpoint, type EndpointOptions, type Session } from './endpoint.ts';
import { decodeDecimals, decodeText, decodeUint, READS } from './erc20.ts';

/** Reads one chain through one endpoint. Nothing is sent before the first call. */
export function createReader(options: EndpointOptions): ChainReader {
  const { chain } = options;
  const endpoint = createEndpoint(options);

  function decode<T>(data: Hex, answer: { token: Address; name: string; by: (data: Hex) => T }): T {
    try {
      return answer.by(data);
    } catch (cause) {
      const message = `chain ${chain.key}: ${answer.name} of token ${answer.token} cannot be decoded`;
      throw new AdapterError({ retry: 'never', reason: 'bad_response', message, cause });
    }
  }

  /**
   * Asked of every token, because an address without code is not always silent: a precompiled contract answers
   * any call, the identity at 0x04 with its own input.
   */
  async function hasCode(rpc: Session, query: { token: Address; block: Hex }): Promise<boolean> {
    return (await rpc.data({ method: 'eth_getCode', params: [query.token, query.block] })) !== '0x';
  }

  function noContract(token: Address, reason: 'bad_response' | 'not_found'): AdapterError {
    const message = `chain ${chain.key}: there is no contract at token address ${token}`;
    return new AdapterError({ retry: 'never', reason, message });
  }

  async function tokenBalance(rpc: Session, query: { token: Address; owner: Address; block: Hex }): Promise<bigint> {
    const { token, owner, block } = query;
    const [exists, data] = await Promise.all([
      hasCode(rpc, query),
      rpc.data({ method: 'eth_call', params: [{ to: token, data: READS.balanceOf(owner) }, block] }),
    ]);
    if (!exists) throw noContract(token, 'bad_response');
    return decode(data, { token, name: 'the balance', by: decodeUint });
  }

  return {
    chain,
    balance: ({ token, owner }) =>
      endpoint.run(async (rpc) => {
        const blockNumber = await rpc.quantity({ method: 'eth_blockNumber' });
        const block = numberToHex(blockNumber);
        const amount = token.isNative
          ? await rpc.quantity({ method: 'eth_getBalance', params: [owner, block] })
          : await tokenBalance(rpc, { token: token.address, owner, block });
        return { amount, blockNumber };
      }),
    tokenMetadata: (token) =>
      endpoint.run(async (rpc) => {
        const block = numberToHex(await rpc.quantity({ method: 'eth_blockNumber' }));
        if (!(await hasCode(rpc, { token, block }))) throw noContract(token, 'not_found');
        const read = (data: Hex) => rpc.data({ method: 'eth_call', params: [{ to: token, data }, block] });
        const [name, symbol, decimals] = await Promise.all([
          read(READS.name),
          read(READS.symbol),
          read(READS.decimals),
        ]);
        return {
          name: decode(name, { token, name: 'the name', by: decodeText }),
          symbol: decode(symbol, { token, name: 'the symbol', by: decodeText }),
          decimals: decode(decimals, { token, name: 'the number of decimals', by: decodeDecimals }),
        };
      }),
    ping: () =>
      endpoint.run(async (rpc) => ({ blockNumber: await rpc.quantity({ method: 'eth_blockNumber' }) }), {
        recheck: true,
      }),
    lastSuccess: endpoint.lastSuccess,
  };
}
