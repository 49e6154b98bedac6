import type { ActKind } from '../../../domain/earning/act.ts';
import type { Earning } from '../../../domain/earning/earning.ts';
import { isUndone } from '../../../domain/earning/gates.ts';
import type { GigWatch } from '../../../domain/earning/watch.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import type { StoreReads } from '../../../store/port/index.ts';

async function missingBy(
  store: StoreReads,
  earning: Earning,
  { watch, window }: { watch: GigWatch; window: Gig },
): Promise<ActKind | null> {
  const acts = await store.observations(earning.gigId, earning);
  const isMissing = acts.every((act) => isUndone(act, { watch, window }));
  return isMissing ? (acts.find(({ id }) => id === earning.observationId)?.kind ?? null) : null;
}

/** What a held account did in a gig, if none of it is there any more as far as is known; null otherwise. */
export async function findMissing(store: StoreReads, gig: Gig, earning: Earning): Promise<ActKind | null> {
  const watch = earning.state === 'held' ? await store.watch(gig.id) : null;
  return watch === null ? null : await missingBy(store, earning, { watch, window: gig });
}

/** A held account has no facts of its own. */
async function usernameOf(store: StoreReads, earning: Earning): Promise<string | null> {
  const account = await store.account(earning);
  if (account !== null && account.username !== null) return account.username;
  const evaluations = await store.evaluations(earning.gigId, earning);
  return evaluations.findLast(({ facts }) => facts !== null)?.facts?.username ?? null;
}

/** Accounts in a gig, with what else is known of those that are held: their handle, and what is not there any more. */
export async function withHeld<Account extends { readonly username: string | null; readonly earning: Earning | null }>(
  store: StoreReads,
  gig: Gig,
  accounts: readonly Account[],
): Promise<(Account & { readonly missing: ActKind | null })[]> {
  const isHeld = accounts.some(({ earning }) => earning?.state === 'held');
  const watch = isHeld ? await store.watch(gig.id) : null;
  const tell = async (account: Account) => {
    const { earning } = account;
    if (earning?.state !== 'held') return { ...account, missing: null };
    const username = account.username ?? (await usernameOf(store, earning));
    const missing = watch === null ? null : await missingBy(store, earning, { watch, window: gig });
    return { ...account, username, missing };
  };
  return await Promise.all(accounts.map(tell));
}
