import type { Platform } from '../../domain/account.ts';
import { endedEvent, fundedEvent } from '../../domain/events/event.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import type { JobContext } from '../context.ts';
import { type FundingLook, findFundedGigs } from '../gigs/read-funding.ts';
import { NARROW } from '../narrow.ts';
import { LOOKED_AT_FOR_MS } from '../notices/find-funded.ts';

const TOGETHER = 200;

async function pages(read: (page: { after: number; limit: number }) => Promise<number[]>): Promise<number[]> {
  const all: number[] = [];
  for (;;) {
    const found = await read({ after: all.at(-1) ?? 0, limit: TOGETHER });
    all.push(...found);
    if (found.length < TOGETHER) return all;
  }
}

/** Writes that gigs have ended: an act ends a gig only when it is stopped. */
export async function tellEnded({ store, clock }: JobContext): Promise<void> {
  const now = clock();
  const ids = await store.gigsEndedUntold({ now, after: 0, limit: TOGETHER });
  if (ids.length === 0) return;
  await store.transaction((tx) => tx.insertEvents(ids.map((id) => endedEvent(id, now))), NARROW);
}

/**
 * Writes that gigs are funded, by the balances of their wallets.
 * @param notified the platforms whose accounts get notifications
 */
export async function tellFunded(deps: JobContext & FundingLook, notified: readonly Platform[] = []): Promise<void> {
  const { store, clock } = deps;
  const now = clock();
  const since = now - LOOKED_AT_FOR_MS;
  const ids = await pages((page) => store.gigsAwaitingFunds({ since, notified, ...page }));
  const gigs: Gig[] = [];
  for (const id of ids) {
    const gig = await store.gig(id);
    if (gig !== null) gigs.push(gig);
  }
  const funded = await findFundedGigs(deps, gigs);
  if (funded.length === 0) return;
  await store.transaction((tx) => tx.insertEvents(funded.map((gig) => fundedEvent(gig, now))), NARROW);
}
