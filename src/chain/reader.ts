import { type Hex, numberToHex } from 'viem';
import type { ChainReader } from '../domain/chains/chain.ts';
import { AdapterError } from '../domain/errors.ts';
import type { Address, TokenPlace } from '../domain/gigs/token.ts';
import { LOCAL_ID } from './endpoint-survey.ts';
import { balanceAt, decodeAnswer, hasCode, noContract, readBalances } from './evm/balance.ts';
import { decodeDecimals, decodeText, READS } from './evm/erc20.ts';
import { findStanding } from './evm/inclusion.ts';
import { readFeeds } from './evm/price-feeds.ts';
import { findFirstBlock } from './first-block.ts';
import { requireBlock } from './payer/read/blocks.ts';
import { type BlockTag, createEndpoint, type EndpointOptions, type RpcSession } from './rpc/endpoint.ts';
import { createManyReads } from './rpc/many-reads.ts';

async function readUse(
  rpc: RpcSession,
  { chainKey, owner, token }: { chainKey: string; owner: Address; token: TokenPlace },
) {
  const blockNumber = await rpc.quantity({ method: 'eth_blockNumber' });
  const params: [Address, BlockTag] = [owner, numberToHex(blockNumber)];
  const [nonces, code, wei, amount] = await Promise.all([
    rpc.quantity({ method: 'eth_getTransactionCount', params }),
    rpc.data({ method: 'eth_getCode', params }),
    rpc.quantity({ method: 'eth_getBalance', params }),
    token.isNative ? 0n : balanceAt(rpc, { chainKey, token, owner, blockNumber }),
  ]);
  return { spentNonces: Number(nonces), hasCode: code !== '0x', wei, amount };
}

async function readMetadata(rpc: RpcSession, asked: { chainKey: string; token: Address }) {
  const { token } = asked;
  const block = numberToHex(await rpc.quantity({ method: 'eth_blockNumber' }));
  if (!(await hasCode(rpc, { token, block }))) throw noContract(asked, 'not_found');
  const read = (data: Hex) => rpc.data({ method: 'eth_call', params: [{ to: token, data }, block] });
  const [name, symbol, decimals] = await Promise.all([read(READS.name), read(READS.symbol), read(READS.decimals)]);
  return {
    name: decodeAnswer(name, { ...asked, name: 'the name', by: decodeText }),
    symbol: decodeAnswer(symbol, { ...asked, name: 'the symbol', by: decodeText }),
    decimals: decodeAnswer(decimals, { ...asked, name: 'the number of decimals', by: decodeDecimals }),
  };
}

/** Reads one chain through one endpoint. Nothing is sent before the first call. */
export function createChainReader(options: EndpointOptions): ChainReader {
  const { chain } = options;
  const chainKey = chain.key;
  const endpoint = createEndpoint(options);
  const readMany = createManyReads(endpoint);
  /** Whether its newest block was the first one of all: a node that has not begun to synchronize answers well otherwise. */
  let isEmpty = false;

  return {
    chain,
    decide: (run) => run(),
    balance: ({ token, owner }) =>
      endpoint.run(async (rpc) => {
        const blockNumber = await rpc.quantity({ method: 'eth_blockNumber' });
        return { amount: await balanceAt(rpc, { chainKey, token, owner, blockNumber }), blockNumber };
      }),
    balanceIn: (query) =>
      endpoint.run(async (rpc) => ({
        amount: await balanceAt(rpc, { ...query, chainKey }),
        blockNumber: query.blockNumber,
      })),
    balances: async (queries) => {
      const newest = await endpoint.run((rpc) => rpc.quantity({ method: 'eth_blockNumber' }));
      return await readBalances(readMany, queries, newest);
    },
    settledBlock: () =>
      endpoint.run(async (rpc) => {
        const counted = (await rpc.quantity({ method: 'eth_blockNumber' })) - BigInt(chain.confirmations) + 1n;
        return counted > 0n ? counted : 0n;
      }),
    newestBlock: () => endpoint.run((rpc) => requireBlock(rpc, 'latest', chainKey)),
    firstBlockSince: (time) => endpoint.run((rpc) => findFirstBlock(rpc, chain, time)),
    useOf: (query) => endpoint.run((rpc) => readUse(rpc, { ...query, chainKey })),
    standingOf: (hash) => endpoint.run((rpc) => findStanding(rpc, hash, chainKey)),
    tokenMetadata: (token) => endpoint.run((rpc) => readMetadata(rpc, { chainKey, token })),
    feeds: (feeds) => readFeeds(readMany, feeds),
    async ping() {
      const newest = endpoint.run((rpc) => rpc.quantity({ method: 'eth_blockNumber' }), { recheck: true });
      const blockNumber = await newest;
      isEmpty = blockNumber === 0n && chain.id !== LOCAL_ID;
      if (!isEmpty) return { blockNumber };
      const message = `chain ${chainKey}: the endpoint has no blocks: its newest one is 0`;
      throw new AdapterError({ retry: 'safe', reason: 'bad_response', message });
    },
    lastSuccess: () => (isEmpty ? null : endpoint.lastSuccess()),
    endpoints: () => [],
  };
}
