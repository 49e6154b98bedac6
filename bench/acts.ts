import { setTimeout as wait } from 'node:timers/promises';
import { familyCpuMs } from './processor-time.ts';

/** Something that is done again and again, always to something new. */
export interface Act {
  readonly name: string;
  /** Does the one with this number, from 0. */
  run(number: number): Promise<void>;
  /** How many are done, where that comes after they were asked for. */
  done?(): number;
}

/** The first processes of a service and of the database that it needs beside it. */
export interface ActPids {
  readonly own: number;
  readonly helper?: number;
}

/** Microseconds of processor time that one takes, of all threads of the service, and of its database. */
export interface ActCost {
  readonly own: number;
  readonly helper: number;
}

export interface ActMeter {
  /** Does so many, so many of them at once. */
  run(count: number, atOnce: number): Promise<void>;
  /** The same, measured. */
  measure(count: number, atOnce: number): Promise<ActCost>;
}

/** How many warm a service up: each runs as much as several requests do. */
export const WARM_ACTS = 3_000;

/** Without any that is done. */
const LONGEST_MS = 60_000;
const LOOK_MS = 20;

/** Waits until so many are done. @throws Error when none was done for {@link LONGEST_MS} */
export async function untilDone(name: string, done: () => number, count: number): Promise<void> {
  let seen = { done: done(), at: performance.now() };
  while (seen.done < count) {
    await wait(LOOK_MS);
    const now = performance.now();
    if (done() > seen.done) seen = { done: done(), at: now };
    else if (now > seen.at + LONGEST_MS) throw new Error(`${name}: ${seen.done} of ${count} are done`);
  }
}

export function createActMeter({ name, run, done }: Act, { own, helper }: ActPids): ActMeter {
  let asked = 0;

  async function runMany(count: number, atOnce: number): Promise<void> {
    const end = asked + count;
    const lane = async () => {
      while (asked < end) await run(asked++);
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    if (done !== undefined) await untilDone(name, done, asked);
  }

  const reading = () => ({ own: familyCpuMs(own), helper: helper === undefined ? 0 : familyCpuMs(helper) });
  return {
    run: runMany,
    async measure(count, atOnce) {
      const before = reading();
      await runMany(count, atOnce);
      const after = reading();
      const micros = (of: keyof ActCost) => ((after[of] - before[of]) * 1_000) / count;
      return { own: micros('own'), helper: micros('helper') };
    },
  };
}
