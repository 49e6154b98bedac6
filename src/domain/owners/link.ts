import type { AccountKey } from '../account.ts';
import { addressesAfter, readNamedAddress } from '../claims/claim.ts';
import type { Address } from '../gigs/token.ts';
import { DAY_MS, MINUTE_MS } from '../time.ts';

/** A link is checked this long after its reply was sent, so that its author can take back what another has posted. */
export const LINK_WAIT_MS = 10 * MINUTE_MS;
/** An older link is checked no more: its author has to post anew. Its reply may have been held for a day. Milliseconds. */
export const LINK_CHECKED_FOR_MS = 2 * DAY_MS;

/** The wallet of an account, by a post of the account. Times are epoch milliseconds. */
export interface WalletLink extends AccountKey {
  readonly id: number;
  /** In lower case. */
  readonly wallet: Address;
  /** The post that asked for it. */
  readonly postId: string;
  /** The mention that this post is. */
  readonly mentionId: number;
  readonly createdAt: number;
  /** Null while it waits for its reply, and for the look whether its post is still there. */
  readonly validFrom: number | null;
}

/** The addresses of the command `link`, as they were typed; null for any other text. */
export const linkedAddresses = addressesAfter('link');

/** The addresses of the command `unlink`, which it may have, as they were typed; null for any other text. */
export const unlinkedAddresses = addressesAfter('unlink');

export type LinkProblem = 'no_address' | 'several_addresses' | 'invalid_address';

/** The one wallet that the words of `link` name, read as a claim reads its address. */
export function readWallet(named: readonly string[]): { readonly wallet: Address } | LinkProblem {
  const [first, ...more] = named;
  if (first === undefined) return 'no_address';
  if (more.length > 0) return 'several_addresses';
  const wallet = readNamedAddress(first);
  return wallet === null ? 'invalid_address' : { wallet };
}
