import { HOUR_MS } from '../time.ts';
import { type GigWindow, SEEING_GRACE_MS } from './due.ts';
import type { PayoutProgress, PayoutStep, PayoutTraits } from './payouts/payout.ts';
import type { WatchProgress } from './watch.ts';

/** How often a gig is looked at. Milliseconds. */
export interface WatchTiming {
  /** Between looks, and at least between the beginnings of two sweeps. */
  readonly lookMs: number;
  /** What each page of the last sweep adds to the time until the next one may begin. */
  readonly pageMs: number;
}

/** What decides on a watched gig. */
export interface WatchFacts {
  readonly watch: WatchProgress;
  readonly window: GigWindow;
  readonly payout: PayoutTraits;
  /** Whether a first sweep has to tell, at the start, what was done before; true for follows. */
  readonly needsStart: boolean;
  /** When the first held account is due; null when none is held. */
  readonly nextHeldDue: number | null;
  /** When accounts may be judged again, after the platform did not answer about them; null or absent otherwise. */
  readonly settleAfter?: number | null;
  /** When something may be decided again, after the chain did not tell what was paid; null or absent otherwise. */
  readonly decideAfter?: number | null;
  readonly progress: PayoutProgress;
  /** Whether acts are read from the platform; absent where they are. */
  readonly readsActs?: boolean;
  /** Whether the platform is asked nothing any more: see {@link withoutPlatform}. Absent while it is. */
  readonly isUnasked?: boolean;
}

/** The facts of a gig whose platform is asked nothing any more: what was seen stands, and what is held is refused. */
export function withoutPlatform(facts: WatchFacts, now: number): WatchFacts {
  const { watch } = facts;
  return { ...facts, watch: { ...watch, goneAt: watch.goneAt ?? now }, isUnasked: true };
}

/** The next step of a watched gig. */
export type WatchStep =
  /** Nothing is to be done before this time. */
  | { readonly kind: 'wait'; readonly until: number }
  /** The newest acts are read, until a page has nothing new. */
  | { readonly kind: 'look' }
  /** A sweep of all acts begins. */
  | { readonly kind: 'begin_sweep' }
  /** The next pages of the sweep under way are read. */
  | { readonly kind: 'sweep' }
  /** Held accounts that are due by this time are judged. */
  | { readonly kind: 'settle'; readonly dueBy: number }
  /** Held accounts are refused, because the platform is asked nothing any more. */
  | { readonly kind: 'refuse_held' }
  | PayoutStep
  /** Everything is decided. */
  | { readonly kind: 'over' };

const READING = ['wait', 'look', 'begin_sweep', 'sweep', 'over'] as const;

/** A step that decides nothing. */
export type ReadingStep = Extract<WatchStep, { readonly kind: (typeof READING)[number] }>;
/** A step that decides the outcome of accounts, or of the reward. */
export type DecidingStep = Exclude<WatchStep, ReadingStep>;

/** Whether a step decides the outcome of accounts, or of the reward. */
export function isDeciding(step: WatchStep): step is DecidingStep {
  return !READING.some((kind) => kind === step.kind);
}

interface Now {
  readonly now: number;
  readonly timing: WatchTiming;
}

/** Returns `now` for a time in the future, which was stored before the clock was set back. */
function after(since: number | null, ms: number, now: number): number {
  return since === null || since > now ? now : since + ms;
}

/** Whether no act is read: what is known stands. */
function isClosed({ watch, readsActs = true }: WatchFacts): boolean {
  return watch.goneAt !== null || !readsActs;
}

function isSweptAtEnd(facts: WatchFacts): boolean {
  const { watch, window } = facts;
  return isClosed(facts) || (watch.sweptAt !== null && watch.sweptAt >= window.endTime);
}

/**
 * Held accounts that are due by this time can be judged, because a complete sweep began at or after it; null when none
 * can. After the gig's end that must have begun at or after the end.
 */
export function judgeTime(facts: WatchFacts, now: number): number | null {
  const { watch, window } = facts;
  if (isClosed(facts)) return now;
  if (watch.sweptAt === null || (now >= window.endTime && !isSweptAtEnd(facts))) return null;
  return Math.min(watch.sweptAt, now);
}

/** Ignores the pause that follows a failed attempt. */
function isJudgingDue(facts: WatchFacts, now: number): boolean {
  const dueBy = judgeTime(facts, now);
  return dueBy !== null && facts.nextHeldDue !== null && facts.nextHeldDue <= dueBy;
}

/** The first sweep tells what was done before the start. */
function isStarting(facts: WatchFacts): boolean {
  return facts.needsStart && facts.watch.sweptAt === null && !isClosed(facts);
}

function lookTime(facts: WatchFacts, { now, timing }: Now): number | null {
  const { watch, window } = facts;
  // A look would take what was done before the start for new.
  if (isClosed(facts) || isStarting(facts)) return null;
  const regular = Math.max(window.startTime, after(watch.lookedAt, timing.lookMs, now));
  // What was done until the end is found by one look after it, however rare looks are.
  const isBeforeEnd = watch.lookedAt !== null && watch.lookedAt < window.endTime;
  const at = isBeforeEnd ? Math.min(regular, window.endTime) : regular;
  return Math.max(at, now) <= window.endTime + SEEING_GRACE_MS ? at : null;
}

