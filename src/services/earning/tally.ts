import type { ActSource } from '../../domain/earning/act.ts';
import type { WatchStep } from '../../domain/earning/watch-step.ts';

/** What the engine has done since the process started, for the metrics. */
export interface EarningTally {
  /** New acts, by what told about them. */
  readonly observations: Readonly<Record<ActSource, number>>;
  readonly looks: number;
  /** Complete ones. */
  readonly sweeps: number;
  /** Gigs of which everything was decided. */
  readonly settled: number;
  /** Questions to verifiers, by whether the answer was of use. */
  readonly verifier: { readonly answered: number; readonly failed: number };
}

/** Counts what the engine does. */
export interface EarningCounter {
  observed(source: ActSource, count: number): void;
  /** A step that did not fail, and whether it completed a sweep. */
  stepped(step: WatchStep['kind'], change: { isSwept: boolean }): void;
  /** A question to a verifier, and whether the answer was of use. */
  asked(outcome: 'answered' | 'failed'): void;
  tally(): EarningTally;
}

/** A counter that begins with nothing. */
export function createEarningCounter(): EarningCounter {
  const tally = {
    observations: { webhook: 0, look: 0, sweep: 0, start: 0 },
    looks: 0,
    sweeps: 0,
    settled: 0,
    verifier: { answered: 0, failed: 0 },
  };
  return {
    observed(source, count) {
      tally.observations[source] += count;
    },
    stepped(step, { isSwept }) {
      if (step === 'look') tally.looks += 1;
      if (step === 'over') tally.settled += 1;
      if (isSwept) tally.sweeps += 1;
    },
    asked(outcome) {
      tally.verifier[outcome] += 1;
    },
    tally: () => structuredClone(tally),
  };
}
