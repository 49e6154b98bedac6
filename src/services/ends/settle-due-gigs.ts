import type { Actor } from '../../domain/operators/actor.ts';
import type { JobContext } from '../context.ts';
import { commandGig } from '../gigs/command-gig.ts';
import { closeBooks } from './endings.ts';

/** Gigs are settled in transactions of so many. */
const TOGETHER = 50;
const JOB: Actor = { kind: 'job', name: 'settle' };

/** Settles every gig whose time for awards is over and on which nothing is open. */
export async function settleDueGigs({ store, clock, log }: JobContext): Promise<void> {
  const now = clock();
  let after = 0;
  let ids: number[];
  do {
    ids = await store.gigsToSettle({ now, after, limit: TOGETHER });
    after = ids.at(-1) ?? after;
    if (ids.length === 0) return;
    const closed = await store.transaction(async (tx) => {
      const done: number[] = [];
      for (const id of ids) {
        const gig = await commandGig(tx, { gigId: id, actor: JOB, act: 'settle' });
        if (await closeBooks(tx, gig, { actor: JOB, now: clock() })) done.push(id);
      }
      return done;
    });
    for (const gigId of closed) log.info({ gigId }, 'gig settled');
  } while (ids.length === TOGETHER);
}
