import type { AccountKey } from '../account.ts';
import { type GigStart, type GigTimes, gigPhase, hasBegun } from './gig.ts';

/** The events of a gig for its owners, in the order in which they happen. */
export const GIG_EVENTS = [
  'funded',
  'not_started',
  'live',
  'mostly_awarded',
  'ended',
  'cancelled',
  'settled',
  'refunded',
] as const;
export type GigEvent = (typeof GIG_EVENTS)[number];

/** The part of its reward that a gig has awarded when its owners are told, in percent. */
const MOST_PERCENT = 80n;

/** What the ledger says about a gig, as far as it decides on its events. */
export interface GigFacts extends GigTimes {
  readonly createdAt: number;
  readonly settledAt: number | null;
  readonly start: GigStart;
  /** Until when its wallet is looked at to start it; null when it is not. */
  readonly startUntil: number | null;
  readonly rewardAmount: bigint;
  readonly awardedAmount: bigint;
  readonly isRefunded: boolean;
}

interface EventRow {
  /** Whether it has happened by the ledger, or what follows from it has. */
  readonly happened: (facts: GigFacts, now: number) => boolean;
  readonly matters: (facts: GigFacts, now: number) => boolean;
  /** Whether it closes a part of the gig, so that what happened before and was not told is no news any more. */
  readonly closes: boolean;
}

const isStarted = ({ status }: GigFacts) => status === 'live';
const isCancelled = ({ cancelledAt }: GigFacts) => cancelledAt !== null;
const mayStart = (facts: GigFacts) => !isStarted(facts) && !isCancelled(facts);

/** Whether the service has stopped looking at a gig's wallet to start it. */
function isGivenUp(facts: GigFacts): boolean {
  return mayStart(facts) && facts.start === 'when_funded' && facts.startUntil === null;
}

const hasEnded = (facts: GigFacts, now: number) => gigPhase(facts, now) === 'ended';

// The ledger does not know that a gig is funded before it is started: that is read from its chain.
const ROWS: Readonly<Record<GigEvent, EventRow>> = {
  funded: {
    happened: (facts) => !mayStart(facts),
    matters: mayStart,
    closes: false,
  },
  not_started: {
    happened: isGivenUp,
    matters: mayStart,
    closes: false,
  },
  live: {
    happened: (facts, now) => isStarted(facts) && hasBegun(facts, now),
    matters: (facts, now) => !hasEnded(facts, now),
    closes: false,
  },
  mostly_awarded: {
    happened: (facts) => isStarted(facts) && facts.awardedAmount * 100n >= facts.rewardAmount * MOST_PERCENT,
    matters: () => true,
    closes: false,
  },
  ended: { happened: hasEnded, matters: () => true, closes: true },
  cancelled: { happened: isCancelled, matters: () => true, closes: true },
  settled: { happened: ({ settledAt }) => settledAt !== null, matters: () => true, closes: true },
  refunded: { happened: ({ isRefunded }) => isRefunded, matters: () => true, closes: true },
};

/** Events in their own order, each once. */
export function orderEvents(events: Iterable<GigEvent>): GigEvent[] {
  const given = new Set(events);
  return GIG_EVENTS.filter((event) => given.has(event));
}

/** The events of a gig that have happened by its ledger at `now`. */
export function eventsSoFar(facts: GigFacts, now: number): GigEvent[] {
  return GIG_EVENTS.filter((event) => ROWS[event].happened(facts, now));
}

/** The next thing to tell an owner, and all that counts as told then. */
export interface NextNotice {
  /** Null when what has happened is not worth a notice any more. */
  readonly event: GigEvent | null;
  readonly told: readonly GigEvent[];
}

/**
 * The next event to tell, in order; null when there is nothing new. Of several events up to one that closes a part of the
 * gig only the last becomes a notice; those passed over count as told.
 */
export function nextNotice(told: readonly GigEvent[], facts: GigFacts, now: number): NextNotice | null {
  const pending = eventsSoFar(facts, now).filter((event) => !told.includes(event));
  if (pending.length === 0) return null;
  const last = pending.findLast((event) => ROWS[event].closes);
  const event = last ?? pending.find((each) => ROWS[each].matters(facts, now)) ?? null;
  const until = event === null ? GIG_EVENTS.length : GIG_EVENTS.indexOf(event);
  const passed = pending.filter((each) => GIG_EVENTS.indexOf(each) <= until);
  return { event, told: orderEvents([...told, ...passed]) };
}

/** For how long after its end owners are told about a gig: longer than awards and a refund can take. Milliseconds. */
const TOLD_FOR_MS = 180 * 24 * 60 * 60 * 1000;

/** Whether a gig gets no more notices, given those that it had. */
export function isOver(told: readonly GigEvent[], facts: GigFacts, now: number): boolean {
  const isDone = told.includes('cancelled') || told.includes('refunded');
  // Of a settled gig that has awarded its whole reward nothing is left for a refund.
  const hasNothingLeft = told.includes('settled') && facts.awardedAmount >= facts.rewardAmount;
  return isDone || hasNothingLeft || (isStarted(facts) && now >= facts.endTime + TOLD_FOR_MS);
}

export const TELLING_STATES = ['open', 'off', 'over'] as const;
/** `off`: the owner wants no notices of the gig. `over`: there will be none. */
export type TellingState = (typeof TELLING_STATES)[number];

/** The notices that an owner gets about a gig, and where. */
export interface Telling {
  readonly gigId: number;
  readonly owner: AccountKey;
  /** The owner's mention under which notices are posted. */
  readonly mentionId: number;
  /** Whether the owner asked for notices; if not, they are for the mention that started the gig. */
  readonly asked: boolean;
  readonly state: TellingState;
  /** The events that were told, were the owner's own doing, or were passed over; in their order. */
  readonly told: readonly GigEvent[];
}
