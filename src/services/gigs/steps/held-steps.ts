import type { AutomaticStep, HeldStep, Waiting } from '../../../domain/gigs/step-wait.ts';
import { stepWaitWords } from '../../../domain/gigs/step-wait.ts';
import type { Log } from '../../../log.ts';

/** Which automatic steps wait, in the memory of one process, for its conditions. */
export interface HeldSteps {
  /** Keeps that a step of a gig waits; with null, that it does not. */
  note(step: AutomaticStep, gigId: number, wait: Waiting | null): void;
  /** Forgets the waits of other gigs than these: nothing is due for them any more. */
  keep(step: AutomaticStep, gigIds: ReadonlySet<number>): void;
  list(): readonly HeldStep[];
}

/** Knows of none at first. Each is logged once for each reason. */
export function createHeldSteps({ clock, log }: { clock: () => number; log: Log }): HeldSteps {
  const held = new Map<string, HeldStep>();
  return {
    note(step, gigId, wait) {
      const key = `${step} ${gigId}`;
      const before = held.get(key);
      if (wait === null) {
        held.delete(key);
        return;
      }
      held.set(key, { step, gigId, ...wait, since: before?.since ?? clock() });
      const why = stepWaitWords(wait);
      if (before?.why !== wait.why)
        log.warn({ gigId, step, why }, 'automatic step waits: the ledger may be an older copy');
    },
    keep(step, gigIds) {
      for (const [key, each] of held) if (each.step === step && !gigIds.has(each.gigId)) held.delete(key);
    },
    list: () => [...held.values()],
  };
}
