import type { EntryTerms } from '../../../domain/earning/holding/entry.ts';
import { AWARD_BATCH } from '../../../domain/earning/payouts/by-rank.ts';
import type { WatchContext, WatchedGig } from '../context.ts';
import { enterAccounts } from './enter-accounts.ts';
import { drawSlot, readSlot } from './read-slot.ts';

/**
 * Reads the balances of a gig's entrants, a batch at a time: of accounts that have just joined, else of those in the slot that is
 * overdue the longest. A block is drawn for that slot first.
 * @throws AdapterError when platform or chain does not answer
 */
export async function readEntries(deps: WatchContext, watched: WatchedGig, terms: EntryTerms): Promise<void> {
  const { store, clock } = deps;
  const { gig } = watched;
  const due = await store.dueEntries(gig.id, { now: clock(), limit: AWARD_BATCH });
  const joined = due.filter(({ state }) => state === 'joined');
  if (joined.length > 0) return await enterAccounts(deps, watched, { terms, due: joined });
  const slot = due.find((entry) => entry.slot !== null)?.slot ?? null;
  if (slot === null) return;
  const draw = await store.entryDraw(gig.id, slot);
  if (draw === null) await drawSlot(deps, gig, slot);
  else await readSlot(deps, gig, { draw, terms });
}