/** A claim that an act was done earlier gains at most so much, which is little beside rounds and holds. */
const LONGEST_UNSWEPT_MS = HOUR_MS;
/** Sweeps of targets with many acts are rarer: on average a gig's cost at most a call a minute. */
const CALL_MS = 60_000;

/**
 * When acts are swept because what was not found then ranks later; null when ranks do not matter any more. The first sweep
 * is at the start.
 */
function regularSweepTime({ watch, window, payout }: WatchFacts): number | null {
  if (!payout.isRanked) return null;
  const { sweptAt, sweptPages } = watch;
  const at = sweptAt === null ? window.startTime : sweptAt + Math.max(LONGEST_UNSWEPT_MS, sweptPages * CALL_MS);
  return at < window.endTime ? at : null;
}

function sweepTime(facts: WatchFacts, { now, timing }: Now): number | null {
  const { watch, window, nextHeldDue, progress } = facts;
  if (isClosed(facts)) return null;
  const unswept = (at: number | null) => (watch.sweptAt !== null && at !== null && watch.sweptAt >= at ? null : at);
  const needs = [
    isStarting(facts) ? Math.min(window.startTime, window.endTime) : null,
    now < window.endTime ? regularSweepTime(facts) : null,
    unswept(nextHeldDue),
    unswept(progress.divisionAt),
    isSweptAtEnd(facts) ? null : window.endTime,
  ].filter((at) => at !== null);
  if (needs.length === 0) return null;
  const pause = Math.max(timing.lookMs, watch.sweptPages * timing.pageMs);
  return Math.max(Math.min(...needs), after(watch.sweptAt, pause, now));
}

function readingStep(facts: WatchFacts, at: Now): WatchStep | null {
  const { watch } = facts;
  const isDue = (time: number | null) => time !== null && time <= at.now;
  // A sweep begins with the newest acts: it is a look, too.
  if (watch.sweep === null && isDue(sweepTime(facts, at))) return { kind: 'begin_sweep' };
  if (isDue(lookTime(facts, at))) return { kind: 'look' };
  return watch.sweep === null || isClosed(facts) ? null : { kind: 'sweep' };
}

function isDecided(facts: WatchFacts, now: number): boolean {
  const isSeen = now > facts.window.endTime + SEEING_GRACE_MS && isSweptAtEnd(facts);
  return isSeen && facts.progress.divisionAt === null && facts.nextHeldDue === null;
}

function waitStep(facts: WatchFacts, at: Now): WatchStep {
  const { window, nextHeldDue, progress } = facts;
  const lastSeen = window.endTime + SEEING_GRACE_MS + 1;
  const settled = !isClosed(facts) ? [] : [nextHeldDue, progress.divisionAt];
  const paused = isJudgingDue(facts, at.now) ? (facts.settleAfter ?? null) : null;
  const reads = [lookTime(facts, at), sweepTime(facts, at)];
  const undecided = facts.decideAfter ?? null;
  const paying = progress.times?.(at.now) ?? [];
  const all = [...reads, ...settled, ...paying, paused, undecided, lastSeen];
  const times = all.filter((time) => time !== null);
  const later = times.filter((time) => time > at.now);
  return { kind: 'wait', until: later.length === 0 ? at.now + at.timing.lookMs : Math.min(...later) };
}

/**
 * The next step of a watched gig. Money first: what can be awarded is, then what can be judged is judged; then acts are
 * read, looks before the pages of a long sweep. Once judging has failed, reading goes first: it may still be possible.
 */
export function nextWatchStep(facts: WatchFacts, at: Now): WatchStep {
  const { watch, window, payout, progress, settleAfter = null, decideAfter = null } = facts;
  const { now } = at;
  if (watch.overAt !== null || !payout.isWatched) return { kind: 'over' };
  // One that was stopped before its window has no time to wait for.
  const beginsAt = Math.min(window.startTime, window.endTime);
  if (now < beginsAt) return { kind: 'wait', until: beginsAt };
  if (decideAfter !== null && decideAfter > now) return readingStep(facts, at) ?? waitStep(facts, at);
  const first = progress.beforeJudging?.(now) ?? null;
  // What accounts hold is read by addresses that the platform tells.
  const isRefused = facts.isUnasked === true && first?.kind === 'read_holdings';
  if (first !== null && !isRefused) return first;
  if (facts.isUnasked && facts.nextHeldDue !== null) return { kind: 'refuse_held' };
  const dueBy = judgeTime(facts, now);
  const settle: WatchStep | null = dueBy !== null && isJudgingDue(facts, now) ? { kind: 'settle', dueBy } : null;
  if (settle !== null && settleAfter === null) return settle;
  const isAllDecided = isDecided(facts, now);
  const next =
    progress.beforeReading?.(dueBy) ??
    readingStep(facts, at) ??
    progress.afterReading?.({ now, isDecided: isAllDecided });
  if (next) return next;
  if (settle !== null && settleAfter !== null && settleAfter <= now) return settle;
  return isAllDecided && progress.isDone ? { kind: 'over' } : waitStep(facts, at);
}
