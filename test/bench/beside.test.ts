import { afterEach, describe, expect, test } from 'vitest';
import type { Bench } from '../../bench/bench.ts';
import type { Work } from '../../bench/beside/loads.ts';
import { besideTables, measureBeside } from '../../bench/beside/rounds.ts';
import { createProbe, turnsOf } from '../../bench/beside/turns.ts';
import { besideVerdicts } from '../../bench/beside.ts';
import type { Round } from '../../bench/contender.ts';
import type { Outcome } from '../../bench/load/job.ts';
import { type Program, startProgram, untilAnswers } from '../../bench/processes.ts';
import { freePort } from '../../sandbox/port.ts';

describe('turns of the event loop', () => {
  test('behavior: stand for as many moments as they are long, short ones for a look', () => {
    const short = (count: number) => Array<number>(count).fill(100);
    // Of 148 ms the last one takes 50: more than a hundredth of all moments fall into it.
    expect(turnsOf([...short(98), 50_000], 1_000)).toEqual({ p99: 50, longest: 50 });
    // Of 10,050 ms it takes 50: less than a hundredth.
    expect(turnsOf([50_000, ...short(10_000)], 1_000)).toEqual({ p99: 0.1, longest: 50 });
    expect(turnsOf([], 1_000)).toEqual({ p99: 0, longest: 0 });
  });

  let program: Program | null = null;
  afterEach(() => program?.stop());

  /** A server that answers when `work` is done. */
  async function probed(work: string) {
    const probe = await createProbe();
    const port = await freePort(0);
    const code = `
      const work = () => { ${work} };
      require('node:http').createServer((request, response) => {
        if (request.url === '/work') work();
        response.end();
      }).listen(${port}, '127.0.0.1');`;
    program = startProgram(process.execPath, [...probe.flags, '--eval', code], { core: null, env: probe.env });
    await untilAnswers(`http://127.0.0.1:${port}/`);
    await probe.turns();
    await fetch(`http://127.0.0.1:${port}/work`).then((response) => response.text());
    return await probe.turns();
  }

  test('behavior: are as long as the processor time of the main thread', async () => {
    const { longest } = await probed(`
      const begin = process.threadCpuUsage();
      for (let used = { user: 0, system: 0 }; used.user + used.system < 60_000; ) used = process.threadCpuUsage(begin);`);
    expect(longest).toBeGreaterThanOrEqual(60);
  });

  test('behavior: do not count what a thread waits, however long', async () => {
    const { longest } = await probed('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);');
    expect(longest).toBeLessThan(500);
  });
});

const TIMES = { p50: 1, p90: 1, p99: 2, p999: 3, worst: 4 };
const OUTCOME: Outcome = { perSecond: 500, answered: 500, refused: {}, meanLength: 2_000, ...TIMES, ownCpu: 0.1 };

function round(changed: Partial<Round>): Round {
  const processor = { cpuMicros: 100, helperMicros: 0, share: 0.1, waited: 0, turns: { p99: 1, longest: 2 } };
  return { ...OUTCOME, ...processor, ...changed };
}

const KIND = { name: 'work', unit: 'pieces', most: 3, isBounded: true };
const FOUND = {
  name: 'some work',
  unit: 'pieces',
  done: { median: 7, least: 6, most: 8 },
  // Of the same rounds: 8 to 2, 12 to 4, and 5 to 5.
  quiet: [round({ p99: 2 }), round({ p99: 4 }), round({ p99: 5 })],
  busy: [
    round({ p99: 8, turns: { p99: 5, longest: 75 } }),
    round({ p99: 12, turns: { p99: 6, longest: 9 } }),
    round({ p99: 5, turns: { p99: 4, longest: 12 }, cpuMicros: 250 }),
  ],
};

describe('look-ups beside other work', () => {
  test('behavior: are held to goals as ratios of the same rounds, and the longest turn by processor time', () => {
    const clock = { goal: 'p99 of look-ups beside some work, of quiet', is: 'at most', bound: 3 };
    const goal = 'the longest turn of the event loop meanwhile, by processor time';
    expect(besideVerdicts(KIND, FOUND)).toEqual([
      { ...clock, measured: { median: 3, least: 1, most: 4 }, doubt: undefined },
      { goal, is: 'at most', bound: 10, unit: 'ms', measured: { median: 12, least: 9, most: 75 } },
    ]);
    expect(besideVerdicts({ ...KIND, isBounded: false }, FOUND)).toHaveLength(1);
  });

  test('behavior: the clock is not judged where a service waited for its core', () => {
    const waiting = FOUND.quiet.map((one) => ({ ...one, waited: 0.2 }));
    const [clock, processor] = besideVerdicts(KIND, { ...FOUND, quiet: waiting });
    expect(clock?.doubt).toBe('not judged: a server waited 0.20 of the time for its core');
    expect(processor?.doubt).toBeUndefined();
  });

  test('behavior: the tables tell both, by the clock and by processor time', () => {
    const text = besideTables([FOUND]);
    expect(text).toContain('| some work | 7.00 pieces | 4.00 (2.00–5.00) | 8.00 (5.00–12.0) | 3.00 (1.00–4.00) |');
    expect(text).toContain(
      '| some work | 1.00 (1.00–1.00) | 5.00 (4.00–6.00) | 5.00 (4.00–6.00) | 12.0 (9.00–75.0) | 1.00 (1.00–2.50) |',
    );
  });

  const bench = (order: string[]): Bench => ({
    surroundings: { folder: '', stop: async () => undefined } as Bench['surroundings'],
    generator: {
      async run({ seed }) {
        if (seed % 2 === 1) order.push('measured');
        return OUTCOME;
      },
      stop: async () => undefined,
    },
    dataFolder: '',
    rounds: 2,
    seconds: 1,
    sizes: [],
    versions: new Map(),
    say: () => undefined,
  });

  function workThatDoes(count: number, order: string[]): Work {
    return {
      service: { name: 'x', port: 1, pid: process.pid, stop: async () => undefined },
      start() {
        order.push('begun');
        return async () => {
          order.push('ended');
          return count;
        };
      },
      stop: async () => undefined,
    };
  }

  test('behavior: each round has a quiet measurement and one beside the work, every second one the other way round', async () => {
    const order: string[] = [];
    const found = await measureBeside(bench(order), workThatDoes(5, order), { name: 'work', unit: 'pieces' });
    expect([found.quiet.length, found.busy.length]).toEqual([2, 2]);
    const busy = ['begun', 'measured', 'ended'];
    const pair = ['measured', ...busy, ...busy, 'measured'];
    expect(order).toEqual([...pair, ...pair]);
  });

  test('error: a measurement beside which nothing was done is refused', async () => {
    const measured = measureBeside(bench([]), workThatDoes(0, []), { name: 'work', unit: 'pieces' });
    await expect(measured).rejects.toThrow('nothing was done beside look-ups: work');
  });
});
