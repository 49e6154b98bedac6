import { numberToHex } from 'viem';
import type { LocalAccount } from 'viem/accounts';
import type { Address } from '../../../domain/gigs/token.ts';
import { nonceCount } from '../../evm/nonces.ts';
import type { BlockTag, RpcSession, SimulatedAuthorization } from '../../rpc/endpoint.ts';
import { DELEGATION_CODE } from '../contract/contracts.ts';
import { type Delegation, signDelegation } from '../contract/signature.ts';

/** What a wallet's code is: TipPayer's delegation, none yet, or other code, which must never be used. */
export type DelegationState = 'delegated' | 'undelegated' | 'foreign';

async function readState(rpc: RpcSession, wallet: Address, block: BlockTag): Promise<DelegationState> {
  const code = await rpc.data({ method: 'eth_getCode', params: [wallet, block] });
  if (code === '0x') return 'undelegated';
  return code.toLowerCase() === DELEGATION_CODE ? 'delegated' : 'foreign';
}

/** The state of a wallet, with the authorization that it needs if it does not delegate yet. */
export async function readDelegation(
  rpc: RpcSession,
  query: { chainId: number; account: LocalAccount; wallet: Address; block: BlockTag },
): Promise<{ state: DelegationState; authorization: Delegation | null }> {
  const { chainId, account, wallet, block } = query;
  const state = await readState(rpc, wallet, block);
  if (state !== 'undelegated') return { state, authorization: null };
  // Another account sends the transaction, so the wallet's own nonce is not spent before the authorization counts.
  const nonce = await nonceCount(rpc, { address: wallet, block });
  return { state, authorization: await signDelegation(account, { chainId, nonce }) };
}

/** Authorizations as a simulated transaction has them. */
export function simulatedAuthorizations(
  authorizations: readonly Delegation[],
): { type: '0x4'; authorizationList: SimulatedAuthorization[] } | undefined {
  if (authorizations.length === 0) return undefined;
  // Numbers without zeros in front: Geth and its descendants refuse others, and every sixth signature would have some.
  const authorizationList = authorizations.map(({ address, chainId, nonce, r, s, yParity }) => ({
    address,
    chainId: numberToHex(chainId),
    nonce: numberToHex(nonce),
    r: numberToHex(BigInt(r)),
    s: numberToHex(BigInt(s)),
    yParity: numberToHex(yParity),
  }));
  return { type: '0x4', authorizationList };
}
