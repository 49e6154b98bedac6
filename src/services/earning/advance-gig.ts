import { readsActs } from '../../domain/earning/act.ts';
import type { EarningState } from '../../domain/earning/earning.ts';
import type { WatchStep } from '../../domain/earning/watch-step.ts';
import { type AdapterError, invalidRequest } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import type { Actor } from '../../domain/operators/actor.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';
import { type Commanded, commandGig } from '../gigs/command-gig.ts';
import { findGigEarning, type GigEarning } from '../gigs/show/find-earnings.ts';
import { recordGigEvent } from '../operators/audit-events.ts';
import { advanceLeased, type Network } from './advance-watch.ts';
import type { WatchContext } from './context.ts';

/** A step that did something. */
export type TakenStep = Exclude<WatchStep['kind'], 'wait'>;

/** What was done for a gig, and why it ended. */
export interface GigAdvance {
  /** The steps that were taken, in their order, without the last one, which waits. */
  readonly steps: readonly TakenStep[];
  /** Nothing more is due, everything is decided, the platform does not answer, or another process has the watch. */
  readonly end: 'waits' | 'over' | 'failed' | 'taken';
  /** When something is due again, epoch milliseconds; null when everything is decided. */
  readonly nextAt: number | null;
  /** The platform's failure; null without one. */
  readonly failure: AdapterError | null;
  readonly before: Readonly<Record<EarningState, number>>;
  readonly after: Readonly<Record<EarningState, number>>;
}

/** @throws DomainError `invalid_request` when nothing can be done for the gig */
async function requireWatched({ store, platforms, timing }: WatchContext, gig: Gig): Promise<Network> {
  const { id } = gig;
  if ((await store.earningRules(id)) === null) throw invalidRequest(`Gig ${id} is manual: nothing is watched.`);
  const watch = await store.watch(id);
  if (watch === null) throw invalidRequest(`Gig ${id} is not live, so nothing is due.`);
  if (watch.overAt !== null) throw invalidRequest(`Gig ${id} is settled: everything is decided.`);
  if (timing.lookMs === 0) throw invalidRequest('EARNING_LOOK_SECONDS is 0, so no gig is watched.');
  const network = platforms.get(gig.platform);
  if (network !== undefined && (network.acts !== null || !readsActs(gig.gigType))) return network;
  const { label } = platformFacts(gig.platform);
  throw invalidRequest(`${label} is off here: set its variables as the service has them.`);
}

async function requireEarning(deps: WatchContext, gig: Gig): Promise<GigEarning> {
  const overview = await findGigEarning(deps, gig);
  if (overview === null) throw new TypeError(`gig ${gig.id} has lost its rules`);
  return overview;
}

async function takeSteps(deps: WatchContext, network: Network | null, gigId: number) {
  const { store, clock, timing, newId } = deps;
  const steps: TakenStep[] = [];
  for (;;) {
    const now = clock();
    const request = { lease: newId(), now, until: now + timing.leaseMs };
    const watch = await store.transaction((tx) => tx.leaseWatchOf(gigId, request));
    if (watch === null) return { steps, end: 'taken' as const, failure: null };
    const { step, failure } = await advanceLeased(deps, network, { watch, lease: request.lease });
    if (failure !== null) return { steps, end: 'failed' as const, failure };
    if (step.kind === 'wait') return { steps, end: 'waits' as const, failure };
    steps.push(step.kind);
    if (step.kind === 'over') return { steps, end: 'over' as const, failure };
  }
}

async function advance(
  deps: WatchContext,
  gig: Commanded,
  { network, action, actor }: { network: Network | null; action: 'gig.settle' | 'gig.refuse_open'; actor: Actor },
): Promise<GigAdvance> {
  const { store, clock } = deps;
  const { id: gigId } = gig;
  const { counts: before } = await requireEarning(deps, gig);
  const { held, eligible } = before;
  const detail = action === 'gig.settle' ? {} : { held, eligible };
  await store.transaction((tx) => recordGigEvent(tx, { actor, now: clock() }, { action, gigId, detail }));
  const taken = await takeSteps(deps, network, gigId);
  const { counts: after } = await requireEarning(deps, gig);
  const watch = await store.watch(gigId);
  const nextAt = watch === null || watch.overAt !== null ? null : watch.nextAt;
  return { ...taken, nextAt, before, after };
}

/**
 * Does everything that is due for a watched gig now, as the service does it, also when its last step has failed and it
 * waits for the next one.
 * @throws DomainError as {@link commandGig}, or `invalid_request` when nothing can be done for the gig
 */
export async function advanceGig(
  deps: WatchContext,
  { gigId, actor }: { gigId: number; actor: Actor },
): Promise<GigAdvance> {
  const gig = await commandGig(deps.store, { gigId, actor, act: 'settle' });
  const network = await requireWatched(deps, gig);
  return await advance(deps, gig, { network, action: 'gig.settle', actor });
}

/**
 * Ends a watched gig whose platform does not answer any more, without asking it: held accounts are refused, and what is
 * accepted is awarded, divided and drawn as the service does it. Its steps before a failure stay, and it can be repeated.
 */
export async function advanceUnasked(
  deps: WatchContext,
  { gig, actor }: { gig: Commanded; actor: Actor },
): Promise<GigAdvance> {
  return await advance(deps, gig, { network: null, action: 'gig.refuse_open', actor });
}
