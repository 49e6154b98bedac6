import { AsyncLocalStorage } from 'node:async_hooks';
import type { Decide } from '../domain/chains/chain.ts';
import { AdapterError, DomainError } from '../domain/errors.ts';
import type { TellNext } from './endpoint-offers.ts';
import type { Ranking } from './endpoint-ranking.ts';

interface Decision {
  /** The places of the endpoints that have failed in it. */
  readonly tried: Set<number>;
  /** The place of the endpoint that it asks; null before its first question. */
  place: Promise<number> | null;
  hasFailed: boolean;
  isOver: boolean;
}

/** The decisions of a chain: each asks one endpoint, and begins anew at another when that has failed. */
export function createDecisions({ others, choose }: Ranking, tellNext: TellNext) {
  const decisions = new AsyncLocalStorage<Decision>();

  function current(): Decision | null {
    const decision = decisions.getStore();
    // Work that a decision has begun and not waited for goes on without it.
    return decision === undefined || decision.isOver ? null : decision;
  }

  function placeOf(decision: Decision): Promise<number> {
    decision.place ??= choose(decision.tried);
    return decision.place;
  }

  /** Also notes that the endpoint of the decision has failed. */
  async function canBeginAnew(decision: Decision, error: unknown): Promise<boolean> {
    if (!decision.hasFailed || !(error instanceof AdapterError || error instanceof DomainError)) return false;
    const failed = await placeOf(decision);
    decision.tried.add(failed);
    const [next] = await others(decision.tried);
    if (next === undefined) return false;
    tellNext('endpoint failed; another is asked', { place: failed, next, error });
    return true;
  }

  async function attempt<T>(decision: Decision, run: () => Promise<T>): Promise<T> {
    try {
      return await decisions.run(decision, run);
    } finally {
      decision.isOver = true;
    }
  }

  const decide: Decide = async (run) => {
    if (current() !== null) return await run();
    const tried = new Set<number>();
    for (;;) {
      const decision: Decision = { tried, place: null, hasFailed: false, isOver: false };
      try {
        return await attempt(decision, run);
      } catch (error) {
        if (!(await canBeginAnew(decision, error))) throw error;
      }
    }
  };

  return { current, placeOf, decide };
}

export type Decisions = ReturnType<typeof createDecisions>;
