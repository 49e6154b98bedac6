import { formatAmount } from '../../../src/domain/amount.ts';
import { readAnswer } from '../../../src/domain/earning/payouts/decisions.ts';
import type { AskedCandidate, Verifiers } from '../../../src/domain/earning/payouts/verifier.ts';
import { AdapterError } from '../../../src/domain/errors.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { prepareDecision } from '../../../src/services/earning/decide/decide-candidates.ts';
import { carryOut } from '../../../src/services/prepared.ts';
import type { EarningWorld } from './world.ts';

/** Decides on a candidate of a gig as the operator does. */
export async function decideByHand(
  { store, clock }: EarningWorld,
  { id: gigId }: Gig,
  decision: { id: number; award?: string; refuse?: string; wait_seconds?: number },
): Promise<void> {
  const deps = { store, clock: () => clock.now };
  await carryOut(deps, await prepareDecision(deps, { gigId, decision, actor: COMMAND_LINE }));
}

/** A verifier without a wire, which is asked for every gig. */
export function deciding(decide: (candidate: AskedCandidate, time: number) => object | undefined) {
  const asked = new Set<string>();
  let times = 0;
  const verifiers: Verifiers = {
    urlOf: () => 'http://localhost/',
    async ask(_, { candidates }) {
      times += 1;
      for (const { platformUserId } of candidates) asked.add(platformUserId);
      const decisions = candidates.flatMap((candidate) => {
        const decision = decide(candidate, times);
        return decision === undefined ? [] : [{ id: candidate.id, ...decision }];
      });
      const answer = readAnswer({ decisions });
      if ('decisions' in answer) return answer.decisions;
      throw new AdapterError({ retry: 'safe', reason: 'bad_response', message: answer.problem });
    },
  };
  return { verifiers, asked: (): ReadonlySet<string> => asked };
}

type Mood = 'well' | 'silent' | 'lying' | 'lazy';

/** A verifier that awards at most so much, while it feels like it. */
export function moody(most: bigint) {
  let mood: Mood = 'well';
  const { verifiers, asked } = deciding(({ id }, time) => {
    if (mood === 'silent') throw new AdapterError({ retry: 'safe', reason: 'timeout', message: 'it stays silent' });
    if (mood === 'lying') return { award: formatAmount(most + 1n, 18) };
    if (mood === 'lazy') return id % 2 === 0 ? { wait_seconds: 7_200 } : undefined;
    const verdicts = [
      { award: formatAmount(most, 18) },
      { award: formatAmount(most / 2n + 1n, 18) },
      { refuse: `number ${id}` },
      { wait_seconds: 600 },
    ];
    return verdicts[(id + time) % verdicts.length];
  });
  return {
    verifiers,
    asked,
    be(other: Mood): void {
      mood = other;
    },
  };
}
