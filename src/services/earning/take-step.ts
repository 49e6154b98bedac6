import { payoutOf } from '../../domain/earning/rules/index.ts';
import type { Watch } from '../../domain/earning/watch.ts';
import type { DecidingStep, ReadingStep } from '../../domain/earning/watch-step.ts';
import type { Known } from '../gigs/steps/check-step.ts';
import { beginSweep, pollActs, type Reading, sweepOn } from './acts/read-acts.ts';
import { awardFixed } from './award/award-earnings.ts';
import { divideRound, handOutShares } from './award/divide-round.ts';
import { closeDraw, drawRaffle, fixDraw, refuseOthers } from './award/draw-raffle.ts';
import { refuseHeld } from './award/refuse.ts';
import type { WatchContext, WatchedGig } from './context.ts';
import { askVerifier } from './decide/ask-verifier.ts';
import { closeBounty } from './decide/decide-candidates.ts';
import { judgeAccounts } from './decide/judge-accounts.ts';

/** An account that was missing in the answer is asked about again soon. */
async function settle(deps: WatchContext, watched: WatchedGig, dueBy: number): Promise<void> {
  const { memory, clock } = deps;
  const { pauseMs } = await judgeAccounts(deps, watched, dueBy);
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
  const due: Watch = { ...watch, nextAt: now };
  const done = (after: Watch): Reading => ({ watch: after, failure: null });
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
  const payout = payoutOf(rules.rule);
  const now = deps.clock();
  const due: Watch = { ...watch, nextAt: now };
  const done = (after: Watch): Reading => ({ watch: after, failure: null });
  switch (step.kind) {
    case 'settle':
      await settle(deps, watched, step.dueBy);
      return done(due);
    case 'refuse_held':
      await refuseHeld(deps, gig.id);
      return done(due);
    case 'award':
      if (payout.by === 'rank') await awardFixed(deps, gig.id, payout);
      return done(due);
    case 'divide':
      await divideRound(deps, watched, step.round);
      return done(due);
    case 'ask':
      await askVerifier(deps, watched);
      return done(due);
    case 'close':
      await closeBounty(deps, gig.id, step.reason);
      return done(due);
    case 'hand_out':
      await handOutShares(deps, watched);
      return done(due);
    case 'close_draw':
      await closeDraw(deps, gig.id);
      return done(due);
    case 'fix_draw':
      await fixDraw(deps, watched);
      return done(due);
    case 'draw':
      return done({ ...watch, nextAt: (await drawRaffle(deps, watched)) ?? now });
    case 'refuse_others':
      await refuseOthers(deps, gig.id);
      return done(due);
  }
}
