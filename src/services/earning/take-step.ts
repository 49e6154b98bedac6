import type { GigWatch } from '../../domain/earning/watch.ts';
import type { DecidingStep, ReadingStep } from '../../domain/earning/watch-step.ts';
import type { Known } from '../gigs/steps/check-step.ts';
import { beginSweep, pollActs, type Reading, sweepOn } from './acts/read-acts.ts';
import { refuseHeld } from './award/refuse.ts';
import type { WatchContext, WatchedGig } from './context.ts';
import { judgeAccounts } from './decide/judge-accounts.ts';
import { wayOf } from './ways/index.ts';

/** An account that was missing in the answer is asked about again soon. */
async function settle(deps: WatchContext, watched: WatchedGig, dueBy: number): Promise<void> {
  const { memory, clock } = deps;
  const pauseMs = await judgeAccounts(deps, watched, dueBy);
  const now = clock();
  if (pauseMs === null) memory.settlePauses.delete(watched.gig.id);
  else memory.settlePauses.set(watched.gig.id, { since: now, until: now + pauseMs });
}

/**
 * Takes a step that decides nothing.
 * @returns the watch after it, due at once unless there is nothing to do, and a failure that ended it
 */
export async function takeReading(deps: WatchContext, watched: WatchedGig, step: ReadingStep): Promise<Reading> {
  const { watch } = watched;
  const now = deps.clock();
  const due: GigWatch = { ...watch, nextAt: now };
  const done = (after: GigWatch): Reading => ({ watch: after, failure: null });
  switch (step.kind) {
    case 'wait':
      return done({ ...watch, nextAt: step.until });
    case 'over':
      return done({ ...watch, overAt: now });
    case 'look':
      return done(await pollActs(deps, { ...watched, watch: due }));
    case 'begin_sweep':
      return await sweepOn(deps, { ...watched, watch: { ...due, lookedAt: now } }, beginSweep(watched, now));
    case 'sweep':
      return watch.sweep === null ? done(due) : await sweepOn(deps, { ...watched, watch: due }, watch.sweep);
  }
}

/** As {@link takeReading}, for what cannot be undone: the chain has told what the gig's wallet has paid. */
export async function takeDecision(
  deps: WatchContext,
  { watched, known: _known }: { readonly watched: WatchedGig; readonly known: Known },
  step: DecidingStep,
): Promise<Reading> {
  const { watch, gig, rules } = watched;
  let nextAt = deps.clock();
  if (step.kind === 'settle') await settle(deps, watched, step.dueBy);
  else if (step.kind === 'refuse_held') await refuseHeld(deps, gig.id);
  else nextAt = (await wayOf(rules).take(deps, watched, step)) ?? nextAt;
  return { watch: { ...watch, nextAt }, failure: null };
}
