import type { ChainReader, GigWallets } from '../domain/chain.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../domain/token.ts';
import type { StoreReads } from '../store/port/index.ts';

const ZERO_ADDRESS: Address = '0x0000000000000000000000000000000000000000';

export interface RecipientDeps {
  readonly store: Pick<StoreReads, 'isOwnAddress'>;
  /** Null when no mnemonic is configured. */
  readonly wallets: GigWallets | null;
}

/**
 * Whether money that is sent to an address would be lost, or come back to the service: the zero address, the native asset's
 * pseudo-address, a token's, the service's own wallets, and the contracts by which they pay.
 */
export async function isLostRecipient({ store, wallets }: RecipientDeps, recipient: Address): Promise<boolean> {
  const own = wallets === null ? [] : [wallets.gasTankAddress(), ...wallets.contractAddresses()];
  if ([ZERO_ADDRESS, NATIVE_TOKEN_ADDRESS, ...own].includes(recipient)) return true;
  return await store.isOwnAddress(recipient);
}

/**
 * Whether an address answers as a token does, by its chain: the store knows only the tokens of its gigs.
 * @throws AdapterError when the chain does not answer
 */
export async function answersAsToken(reader: ChainReader, address: Address): Promise<boolean> {
  const [held] = await reader.balances([{ wallet: address, token: address }]);
  return held !== undefined && held !== null;
}
