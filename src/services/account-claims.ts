import type { Account, AccountKey, AccountName } from '../domain/account.ts';
import type { ClaimableGroup } from '../domain/tip.ts';
import type { Transfer } from '../domain/transfer.ts';
import type { Store } from '../store/port.ts';
import { findClaimable } from './claimable.ts';

/** What one account can claim, and what it was paid. */
export interface AccountClaims {
  /** Whom a handle belongs to now, or the account with the id, known or not; null for a handle nobody is known to hold. */
  readonly account: Account | null;
  /** Whether the store has that account. */
  readonly known: boolean;
  readonly claimable: readonly ClaimableGroup[];
  /** A page of the confirmed payouts of its claims, newest first. */
  readonly paid: readonly Transfer[];
  /** The `before` of the next page, or null on the last one. */
  readonly next: number | null;
}

const NOBODY: AccountClaims = { account: null, known: false, claimable: [], paid: [], next: null };

type Deps = { readonly store: Pick<Store, 'account' | 'accountByHandle' | 'pendingTips' | 'paidTo'> };

async function findAccount({ store }: Deps, name: AccountName): Promise<Account | null> {
  return 'handle' in name ? await store.accountByHandle(name.platform, name.handle) : await store.account(name);
}

/** What an account can claim, what is being paid and what was paid. An account nobody knows has nothing. */
export async function findAccountClaims(
  deps: Deps,
  query: { readonly name: AccountName; readonly limit: number; readonly before?: number | undefined },
): Promise<AccountClaims> {
  const { name } = query;
  const found = await findAccount(deps, name);
  const account = found ?? ('handle' in name ? null : { ...name, username: null });
  if (account === null) return NOBODY;
  const { platform, platformUserId } = account;
  const key: AccountKey = { platform, platformUserId };
  const page = { limit: query.limit + 1, before: query.before };
  const [claimable, payouts] = await Promise.all([
    findClaimable(deps, { identifiers: [key] }),
    deps.store.paidTo(key, page),
  ]);
  const paid = payouts.slice(0, query.limit);
  return {
    account,
    known: found !== null,
    claimable,
    paid,
    next: payouts.length > query.limit ? (paid.at(-1)?.id ?? null) : null,
  };
}
