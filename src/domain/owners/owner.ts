import { type AccountKey, accountKeyText } from '../account.ts';
import { addressField } from '../fields.ts';
import type { Address } from '../gigs/token.ts';
import { platformFacts, platformNamed } from '../platforms/platforms.ts';

export interface AccountOwner extends AccountKey {
  readonly kind: 'account';
}

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

const WALLET = /^wallet:(?:([1-9][0-9]{0,14}):)?(0x[0-9a-f]{40})$/i;
const ACCOUNT = /^([a-z]+):([0-9]+)$/;

/** An owner as one word: `farcaster:1003`, `wallet:0x…`, or `wallet:8453:0x…` for a contract's wallet on chain 8453. */
export function ownerText(owner: Owner): string {
  if (owner.kind === 'account') return accountKeyText(owner);
  return owner.chainId === null ? `wallet:${owner.address}` : `wallet:${owner.chainId}:${owner.address}`;
}

function readWalletOwner(text: string): Owner | null {
  const [, chainId, given] = WALLET.exec(text) ?? [];
  const address = addressField('owner').safeParse(given).data;
  return address === undefined
    ? null
    : { kind: 'wallet', address, chainId: chainId === undefined ? null : Number(chainId) };
}

/** The owner that a word names, also as people write it: `x:22`, a wallet with its checksum. Null for any other text. */
export function readOwner(text: string): Owner | null {
  const [, name = '', platformUserId = ''] = ACCOUNT.exec(text) ?? [];
  const platform = platformNamed(name);
  if (platform === undefined) return readWalletOwner(text);
  return platformFacts(platform).isId(platformUserId) ? { kind: 'account', platform, platformUserId } : null;
}

/** The client to which the gigs belong that an owner creates. `owner` is the word of {@link ownerText}. */
export function ownerClient(owner: string): string {
  return CLIENT_PREFIX + owner;
}

/** Whether a client's name is kept for owners. */
export function isOwnersClient(client: string): boolean {
  return client.trim().toLowerCase().startsWith(CLIENT_PREFIX);
}
