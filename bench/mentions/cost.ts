import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../sandbox/port.ts';
import { untilDone, WARM_ACTS } from '../acts.ts';
import type { Bench } from '../bench.ts';
import { type Contender, measureRound, settle, WARM_REQUESTS } from '../contender.ts';
import { ratios, shown, shownSpread, spreadOf } from '../figures.ts';
import { startServer, untilAnswers } from '../processes.ts';
import { table, type Verdict } from '../report.ts';
import { inRounds } from '../rounds.ts';
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
  /** How many were answered a second. */
  readonly perSecond: number;
}

/** What mentions of a source took: as fast as they were accepted, in each round, and at a steady rate. */
interface SourceCosts {
  readonly full: readonly MentionCost[];
  readonly steady: MentionCost;
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

async function costsOf(bench: Bench, source: Source, constantMicros: ConstantMicros): Promise<SourceCosts> {
  const databasePath = join(bench.surroundings.folder, `cost-${randomUUID()}.db`);
  const service = await startService(bench.surroundings, { databasePath, env: source.env });
  const deliver = source.deliverTo(service.port);
  /** Settles with how many seconds passed until the last reply. */
  const doAll = async (pace: Pace): Promise<number> => {
    const before = source.replies();
    const begin = performance.now();
    await deliverAt(pace, deliver);
    await untilDone(`mentions on ${source.platform}`, source.replies, before + pace.count);
    const seconds = (performance.now() - begin) / 1_000;
    // What the last reply is stored with, and the log.
    await settle(service.pid, MAX_SETTLING_MS);
    return seconds;
  };
  async function measure(pace: Pace): Promise<MentionCost> {
    const { count } = pace;
    const constantBefore = await constantMicros(pace);
    const before = { ...countsOf(service.pid), commits: commitsOf(databasePath) };
    const perSecond = count / (await doAll(pace));
    const after = countsOf(service.pid);
    const commits = (commitsOf(databasePath) - before.commits) / count;
    const micros = ((after.cpuMs - before.cpuMs) * 1_000) / count;
    const constants = micros / ((constantBefore + (await constantMicros(pace))) / 2);
    return { micros, constants, commits, written: (after.written - before.written) / count, perSecond };
  }
  try {
    await doAll({ rate: null, count: WARM_ACTS });
    const full: MentionCost[] = [];
    await inRounds(bench.rounds, async () => {
      full.push(await measure(FULL));
    });
    return { full, steady: await measure(STEADY) };
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

const micros = (costs: readonly MentionCost[]) => costs.map((cost) => cost.micros);

/** @param costs of one round each */
function row(name: string, costs: readonly MentionCost[]): string[] {
  const values: ((cost: MentionCost) => number)[] = [
    (cost) => cost.micros,
    (cost) => cost.constants,
    (cost) => cost.commits,
    ({ written }) => written / 1_000,
    ({ perSecond }) => perSecond,
  ];
  const spreads = values.map((read) => spreadOf(costs.map(read)));
  return [name, ...spreads.map((spread) => (costs.length === 1 ? shown(spread.median) : shownSpread(spread)))];
}

function rowsOf(platform: string, { full, steady }: SourceCosts): string[][] {
  return [row(`${platform}, at full load`, full), row(`${platform}, ${STEADY_RATE} a second`, [steady])];
}

/** What mentions take, and what the service takes while there are none. */
export async function measureMentionCosts(bench: Bench): Promise<{ text: string; verdicts: Verdict[] }> {
  bench.say('what a mention takes');
  const constant = await startConstant();
  const rows: string[][] = [];
  const verdicts: Verdict[] = [];
  let mentionMicros: readonly number[] = [];
  try {
    const constantMicros = createConstantRound(bench, constant);
    for (const start of [startFarcasterSource, startXSource]) {
      const source = await start();
      const costs = await costsOf(bench, source, constantMicros).finally(() => source.stop());
      const { platform } = source;
      const { full, steady } = costs;
      rows.push(...rowsOf(platform, costs));
      if (mentionMicros.length === 0) mentionMicros = micros(full);
      verdicts.push(
        {
          goal: `a mention on ${platform} at full load`,
          is: 'at most',
          bound: GOALS.fullMicros,
          unit: 'µs',
          measured: spreadOf(micros(full)),
        },
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
      const costs = await costsOf(bench, source, constantMicros).finally(() => source.stop());
      rows.push(...rowsOf(source.platform, costs));
      verdicts.push({
        goal: `${source.platform}, of a mention on Farcaster at full load`,
        is: 'at most',
        bound: 1,
        measured: ratios(micros(costs.full), mentionMicros),
      });
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
    'a second',
  ];
  const idleHead = ['idle', 'wake-ups a second', '% of a core'];
  const idleRow = [['both platforms', shown(idle.wakeUps), shown(idle.percent)]];
  const intro =
    `Before they are measured ${WARM_ACTS.toLocaleString('en-US')} mentions are answered. The constant is asked at the rate of the ` +
    'mentions, right before and after them: at full load in a closed loop. Bytes passed to `write` (files, sockets and log) and transactions written to the ' +
    'database, each shared one counted once, by mention.';
  return { text: `${intro}\n\n${table(head, rows)}\n\n${table(idleHead, idleRow)}`, verdicts };
}
