import { roundsOf } from './payouts/shares.ts';
import type { RoundLength } from './rules/define-rule.ts';
import { payoutOf, type Rule } from './rules/index.ts';

/** When acts of a gig count. Epoch milliseconds; the end is outside. */
export interface GigWindow {
  readonly startTime: number;
  /** That of its terms, or earlier, when it was stopped. */
  readonly endTime: number;
}

/** How long after the end an act may first be seen and still count. */
export const SEEING_GRACE_MS = 600_000;

/** How many rounds a gig has. One that was stopped has those that had begun: the others' pools are not paid. */
export function countRounds({ roundMs }: RoundLength, { startTime, endTime }: GigWindow): number {
  return roundsOf({ duration: Math.max(0, endTime - startTime), roundMs });
}

/** The round to which a rank belongs, the first being 1; ranks after the end belong to the last one. */
export function roundAt(rule: RoundLength, window: GigWindow, rankedAt: number): number {
  const round = Math.floor(Math.max(0, rankedAt - window.startTime) / rule.roundMs) + 1;
  return Math.min(countRounds(rule, window), round);
}

/** The end of a round; the last one ends with the window. */
export function endOfRound({ roundMs }: RoundLength, { startTime, endTime }: GigWindow, round: number): number {
  return Math.min(endTime, startTime + round * roundMs);
}

type HeldRules = { readonly rule: Rule; readonly holdMs: number };

/** When the last acts of a gig are to be settled: those that are done just before its end. */
export function lastDueOf(rules: HeldRules, window: GigWindow): number {
  const { endTime } = window;
  return dueOf(rules, window, { firstSeenAt: endTime, rankedAt: endTime });
}

/** When an account is to be settled by an act with this rank that was first seen at this time. */
export function dueOf(
  { rule, holdMs }: HeldRules,
  window: GigWindow,
  { firstSeenAt, rankedAt }: { firstSeenAt: number; rankedAt: number },
): number {
  const payout = payoutOf(rule);
  if (payout.by !== 'rounds') return holdMs + firstSeenAt;
  return holdMs + Math.max(firstSeenAt, endOfRound(payout, window, roundAt(payout, window, rankedAt)));
}
