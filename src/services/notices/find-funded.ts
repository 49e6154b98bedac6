import type { Gig } from '../../domain/gigs/gig.ts';
import { type GigFacts, orderEvents, type Telling } from '../../domain/gigs/notice.ts';
import { findFundedGigs } from '../gigs/read-funding.ts';
import type { NoticeContext } from './context.ts';

/** For how long after its creation a gig's wallet is looked at. Milliseconds. */
export const LOOKED_AT_FOR_MS = 30 * 24 * 60 * 60 * 1000;

/** An owner whose gig starts by itself is told that it is live instead. */
function mayBeFunded({ status, createdAt, cancelledAt, startUntil }: GigFacts, now: number): boolean {
  return status === 'created' && cancelledAt === null && startUntil === null && now < createdAt + LOOKED_AT_FOR_MS;
}

async function findAwaited({ store }: NoticeContext, tellings: readonly Telling[], now: number): Promise<Gig[]> {
  const ids = new Set(tellings.flatMap(({ gigId, told }) => (told.includes('funded') ? [] : [gigId])));
  const gigs: Gig[] = [];
  for (const id of ids) {
    const facts = await store.gigFacts(id);
    const gig = facts !== null && mayBeFunded(facts, now) ? await store.gig(id) : null;
    if (gig !== null) gigs.push(gig);
  }
  return gigs;
}

/** The tellings, among these, of created gigs that are exactly funded by now and whose owner was not told so. */
export async function findFunded(deps: NoticeContext, tellings: readonly Telling[], now: number): Promise<Telling[]> {
  const found = await findFundedGigs(deps, await findAwaited(deps, tellings, now));
  const funded = new Set(found.map(({ id }) => id));
  return tellings.filter(({ gigId, told }) => funded.has(gigId) && !told.includes('funded'));
}

/** That a gig is funded, as the next event to tell; null when it is started, or the notice was sent. */
export function fundedNext({ told }: Telling, facts: GigFacts, now: number) {
  if (!mayBeFunded(facts, now) || told.includes('funded')) return null;
  return { event: 'funded', told: orderEvents([...told, 'funded']) } as const;
}
