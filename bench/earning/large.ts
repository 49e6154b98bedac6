import { setTimeout as wait } from 'node:timers/promises';
import { NETWORK_CREDENTIALS } from '../../sandbox/people.ts';
import { WARM_ACTS } from '../acts.ts';
import type { Bench } from '../bench.ts';
import { measureRound, type Round, WARM_REQUESTS } from '../contender.ts';
import { usersOf } from '../data/rows.ts';
import type { Asked } from '../load/job.ts';
import { residentMb } from '../processor-time.ts';
import { castOf } from './casts.ts';
import { openCounts } from './gigs.ts';
import { openWatching, TIPS, type Watching } from './open.ts';

/** The gig that is earned, and one towards whose cast webhooks tell of likes, which are held for long. */
const LARGE = 0;
const TOLD = 1;
const HOLD_MS = 43_200_000;
/** A steady stream of requests that leaves the service time. */
export const STREAM = { connections: 16, rate: 500, warmRequests: 50 };
const ASKED: Readonly<Record<'lookups' | 'webhooks', Asked>> = {
  lookups: { kind: 'lookups', users: usersOf(TIPS) },
  webhooks: { kind: 'likes', secret: NETWORK_CREDENTIALS.farcaster.webhookSecrets[0], casts: [castOf(TOLD)] },
};
const LOOK_SECONDS = 10;
/** Until the gig starts, so that both services are warm. */
const BEFORE_START_MS = 90_000;
const WARM_ROUNDS = 4;
/** Both services store what webhooks tell them of, so that they are asked for no more than they need. */
const WARM = { lookups: WARM_REQUESTS, webhooks: WARM_ACTS };
const SAMPLE_MS = 100;
const PATIENCE_SECONDS = 900;

/** What was measured in one turn of the service that earns and the one that does not. */
export interface Turn {
  readonly phase: 'swept' | 'awarded';
  readonly idle: Readonly<Record<keyof typeof ASKED, Round>>;
  readonly busy: Readonly<Record<keyof typeof ASKED, Round>>;
}

export interface LargeFound {
  readonly turns: readonly Turn[];
  /** Seconds from the gig's start until all likes were stored, and all were awarded, without those of the other service. */
  readonly stored: number;
  readonly awarded: number;
  /** Resident: at most while the gig was earned; that of the other service in the end. */
  readonly mb: number;
  readonly idleMb: number;
}

async function bothRounds(bench: Bench, service: Watching, round: number) {
  const measure = (kind: keyof typeof ASKED) => {
    const warming = round < WARM_ROUNDS ? { warmRequests: WARM[kind] / WARM_ROUNDS } : {};
    const load = { ...STREAM, ...warming, seconds: bench.seconds, asked: ASKED[kind], round };
    return measureRound(bench.generator, service, load);
  };
  const lookups = await measure('lookups');
  return { lookups, webhooks: await measure('webhooks') };
}

/** Watches how far the gig is, and how much memory the service has. */
function watchProgress({ databasePath, gigIds, pid }: Watching, likes: number) {
  const counts = openCounts(databasePath, gigIds[LARGE] ?? 0);
  const progress = { isStored: false, isAwarded: false, mb: 0 };
  const timer = setInterval(() => {
    const { held = 0, eligible = 0, awarded = 0 } = counts.read();
    progress.mb = Math.max(progress.mb, residentMb(pid));
    progress.isStored = held + eligible + awarded === likes;
    progress.isAwarded = awarded === likes;
  }, SAMPLE_MS);
  const stop = () => {
    clearInterval(timer);
    counts.close();
  };
  return { progress, stop };
}

/** Both services in turn, until all is awarded; while the idle one is measured, the other one is stopped. */
async function takeTurns(bench: Bench, { idle, busy, likes }: { idle: Watching; busy: Watching; likes: number }) {
  const { progress, stop } = watchProgress(busy, likes);
  const turns: Turn[] = [];
  let [stored, awarded] = [0, 0];
  try {
    for (let round = WARM_ROUNDS; !progress.isAwarded; round += 1) {
      process.kill(busy.pid, 'SIGSTOP');
      const idleRounds = await bothRounds(bench, idle, round);
      process.kill(busy.pid, 'SIGCONT');
      const phase = progress.isStored ? 'awarded' : 'swept';
      const begin = performance.now();
      const busyRounds = await bothRounds(bench, busy, round);
      awarded += (performance.now() - begin) / 1_000;
      if (phase === 'swept') stored = awarded;
      // What was measured when everything was done is no load.
      if (!progress.isAwarded || turns.length === 0) turns.push({ phase, idle: idleRounds, busy: busyRounds });
      if (awarded > PATIENCE_SECONDS) throw new Error(`after ${PATIENCE_SECONDS} s not all likes are awarded`);
    }
  } finally {
    process.kill(busy.pid, 'SIGCONT');
    stop();
  }
  return { turns, stored, awarded, mb: progress.mb };
}

/** A gig with very many likes, from the first sweep to the last award, beside a service that has no such gig. */
export async function measureLarge(
  bench: Bench,
  { likes, isProbed = false }: { likes: number; isProbed?: boolean },
): Promise<LargeFound> {
  const startTime = Date.now() + BEFORE_START_MS;
  const told = { startTime: Date.now() - 60_000, holdMs: HOLD_MS };
  const gigs = [{ startTime, holdMs: 0 }, told];
  const all = new Map([[castOf(LARGE), likes]]);
  const common = { gigs, lookSeconds: LOOK_SECONDS, isProbed };
  const idle = await openWatching(bench, { ...common, name: 'the idle service' });
  const busy = await openWatching(bench, { ...common, name: 'the service', likes: all });
  try {
    for (let round = 0; round < WARM_ROUNDS; round += 1) {
      for (const service of [idle, busy]) await bothRounds(bench, service, round);
    }
    if (Date.now() > startTime) throw new Error(`the services were not warm within ${BEFORE_START_MS / 1_000} s`);
    await wait(startTime - Date.now());
    const found = await takeTurns(bench, { idle, busy, likes });
    return { ...found, idleMb: residentMb(idle.pid) };
  } finally {
    await idle.stop();
    await busy.stop();
  }
}
