import { randomUUID } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench } from '../bench.ts';
import { createProbe } from '../beside/turns.ts';
import type { Contender } from '../contender.ts';
import { prepareSqlite } from '../data/sqlite.ts';
import { startService } from '../surroundings.ts';
import { addWatchedGigs, type GigPlan } from './gigs.ts';
import { type LikesNeynar, startLikesNeynar } from './neynar.ts';

const SERVICE = fileURLToPath(new URL('./service.ts', import.meta.url));
/** Of other gigs, which are looked up meanwhile. */
export const TIPS = 10_000;

/** A service that watches gigs. */
export interface Watching extends Contender {
  readonly neynar: LikesNeynar;
  readonly gigIds: readonly number[];
  readonly databasePath: string;
}

/** Starts a service that watches these gigs, each with a cast of its own; `likes` says how many like it, by its hash. */
export async function openWatching(
  bench: Bench,
  given: {
    name: string;
    gigs: readonly GigPlan[];
    likes?: Map<string, number>;
    lookSeconds: number;
    speed?: number;
    isProbed?: boolean;
  },
): Promise<Watching> {
  const { name, gigs, likes = new Map<string, number>(), lookSeconds, speed = 1, isProbed = false } = given;
  const databasePath = join(bench.surroundings.folder, `earning-${randomUUID()}.db`);
  copyFileSync(await prepareSqlite(bench.dataFolder, TIPS), databasePath);
  const gigIds = await addWatchedGigs(databasePath, gigs);
  const neynar = await startLikesNeynar((gigs[0]?.startTime ?? 0) + 1);
  for (const [hash, count] of likes) neynar.likes.set(hash, count);
  const env = {
    NEYNAR_BASE_URL: neynar.url,
    EARNING_LOOK_SECONDS: String(lookSeconds),
    BENCH_CLOCK_SPEED: String(speed),
  };
  const probe = isProbed ? await createProbe() : null;
  const { port, pid, stop } = await startService(bench.surroundings, {
    databasePath,
    env: { ...env, ...probe?.env },
    flags: probe?.flags ?? [],
    bundle: SERVICE,
  });
  return {
    name,
    port,
    pid,
    ...(probe === null ? {} : { turns: probe.turns }),
    neynar,
    gigIds,
    databasePath,
    async stop() {
      await stop();
      neynar.stop();
    },
  };
}
