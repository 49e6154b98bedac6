import type { Actor } from '../../domain/actor.ts';
import type { Chain } from '../../domain/chain.ts';
import { AdapterError, DomainError } from '../../domain/errors.ts';
import type { PaidEvent } from '../../domain/payer-chain.ts';
import { isMark } from '../../domain/payment-marks.ts';
import { type Address, NATIVE_TOKEN_ADDRESS, type Token } from '../../domain/token.ts';
import { findOrAddToken, type TokenDeps } from '../gigs/tokens.ts';
import type { FoundWallet } from './find-wallets.ts';

/** A token that the operator names. */
export interface NamedToken {
  readonly chain: Chain;
  readonly address: Address;
}

export type ChoiceDeps = TokenDeps & { readonly actor: Actor };

/**
 * What a chain does not answer about a token or a wallet, null when it is the only thing that it does not answer.
 * @throws AdapterError when the chain answers nothing
 */
export async function unlessSilent<T>({ chains }: TokenDeps, chain: Chain, asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    // The contract is no token that can be stored.
    if (error instanceof DomainError) return null;
    if (!(error instanceof AdapterError)) throw error;
    await chains.reader(chain.id).ping();
    return null;
  }
}

/** A token's facts; null when the contract does not tell them. */
export async function findFacts(deps: ChoiceDeps, { chain, address }: NamedToken): Promise<Token | null> {
  return await unlessSilent(deps, chain, findOrAddToken(deps, { chain, address, actor: deps.actor }));
}

/** The token of a gig: what its wallet has paid most often, else what it holds. */
export function tokenOf({ held }: FoundWallet, events: readonly PaidEvent[]): Address {
  const paid = events.filter((event) => !isMark(event));
  const used = [...Map.groupBy(paid, ({ token }) => token)];
  const [most] = used.toSorted(([, a], [, b]) => b.length - a.length);
  if (most !== undefined) return most[0];
  return [...held.keys()].find((token) => token !== NATIVE_TOKEN_ADDRESS) ?? NATIVE_TOKEN_ADDRESS;
}
