import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../sandbox/port.ts';
import { untilDone, WARM_ACTS } from '../acts.ts';
import type { Bench } from '../bench.ts';
import { type Contender, measureRound, settle, WARM_REQUESTS } from '../contender.ts';
import { shown, spreadOf } from '../figures.ts';
import { startServer, untilAnswers } from '../processes.ts';
import { table, type Verdict } from '../report.ts';
import { startService } from '../surroundings.ts';
import { commitsOf, countsOf } from './counts.ts';
import { type Source, startFarcasterSource, startXSource } from './sources.ts';
import { startClaimSource, startLookSource } from './taps.ts';

const MENTIONS = 2_000;
const AT_ONCE = 16;
const STEADY_MENTIONS = 720;
const STEADY_RATE = 36;
const MAX_SETTLING_MS = 5_000;
/** V8 collects for half a minute what the start has left. */
const SETTLED_MS = 30_000;
const IDLE_MS = 10_000;
/** What a claim document with five tips in two tokens has. */
const CONSTANT_LENGTH = 2_400;
/** Of the constant in a closed loop; at a rate it gets as many requests as there are mentions, half before them and half after. */
const CONSTANT_SECONDS = 2;

/** What one mention took of the service's process, from its webhook to the sent reply. */
interface MentionCost {
  readonly micros: number;
  /** The same in answers of the bare Hono constant at the same rate, measured right before and after it. */
  readonly constants: number;
  readonly commits: number;
  readonly written: number;
}

interface Idle {
  readonly wakeUps: number;
  /** Of a core. */
  readonly percent: number;
}

async function startConstant(): Promise<Contender> {
  const port = await freePort(0);
  const path = new URL('../rivals/hono-constant.ts', import.meta.url).pathname;
  const { pid, stop } = startServer(path, { port, body: 'x'.repeat(CONSTANT_LENGTH) });
  await untilAnswers(`http://127.0.0.1:${port}/api/claim`);
  return { name: 'bare Hono, constant', port, pid, stop: () => stop() };
}

/** What an answer of the constant takes; at a rate, for half as long as the mentions take that come at this rate. */
type ConstantMicros = (pace: Pace) => Promise<number>;

function createConstantRound({ generator }: Bench, constant: Contender): ConstantMicros {
  const asked = { kind: 'lookups' as const, users: 10_000 };
  let warming: { warmRequests?: number } = { warmRequests: WARM_REQUESTS };
  return async ({ rate, count }) => {
    // To open a connection takes as much as some requests do.
    const connections = rate === null ? 50 : 1;
    const seconds = rate === null ? CONSTANT_SECONDS : count / rate / 2;
    const load = { connections, rate, seconds, asked };
    const { cpuMicros } = await measureRound(generator, constant, { ...load, ...warming });
    warming = {};
    return cpuMicros;
  };
}

