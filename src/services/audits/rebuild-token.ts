import type { Chain } from '../../domain/chain.ts';
import type { PaidEvent } from '../../domain/payer-chain.ts';
import { isMark } from '../../domain/payment-marks.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../../domain/token.ts';
import type { FoundWallet } from './find-wallets.ts';

/** A token that the operator names. */
export interface NamedToken {
  readonly chain: Chain;
  readonly address: Address;
}

/** The token of a gig: what its wallet has paid most often, else what it holds. */
export function tokenOf({ held }: FoundWallet, events: readonly PaidEvent[]): Address {
  const paid = events.filter((event) => !isMark(event));
  const used = [...Map.groupBy(paid, ({ token }) => token)];
  const [most] = used.toSorted(([, a], [, b]) => b.length - a.length);
  if (most !== undefined) return most[0];
  return [...held.keys()].find((token) => token !== NATIVE_TOKEN_ADDRESS) ?? NATIVE_TOKEN_ADDRESS;
}
