import { type Hex, numberToHex, size } from 'viem';
import type { BalanceQuery } from '../../domain/chains/chain.ts';
import { AdapterError } from '../../domain/errors.ts';
import { type Address, NATIVE_TOKEN_ADDRESS, type TokenPlace } from '../../domain/gigs/token.ts';
import { isTooLong } from '../rpc/bytes.ts';
import { type BlockTag, type ReadQuestion, type RpcSession, toData, toQuantity } from '../rpc/endpoint.ts';
import { RpcFault } from '../rpc/fault.ts';
import type { ReadMany } from '../rpc/many-reads.ts';
import { decodeUint, READS } from './erc20.ts';

const WORD_BYTES = 32;

export interface TokenQuestion {
  readonly chainKey: string;
  readonly token: Address;
}

/** Decodes a contract's answer. @throws AdapterError that names what cannot be decoded */
export function decodeAnswer<T>(data: Hex, answer: TokenQuestion & { name: string; by: (data: Hex) => T }): T {
  try {
    return answer.by(data);
  } catch (cause) {
    const message = `chain ${answer.chainKey}: ${answer.name} of token ${answer.token} cannot be decoded`;
    throw new AdapterError({ retry: 'never', reason: 'bad_response', message, cause });
  }
}

/**
 * Checked for every token, because an address without code is not always silent: a precompiled contract answers
 * any call, the identity at 0x04 with its own input.
 */
export async function hasCode(rpc: RpcSession, query: { token: Address; block: BlockTag }): Promise<boolean> {
  return (await rpc.data({ method: 'eth_getCode', params: [query.token, query.block] })) !== '0x';
}

/** The error for a token address without a contract. */
export function noContract({ chainKey, token }: TokenQuestion, reason: 'bad_response' | 'not_found'): AdapterError {
  const message = `chain ${chainKey}: there is no contract at token address ${token}`;
  return new AdapterError({ retry: 'never', reason, message });
}

interface Holding {
  readonly chainKey: string;
  readonly token: TokenPlace;
  readonly owner: Address;
  readonly blockNumber: bigint;
}

/** The balance of an address in one token and block, in base units. */
export async function balanceAt(rpc: RpcSession, query: Holding): Promise<bigint> {
  const { chainKey, owner } = query;
  const block = numberToHex(query.blockNumber);
  if (query.token.isNative) return await rpc.quantity({ method: 'eth_getBalance', params: [owner, block] });
  const token = query.token.address;
  const [exists, data] = await Promise.all([
    hasCode(rpc, { token, block }),
    rpc.data({ method: 'eth_call', params: [{ to: token, data: READS.balanceOf(owner) }, block] }),
  ]);
  if (!exists) throw noContract({ chainKey, token }, 'bad_response');
  return decodeAnswer(data, { chainKey, token, name: 'the balance', by: decodeUint });
}

/** As {@link balanceAt}; null when the token cannot report it. */
export async function findBalance(rpc: RpcSession, query: Holding): Promise<bigint | null> {
  try {
    return await balanceAt(rpc, query);
  } catch (error) {
    if (error instanceof AdapterError && error.reason === 'bad_response' && error.retry === 'never') return null;
    throw error;
  }
}

function holdingOf({ wallet, token }: BalanceQuery, block: BlockTag): ReadQuestion<bigint | null> {
  if (token === NATIVE_TOKEN_ADDRESS) {
    return { read: { method: 'eth_getBalance', params: [wallet, block] }, accept: toQuantity };
  }
  return {
    read: { method: 'eth_call', params: [{ to: token, data: READS.balanceOf(wallet) }, block] },
    accept: (result) => {
      if (isTooLong(result)) return null;
      const data = toData(result);
      if (data === undefined) return undefined;
      return size(data) < WORD_BYTES ? null : decodeUint(data);
    },
  };
}

/** What wallets hold after a block, in the order of the queries; null where a token cannot tell. */
export async function readBalances(
  readMany: ReadMany,
  queries: readonly BalanceQuery[],
  blockNumber: bigint,
): Promise<(bigint | null)[]> {
  const block = numberToHex(blockNumber);
  const answers = await readMany(queries.map((query) => holdingOf(query, block)));
  return answers.map((answer) => (answer instanceof RpcFault ? null : answer));
}
