import { type AccountKey, accountKeyText } from '../account.ts';
import type { Address } from '../gigs/token.ts';
import { PLATFORMS } from '../platforms/platforms.ts';

/** An owner who signed in as an account of a platform. */
export interface AccountOwner extends AccountKey {
  readonly kind: 'account';
}

/** An owner who signed in with a wallet. */
export interface WalletOwner {
  readonly kind: 'wallet';
  /** In lower case. */
  readonly address: Address;
  /** The only chain on which a contract's wallet counts: elsewhere its address may be another's. Null for a key's wallet. */
  readonly chainId: number | null;
}

/** A person who owns gigs in the browser. */
export type Owner = AccountOwner | WalletOwner;

/** How the client of an owner's own gigs begins. No API key has such a client. */
export const CLIENT_PREFIX = 'owner:';

const WALLET = /^wallet:(?:([1-9][0-9]{0,15}):)?(0x[0-9a-f]{40})$/;
const ACCOUNT = /^([a-z]+):(.+)$/;

/** An owner as one word: `farcaster:1003`, `wallet:0x…`, or `wallet:8453:0x…` for a contract's wallet on chain 8453. */
export function ownerText(owner: Owner): string {
  if (owner.kind === 'account') return accountKeyText(owner);
  return owner.chainId === null ? `wallet:${owner.address}` : `wallet:${owner.chainId}:${owner.address}`;
}

/** The owner that a word of {@link ownerText} names; null for any other text. */
export function readOwner(text: string): Owner | null {
  const [, chainId, address] = WALLET.exec(text) ?? [];
  if (address !== undefined) {
    // The pattern holds the form of an address.
    return { kind: 'wallet', address: address as Address, chainId: chainId === undefined ? null : Number(chainId) };
  }
  const [, platform = '', platformUserId = ''] = ACCOUNT.exec(text) ?? [];
  const isAccount = PLATFORMS.some(({ id, isId }) => id === platform && isId(platformUserId));
  return isAccount ? { kind: 'account', platform, platformUserId } : null;
}

/** The client to which the gigs belong that an owner creates. `owner` is the word of {@link ownerText}. */
export function ownerClient(owner: string): string {
  return CLIENT_PREFIX + owner;
}

/** Whether a client's name is kept for owners. */
export function isOwnersClient(client: string): boolean {
  return client.trim().toLowerCase().startsWith(CLIENT_PREFIX);
}