/** As fast as they are accepted, so many at once. */
async function deliverAtOnce(deliver: () => Promise<void>, count: number): Promise<void> {
  let left = count;
  const lane = async () => {
    while (left-- > 0) await deliver();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

async function deliverSteadily(deliver: () => Promise<void>, count: number, rate: number): Promise<void> {
  const begin = performance.now();
  const accepted: Promise<void>[] = [];
  for (let number = 0; number < count; number += 1) {
    await wait(Math.max(0, begin + (number * 1_000) / rate - performance.now()));
    accepted.push(deliver());
  }
  await Promise.all(accepted);
}

/** So many mentions, in so many a second; as fast as they are accepted where the rate is null. */
interface Pace {
  readonly rate: number | null;
  readonly count: number;
}

const FULL: Pace = { rate: null, count: MENTIONS };
const STEADY: Pace = { rate: STEADY_RATE, count: STEADY_MENTIONS };

async function deliverAt({ rate, count }: Pace, deliver: () => Promise<void>): Promise<void> {
  if (rate === null) await deliverAtOnce(deliver, count);
  else await deliverSteadily(deliver, count, rate);
}

async function costsOf(
  bench: Bench,
  source: Source,
  constantMicros: ConstantMicros,
): Promise<{ full: MentionCost; steady: MentionCost }> {
  const databasePath = join(bench.surroundings.folder, `cost-${randomUUID()}.db`);
  const service = await startService(bench.surroundings, { databasePath, env: source.env });
  const deliver = source.deliverTo(service.port);
  const doAll = async (pace: Pace) => {
    const before = source.replies();
    await deliverAt(pace, deliver);
    await untilDone(`mentions on ${source.platform}`, source.replies, before + pace.count);
    // What the last reply is stored with, and the log.
    await settle(service.pid, MAX_SETTLING_MS);
  };
  async function measure(pace: Pace): Promise<MentionCost> {
    const { count } = pace;
    const constantBefore = await constantMicros(pace);
    const before = { ...countsOf(service.pid), commits: commitsOf(databasePath) };
    await doAll(pace);
    const after = countsOf(service.pid);
    const commits = (commitsOf(databasePath) - before.commits) / count;
    const micros = ((after.cpuMs - before.cpuMs) * 1_000) / count;
    const constants = micros / ((constantBefore + (await constantMicros(pace))) / 2);
    return { micros, constants, commits, written: (after.written - before.written) / count };
  }
  try {
    await doAll({ rate: null, count: WARM_ACTS });
    return { full: await measure(FULL), steady: await measure(STEADY) };
  } finally {
    await service.stop();
  }
}

/** Of a service with both platforms that has nothing to do. */
async function measureIdle(bench: Bench): Promise<Idle> {
  const databasePath = join(bench.surroundings.folder, `idle-${randomUUID()}.db`);
  const service = await startService(bench.surroundings, { databasePath });
  try {
    await wait(SETTLED_MS);
    const before = countsOf(service.pid);
    const begin = performance.now();
    await wait(IDLE_MS);
    const after = countsOf(service.pid);
    const ms = performance.now() - begin;
    return {
      wakeUps: ((after.wakeUps - before.wakeUps) * 1_000) / ms,
      percent: (100 * (after.cpuMs - before.cpuMs)) / ms,
    };
  } finally {
    await service.stop();
  }
}

function once(goal: string, bound: number, value: number): Verdict {
  return { goal, is: 'at most', bound, measured: spreadOf([value]) };
}

const GOALS = { fullMicros: 450, steady: 15, commits: 2, kilobytes: 50, wakeUps: 20, percent: 0.3 };

function row(name: string, { micros, constants, commits, written }: MentionCost): string[] {
  return [name, ...[micros, constants, commits, written / 1_000].map(shown)];
}

/** What mentions take, and what the service takes while there are none. */
export async function measureMentionCosts(bench: Bench): Promise<{ text: string; verdicts: Verdict[] }> {
  bench.say('what a mention takes');
  const constant = await startConstant();
  const rows: string[][] = [];
  const verdicts: Verdict[] = [];
  let mentionMicros: number | undefined;
  try {
    const constantMicros = createConstantRound(bench, constant);
    for (const start of [startFarcasterSource, startXSource]) {
      const source = await start();
      const { full, steady } = await costsOf(bench, source, constantMicros).finally(() => source.stop());
      const { platform } = source;
      rows.push(row(`${platform}, at full load`, full), row(`${platform}, ${STEADY_RATE} a second`, steady));
      mentionMicros ??= full.micros;
      verdicts.push(
        { ...once(`a mention on ${platform} at full load`, GOALS.fullMicros, full.micros), unit: 'µs' },
        once(
          `the same at ${STEADY_RATE} a second, answers of a bare Hono constant at this rate`,
          GOALS.steady,
          steady.constants,
        ),
        once('its commits', GOALS.commits, steady.commits),
        once('kilobytes that it writes', GOALS.kilobytes, steady.written / 1_000),
      );
    }
    for (const start of [startLookSource, startClaimSource]) {
      const source = await start();
      const { full, steady } = await costsOf(bench, source, constantMicros).finally(() => source.stop());
      rows.push(
        row(`${source.platform}, at full load`, full),
        row(`${source.platform}, ${STEADY_RATE} a second`, steady),
      );
      verdicts.push(
        once(`${source.platform}, of a mention on Farcaster at full load`, 1, full.micros / (mentionMicros ?? 1)),
      );
    }
  } finally {
    await constant.stop();
  }
  const idle = await measureIdle(bench);
  verdicts.push(
    once('wake-ups a second while idle', GOALS.wakeUps, idle.wakeUps),
    once('percent of a core while idle', GOALS.percent, idle.percent),
  );
  const head = [
    'a mention, webhook to sent reply; a tap, to its card',
    'CPU, µs',
    'of the constant',
    'commits',
    'kB written',
  ];
  const idleHead = ['idle', 'wake-ups a second', '% of a core'];
  const idleRow = [['both platforms', shown(idle.wakeUps), shown(idle.percent)]];
  const intro =
    `Before they are measured ${WARM_ACTS.toLocaleString('en-US')} mentions are answered. The constant is asked at the rate of the ` +
    'mentions, right before and after them: at full load in a closed loop. Bytes passed to `write` (files, sockets and log) and transactions written to the ' +
    'database, each shared one counted once, by mention.';
  return { text: `${intro}\n\n${table(head, rows)}\n\n${table(idleHead, idleRow)}`, verdicts };
}
