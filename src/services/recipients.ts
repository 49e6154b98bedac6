import type { GigWallets } from '../domain/chains/chain.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../domain/gigs/token.ts';
import type { ChainContext, ReadContext } from './context.ts';

const ZERO_ADDRESS: Address = '0x0000000000000000000000000000000000000000';

/** What tells addresses apart at which money would be lost. */
export interface RecipientReads extends ReadContext {
  /** Null when no mnemonic is configured. */
  readonly wallets: GigWallets | null;
}

/**
 * Whether money that is sent to an address would be lost, or come back to the service: the zero address, the native asset's
 * pseudo-address, a token's, the service's own wallets, and the contracts by which they pay.
 */
export async function isLostRecipient({ store, wallets }: RecipientReads, recipient: Address): Promise<boolean> {
  const own = wallets === null ? [] : [wallets.gasTankAddress(), ...wallets.contractAddresses()];
  if ([ZERO_ADDRESS, NATIVE_TOKEN_ADDRESS, ...own].includes(recipient)) return true;
  return await store.isOwnAddress(recipient);
}

/** The same where chains are asked. */
export type RecipientContext = ChainContext & RecipientReads;

/**
 * Whether money would be lost at an address that somebody names for a chain: as {@link isLostRecipient}, and where the
 * address answers there as a token does, because the store knows only the tokens of its gigs.
 * @throws AdapterError when the chain does not answer
 */
export async function losesMoney(
  deps: RecipientContext,
  { chainId, recipient }: { readonly chainId: number; readonly recipient: Address },
): Promise<boolean> {
  if (await isLostRecipient(deps, recipient)) return true;
  const [held] = await deps.chains.reader(chainId).balances([{ wallet: recipient, token: recipient }]);
  return held !== undefined && held !== null;
}
