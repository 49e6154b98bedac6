import type { EarningRules } from './rules.ts';
import { roundsOf } from './shares.ts';

/** When acts of a gig count. Epoch milliseconds; the end is outside. */
export interface GigWindow {
  readonly startTime: number;
  readonly endTime: number;
}

/** How long after the end an act may first be seen and still count. */
export const SEEING_GRACE_MS = 600_000;

/** The end of the round in which an act is first seen; what is seen late belongs to the last one. */
function roundEnd(roundMs: number, { startTime, endTime }: GigWindow, firstSeenAt: number): number {
  const rounds = roundsOf({ duration: endTime - startTime, roundMs });
  const round = Math.min(rounds, Math.floor(Math.max(0, firstSeenAt - startTime) / roundMs) + 1);
  return Math.min(endTime, startTime + round * roundMs);
}

/** When the last acts of a gig are to be settled: those that are done just before its end. */
export function lastDueOf(rules: Pick<EarningRules, 'rule' | 'holdMs'>, window: GigWindow): number {
  return dueOf(rules, window, window.endTime);
}

/** When an account is to be settled by an act that was first seen at this time. */
export function dueOf(
  { rule, holdMs }: Pick<EarningRules, 'rule' | 'holdMs'>,
  window: GigWindow,
  firstSeenAt: number,
): number {
  const hasRounds = rule.type === 'split' || rule.type === 'weighted';
  return holdMs + (hasRounds ? Math.max(firstSeenAt, roundEnd(rule.roundMs, window, firstSeenAt)) : firstSeenAt);
}
