import { MOST_HOLDERS } from '../../../domain/chains/chain.ts';
import { type EntryTerms, type HolderEntry, isGivenUp, slotAfter } from '../../../domain/earning/holding/entry.ts';
import { UNKNOWN_PAUSE_MS } from '../../../domain/earning/holding/holding.ts';
import type { AccountFacts } from '../../../domain/earning/platform.ts';
import type { Address } from '../../../domain/gigs/token.ts';
import { HOUR_MS, MINUTE_MS } from '../../../domain/time.ts';
import type { StoreTx } from '../../../store/port/index.ts';
import type { WatchContext, WatchedGig } from '../context.ts';
import { askToken, sumHeld, type TokenTold } from './ask-token.ts';

/** How soon an account is asked about again that its platform does not show, and for how long. */
const MISSING_MS = { pause: 10 * MINUTE_MS, atMost: 2 * HOUR_MS };

interface Joined {
  readonly entry: HolderEntry;
  /** Its own addresses; null when its platform does not show it. */
  readonly addresses: readonly Address[] | null;
}

/** As many accounts, in their order, as one call asks about; one with more addresses than that is asked about the first of them. */
function fitting(due: readonly HolderEntry[], shown: ReadonlyMap<string, AccountFacts>): readonly Joined[] {
  const all = due.map((entry) => ({ entry, addresses: shown.get(entry.platformUserId)?.addresses ?? null }));
  let asked = 0;
  const fits = all.findIndex(({ addresses }) => {
    asked += Math.min(MOST_HOLDERS, addresses?.length ?? 0);
    return asked > MOST_HOLDERS;
  });
  const some = fits === -1 ? all : all.slice(0, fits);
  return some.map(({ entry, addresses }) => ({ entry, addresses: addresses?.slice(0, MOST_HOLDERS) ?? null }));
}

function unseen(entry: HolderEntry, now: number): HolderEntry {
  const isOver = now - entry.joinedAt >= MISSING_MS.atMost;
  return isOver ? { ...entry, state: 'told' } : { ...entry, dueAt: now + MISSING_MS.pause };
}

/** An entry after its token was asked, with the addresses that count for it. */
function afterEntry(
  entry: HolderEntry,
  { told, terms, now }: { told: TokenTold; terms: EntryTerms; now: number },
): HolderEntry {
  const amount = sumHeld(entry.addresses, told);
  if (amount === null) {
    const unknownSince = entry.unknownSince ?? now;
    const isOver = isGivenUp(unknownSince, now);
    return { ...entry, unknownSince, state: isOver ? 'told' : 'joined', dueAt: now + UNKNOWN_PAUSE_MS };
  }
  const { number, hash } = told.block;
  const known = { ...entry, entry: { amount, number, hash }, unknownSince: null };
  if (amount < terms.holding.amount) return { ...known, state: 'told' };
  const slot = slotAfter(now, terms);
  return { ...known, state: 'entered', enteredAt: now, slot, dueAt: slot };
}

async function enterOne(
  tx: StoreTx,
  { entry, addresses }: Joined,
  asked: { told: TokenTold; terms: EntryTerms; now: number },
): Promise<void> {
  if (addresses === null) {
    await tx.changeEntry(unseen(entry, asked.now), entry);
    return;
  }
  await tx.claimEntryAddresses(entry.gigId, entry, addresses);
  const claimed = (await tx.entry(entry.gigId, entry))?.addresses ?? [];
  // Addresses that it had before, and has no more, are not its own.
  const own = claimed.filter((address) => addresses.includes(address));
  const counted = addresses.length - own.length;
  await tx.changeEntry(afterEntry({ ...entry, addresses: own, counted }, asked), entry);
}

/**
 * Reads what accounts that have joined hold, in a settled block, and has their addresses count for them, unless they count for
 * another account. Accounts that hold enough have entered.
 * @throws AdapterError when platform or chain does not answer
 */
export async function enterAccounts(
  { store, clock, chains }: WatchContext,
  { gig, reader }: WatchedGig,
  { terms, due }: { terms: EntryTerms; due: readonly HolderEntry[] },
): Promise<void> {
  const ids = due.map(({ platformUserId }) => platformUserId);
  const joined = fitting(due, await reader.readAccounts(ids, { following: null }));
  const owners = [...new Set(joined.flatMap(({ addresses }) => addresses ?? []))];
  const told = await askToken(chains.reader(gig.token.chainId), { token: terms.holding.token.address, owners });
  await store.transaction(async (tx) => {
    const now = clock();
    for (const each of joined) await enterOne(tx, each, { told, terms, now });
  });
}
