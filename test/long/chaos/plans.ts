import type { Place } from './faults.ts';
import { type Plan, UNDISTURBED } from './instance.ts';
import type { Stop } from './order.ts';
import { honest } from './proxy.ts';

/** Does something before the node gets its question `at`, counted from 1, or before the answer is back. */
function atCall(at: number, act: (tools: Parameters<Plan['handle']>[1]) => Promise<void>): Plan['handle'] {
  let count = 0;
  return async (passing, tools) => {
    count += 1;
    if (count === at) await act(tools);
    await honest(passing);
  };
}

/** Kills the process at a question of its life: before the node has it, or before the answer is back. */
export function killedAt({ at, when }: { at: number; when: Stop['when'] }): Plan {
  let count = 0;
  const handle: Plan['handle'] = async (passing, { kill }) => {
    count += 1;
    if (count !== at) return await honest(passing);
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
  { at, of, when = 'after' }: { at: number; of: 'commit' | 'call'; when?: Stop['when'] },
  act: (place: Place) => Promise<void>,
): Plan {
  if (of === 'commit') return { ...UNDISTURBED, stop: { commit: at, when, how: 'pause' }, onPause: act };
  return { ...UNDISTURBED, handle: atCall(at, (tools) => tools.pausing(() => act(tools))) };
}
