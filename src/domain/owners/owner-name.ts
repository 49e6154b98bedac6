import { type AccountKey, accountKeyText } from '../account.ts';
import { addressField } from '../fields.ts';
import type { Address } from '../gigs/token.ts';
import { platformFacts, platformNamed } from '../platforms/platforms.ts';

/** Who owns gigs: an account, or a wallet. A wallet that is a contract is one of its chain alone. */
export type OwnerName =
  | { readonly kind: 'account'; readonly account: AccountKey }
  | { readonly kind: 'wallet'; readonly wallet: Address; readonly chainId: number | null };

/** An owner who may create gigs where only those may whom the operator lists. */
export interface AllowedOwner {
  readonly id: number;
  /** As {@link ownerNameText} writes it. */
  readonly owner: string;
  /** Epoch milliseconds. */
  readonly allowedAt: number;
}

const WALLET = /^wallet:(?:([1-9][0-9]{0,14}):)?(0x[0-9a-f]{40})$/i;
const ACCOUNT = /^([a-z]+):([0-9]+)$/;

function readWalletName(text: string): OwnerName | null {
  const [, chainId, address] = WALLET.exec(text) ?? [];
  const wallet = addressField('owner').safeParse(address).data;
  return wallet === undefined
    ? null
    : { kind: 'wallet', wallet, chainId: chainId === undefined ? null : Number(chainId) };
}

/** Reads an owner's name, such as `farcaster:1003`, `x:22`, `wallet:0x…` or `wallet:8453:0x…`; null for anything else. */
export function readOwnerName(text: string): OwnerName | null {
  const [, name = '', platformUserId = ''] = ACCOUNT.exec(text) ?? [];
  const platform = platformNamed(name);
  if (platform === undefined) return readWalletName(text);
  return platformFacts(platform).isId(platformUserId)
    ? { kind: 'account', account: { platform, platformUserId } }
    : null;
}

/** An owner's name as it is stored: `twitter:22`, or `wallet:0x…` in lower case. */
export function ownerNameText(owner: OwnerName): string {
  if (owner.kind === 'account') return accountKeyText(owner.account);
  return owner.chainId === null ? `wallet:${owner.wallet}` : `wallet:${owner.chainId}:${owner.wallet}`;
}
