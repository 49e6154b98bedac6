import { expect } from 'vitest';
import type { Death } from './dying-store.ts';
import type { Running } from './process.ts';

/** What a process that is killed, and the one that carries on after it, have to do. */
interface Turn {
  /** Starts a process: one that dies so, or one that lives to its end. */
  start(dies: Death | null): Running;
  /** What has to be true once the second one has ended. */
  check(): Promise<void>;
}

/** Waits for a process to end, by itself or by being killed. @returns whether it was killed */
export async function wasKilled(child: Running): Promise<boolean> {
  const how = await child.ended;
  if (how !== 0) expect(how, child.output()).toBe('SIGKILL');
  return how !== 0;
}

/** Before the first commit, after it, before the second one, and so on. */
function beforeAndAfter(deaths: number): Death {
  return { when: deaths % 2 === 0 ? 'before' : 'after', commit: 1 + Math.floor(deaths / 2) };
}

/**
 * Kills a process at its first commit, another one at its next, and so on until one lives to its end. After each of them another
 * process carries on.
 * @returns how many were killed, at most `most`
 */
export async function dieAtEveryCommit(
  most: number,
  turn: (deaths: number) => Promise<Turn>,
  at: (deaths: number) => Death = beforeAndAfter,
): Promise<number> {
  for (let deaths = 0; ; deaths += 1) {
    expect(deaths).toBeLessThan(most);
    const { start, check } = await turn(deaths);
    const isOver = !(await wasKilled(start(at(deaths))));
    expect(await wasKilled(start(null))).toBe(false);
    await check();
    if (isOver) return deaths;
  }
}
