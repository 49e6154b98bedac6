import { type Hex, numberToHex } from 'viem';
import { AdapterError } from '../../domain/errors.ts';
import type { Address, Token } from '../../domain/token.ts';
import type { BlockTag, RpcSession } from '../rpc/endpoint.ts';
import { decodeUint, READS } from './erc20.ts';

/** A read of a token's contract. */
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

/** An address's holding of a token in a block. */
interface BalanceQuery {
  readonly chainKey: string;
  readonly token: Pick<Token, 'address' | 'isNative'>;
  readonly owner: Address;
  readonly blockNumber: bigint;
}

/** The balance of an address in one token and block, in base units. */
export async function balanceAt(rpc: RpcSession, query: BalanceQuery): Promise<bigint> {
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
export async function findBalance(rpc: RpcSession, query: BalanceQuery): Promise<bigint | null> {
  try {
    return await balanceAt(rpc, query);
  } catch (error) {
    if (error instanceof AdapterError && error.reason === 'bad_response' && error.retry === 'never') return null;
    throw error;
  }
}
