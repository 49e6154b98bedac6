import { roundsOf } from './payouts/shares.ts';

/** When acts of a gig count. Epoch milliseconds; the end is outside. */
export interface GigWindow {
  readonly startTime: number;
  /** That of its terms, or earlier, when it was stopped. */
  readonly endTime: number;
}

/** How long after the end an act may first be seen and still count. */
export const SEEING_GRACE_MS = 600_000;

/** How long the rounds of a gig are, in milliseconds. */
export interface RoundLength {
  readonly roundMs: number;
}

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

/** How long an act is held before its account is settled, in milliseconds. */
export interface Hold {
  readonly holdMs: number;
}

/** When the last acts of a gig are to be settled: those that are done just before its end. */
export function lastDueOf({ holdMs }: Hold, { endTime }: GigWindow): number {
  return endTime + holdMs;
}

/** When nobody is held any more at the earliest: the hold of the last act is over, and nothing that is seen counts. */
export function closesAt(hold: Hold, window: GigWindow): number {
  return Math.max(window.endTime + SEEING_GRACE_MS + 1, lastDueOf(hold, window));
}
