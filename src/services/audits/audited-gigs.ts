import { setImmediate } from 'node:timers/promises';
import type { Gig } from '../../domain/gigs/gig.ts';
import type { ServiceContext } from '../context.ts';

const PAGE = 200;
/** How many gigs' sums are read before the event loop turns: a ledger has many that ended long ago. */
const SUMS_AT_ONCE = 50;

/** `read` lists the newest first. */
async function allPages<T extends { readonly id: number }>(
  read: (page: { limit: number; before: number | undefined }) => Promise<T[]>,
): Promise<T[]> {
  const found: T[] = [];
  let before: number | undefined;
  do {
    if (before !== undefined) await setImmediate();
    const page: T[] = await read({ limit: PAGE, before });
    found.push(...page);
    before = page.length < PAGE ? undefined : page.at(-1)?.id;
  } while (before !== undefined);
  return found;
}

/** Both phases at the same time; otherwise a gig that ends meanwhile could be in neither. */
async function readStartedGigs({ store, clock }: ServiceContext) {
  const now = clock();
  const ofPhase = (phase: 'live' | 'ended') => allPages((page) => store.gigs({ phase, now, ...page }));
  return { live: await ofPhase('live'), ended: await ofPhase('ended') };
}

/** Every gig that was ever started, oldest first. */
export async function findStartedGigs(deps: ServiceContext): Promise<Gig[]> {
  const { live, ended } = await readStartedGigs(deps);
  return [...live, ...ended].sort((a, b) => a.id - b.id);
}

/**
 * The gigs whose money is not all accounted for, oldest first: those that have not ended, that have awarded other than
 * they have paid, that are frozen, or with a fee, a mark, a refund or a return under way.
 */
export async function findGigsWithMoney(deps: ServiceContext): Promise<Gig[]> {
  const { store } = deps;
  const { live, ended } = await readStartedGigs(deps);
  const open = new Set((await store.frozenGigs()).map(({ gigId }) => gigId));
  for (const kind of ['fee', 'mark', 'refund', 'return'] as const) {
    for (const state of ['planned', 'sent'] as const) {
      for (const { gigId } of await allPages((page) => store.payments({ kind, state, ...page }))) open.add(gigId);
    }
  }
  const found = [...live];
  for (const [place, gig] of ended.entries()) {
    if (place % SUMS_AT_ONCE === SUMS_AT_ONCE - 1) await setImmediate();
    const paid = (await store.paidByGig(gig.id))?.parts.reduce((sum, { amount }) => sum + amount, 0n) ?? 0n;
    if (open.has(gig.id) || paid !== gig.awardedAmount) found.push(gig);
  }
  return found.sort((a, b) => a.id - b.id);
}
