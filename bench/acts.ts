import { setTimeout as wait } from 'node:timers/promises';
import { familyCpuMs } from './processor-time.ts';

/** Something that is done again and again, always to something new. */
export interface Act {
  readonly name: string;
  /** Does the one with this number, from 0. */
  run(number: number): Promise<void>;
  /** Whether so many are done, where that comes after they were asked for. */
  isDone?(count: number): boolean;
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

const LONGEST_MS = 120_000;
const LOOK_MS = 20;

export function createActMeter({ name, run, isDone }: Act, { own, helper }: ActPids): ActMeter {
  let asked = 0;

  async function runMany(count: number, atOnce: number): Promise<void> {
    const end = asked + count;
    const lane = async () => {
      while (asked < end) await run(asked++);
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    const deadline = performance.now() + LONGEST_MS;
    while (isDone?.(asked) === false) {
      if (performance.now() > deadline) throw new Error(`${name}: not all of ${asked} are done`);
      await wait(LOOK_MS);
    }
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
