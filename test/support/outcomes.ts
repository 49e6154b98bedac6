import type { Gig } from '../../src/domain/gigs/gig.ts';
import type { Store } from '../../src/store/port/index.ts';

/** What has become of each account of a watched gig: what it was awarded, why nothing, or in which state it is. */
export async function outcomeOf(store: Store, { id: gigId }: Pick<Gig, 'id'>) {
  const earnings = await store.earnings({ gigId, limit: 100 });
  return Object.fromEntries(
    earnings.map(({ platformUserId, state, reason, amount }) => [platformUserId, amount ?? reason ?? state]),
  );
}
