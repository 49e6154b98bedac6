import type { Place } from './faults.ts';
import { type Plan, UNDISTURBED } from './instance.ts';
import type { Stop } from './order.ts';
import type { Spot } from './points.ts';
import { honest } from './proxy.ts';
import { isAt } from './questions.ts';

/** Does something before the node gets the question at a place. */
function atCall(at: string, act: (tools: Parameters<Plan['handle']>[1]) => Promise<void>): Plan['handle'] {
  let hasActed = false;
  return async (passing, tools) => {
    if (!hasActed && isAt(passing.question, at)) {
      hasActed = true;
      await act(tools);
    }
    await honest(passing);
  };
}

/** Kills the process at a question, by its place or its number: before the node has it, or before the answer is back. */
export function killedAt({ at, when }: { at: string | number; when: Stop['when'] }): Plan {
  const handle: Plan['handle'] = async (passing, { kill }) => {
    const { question } = passing;
    const isHere = typeof at === 'string' ? isAt(question, at) : question.number === at;
    if (!isHere) return await honest(passing);
    if (when === 'after') await passing.deliver();
    await kill();
    passing.drop();
  };
  return { ...UNDISTURBED, handle };
}

/** Kills the process at one of its commits. */
export function dyingAt(commit: number, when: Stop['when']): Plan {
  return { ...UNDISTURBED, stop: { commit, when, how: 'die' } };
}

/** Stops the process at a point of its run for as long as something is done. */
export function pausedAt(
  { when = 'after', ...spot }: Spot & { when?: Stop['when'] },
  act: (place: Place) => Promise<void>,
): Plan {
  if (spot.of === 'commit') return { ...UNDISTURBED, stop: { commit: spot.at, when, how: 'pause' }, onPause: act };
  return { ...UNDISTURBED, handle: atCall(spot.at, (tools) => tools.pausing(() => act(tools))) };
}
