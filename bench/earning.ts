import { randomUUID } from 'node:crypto';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Bench } from './bench.ts';
import { measureRound, type Round } from './contender.ts';
import { usersOf } from './data/rows.ts';
import { prepareSqlite } from './data/sqlite.ts';
import { addWatchedGigs, castOf, openCounts } from './earning/gigs.ts';
import { type LikesNeynar, startLikesNeynar } from './earning/neynar.ts';
import { ratios, type Spread, shown, shownSpread, spreadOf } from './figures.ts';
import { residentMb } from './processes.ts';
import { type Section, table } from './report.ts';
import { type RunningService, startService } from './surroundings.ts';

const SERVICE = fileURLToPath(new URL('./earning/service.ts', import.meta.url));
const TIPS = 10_000;
const LIKES = Number(process.env['EARNING_LIKES'] ?? 100_000);
const IDLE_GIGS = 500;
const LOOK_SECONDS = 10;
const IDLE_LOOKS = 3;
/** A steady stream that leaves the service time. */
const LOAD = { connections: 16, rate: 500, warmUpSeconds: 0.1 };
const SAMPLE_MS = 100;
const PATIENCE_SECONDS = 900;

interface Running {
  readonly service: RunningService;
  readonly neynar: LikesNeynar;
  readonly gigId: number;
  readonly databasePath: string;
  /** Ends it. @returns how long its thread was held, in milliseconds */
  stop(): Promise<{ readonly worst: number; readonly p99: number; readonly p999: number }>;
}

async function open(bench: Bench, gigs: { count: number; lookSeconds: number }): Promise<Running> {
  const databasePath = join(bench.surroundings.folder, `earning-${randomUUID()}.db`);
  copyFileSync(await prepareSqlite(bench.dataFolder, TIPS), databasePath);
  const startTime = Date.now() - 60_000;
  const gigId = await addWatchedGigs(databasePath, { count: gigs.count, startTime });
  const likes = gigs.count === 1 ? LIKES : 0;
  const neynar = await startLikesNeynar({ hash: castOf(0), likes, likedAt: startTime + 1 });
  const env = { NEYNAR_BASE_URL: neynar.url, EARNING_LOOK_SECONDS: String(gigs.lookSeconds) };
  const service = await startService(bench.surroundings, { databasePath, env, bundle: SERVICE });
  return {
    service,
    neynar,
    gigId,
    databasePath,
    async stop() {
      await service.stop();
      neynar.stop();
      // The last line that the program writes.
      return JSON.parse(readFileSync(service.logFile, 'utf8').trimEnd().split('\n').at(-1) ?? '');
    },
  };
}

function round(bench: Bench, { service: { port, pid, stop } }: Running, number: number): Promise<Round> {
  const contender = { name: 'this service', port, pid, stop };
  const asked = { kind: 'lookups' as const, users: usersOf(TIPS) };
  return measureRound(bench.generator, contender, { ...LOAD, seconds: bench.seconds, asked, round: number });
}

/** The look-ups of a service that watches nothing, and its memory then. */
async function measureIdle(bench: Bench): Promise<{ p99: number[]; mb: number }> {
  const running = await open(bench, { count: 1, lookSeconds: 0 });
  const p99: number[] = [];
  for (let number = 0; number < bench.rounds + 2; number += 1) p99.push((await round(bench, running, number)).p99);
  const mb = residentMb(running.service.pid);
  await running.stop();
  return { p99: p99.slice(2), mb };
}

/** When a gig's likes were all stored and all awarded, in seconds, and the most memory meanwhile. */
async function watchProgress({ databasePath, gigId, service }: Running) {
  const counts = openCounts(databasePath, gigId);
  const begin = performance.now();
  const seconds = () => (performance.now() - begin) / 1_000;
  let stored = 0;
  let mb = 0;
  for (;;) {
    mb = Math.max(mb, residentMb(service.pid));
    const { held = 0, eligible = 0, awarded = 0 } = counts.read();
    if (stored === 0 && held + eligible + awarded === LIKES) stored = seconds();
    if (awarded === LIKES) break;
    if (seconds() > PATIENCE_SECONDS) throw new Error(`after ${PATIENCE_SECONDS} s only ${awarded} likes are awarded`);
    await wait(SAMPLE_MS);
  }
  counts.close();
  return { stored, awarded: seconds(), mb };
}

function sumOf(calls: ReadonlyMap<string, number>): number {
  return [...calls.values()].reduce((sum, count) => sum + count, 0);
}

async function measureLarge(bench: Bench) {
  const running = await open(bench, { count: 1, lookSeconds: LOOK_SECONDS });
  const progress = watchProgress(running);
  let isDone = false;
  void progress.finally(() => {
    isDone = true;
  });
  const p99: number[] = [];
  for (let number = 0; !isDone; number += 1) p99.push((await round(bench, running, number)).p99);
  const found = await progress;
  const calls = sumOf(running.neynar.calls);
  const held = await running.stop();
  return { ...found, calls, held, p99 };
}

/** Calls for each look of gigs towards which nobody does anything. */
async function measureWatching(bench: Bench): Promise<number> {
  const running = await open(bench, { count: IDLE_GIGS, lookSeconds: LOOK_SECONDS });
  await wait(LOOK_SECONDS * 1_000);
  const before = sumOf(running.neynar.calls);
  await wait(IDLE_LOOKS * LOOK_SECONDS * 1_000);
  const calls = sumOf(running.neynar.calls) - before;
  await running.stop();
  return calls / IDLE_LOOKS;
}

function one(value: number): Spread {
  return spreadOf([value]);
}

/** A gig with very many likes, from the first look to the last award, and many gigs towards which nothing is done. */
export async function benchEarning(bench: Bench): Promise<Section> {
  const likes = LIKES.toLocaleString('en-US');
  bench.say(`earning: a gig with ${likes} likes`);
  const idle = await measureIdle(bench);
  const large = await measureLarge(bench);
  bench.say(`earning: ${IDLE_GIGS} gigs without acts`);
  const watching = await measureWatching(bench);
  const rows = [
    ['all likes stored, s', shown(large.stored)],
    ['all awarded, s', shown(large.awarded)],
    ['calls to the platform', shown(large.calls)],
    ['calls for each 100 likes', shown((large.calls * 100) / LIKES)],
    ['resident, most, MB', shown(large.mb)],
    ['resident without the gig, after as many look-ups, MB', shown(idle.mb)],
    ['p99 of look-ups meanwhile, ms', shownSpread(spreadOf(large.p99))],
    ['p99 of look-ups without it, ms', shownSpread(spreadOf(idle.p99))],
    [
      'longest that the thread was held, ms (99.9 % of the time below)',
      `${shown(large.held.worst)} (${shown(large.held.p999)})`,
    ],
    [`calls for each look at ${IDLE_GIGS} gigs without acts`, shown(watching)],
  ];
  const intro = `A gig that pays for each like without a hold, so that it is swept twice; ${LOAD.rate} look-ups a second meanwhile.`;
  const medianIdle = spreadOf(idle.p99).median;
  return {
    title: 'Earning',
    text: `${intro}\n\n${table(['', ''], rows)}`,
    verdicts: [
      {
        goal: `memory of a gig with ${likes} likes over idle, MB`,
        is: 'at most',
        bound: 60,
        measured: one(large.mb - idle.mb),
      },
      {
        goal: 'p99 of look-ups while such a gig is settled, of that without',
        is: 'at most',
        bound: 2,
        measured: ratios(
          large.p99,
          large.p99.map(() => medianIdle),
        ),
      },
    ],
  };
}
