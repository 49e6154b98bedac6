import { createHmac } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { NETWORK_CREDENTIALS } from '../../sandbox/people.ts';
import type { Bench } from '../bench.ts';
import { likeBody } from '../load/requests.ts';
import { castOf, FIRST_FID } from './casts.ts';
import { callsOf, creditsOf, DELIVERY_CREDITS } from './credits.ts';
import { openCounts } from './gigs.ts';
import { openWatching, type Watching } from './open.ts';

const LIKES = 5_000;
const LOOK_SECONDS = 5;
const AT_ONCE = 50;
const PATIENCE_MS = 120_000;
const SECRET = NETWORK_CREDENTIALS.farcaster.webhookSecrets[0];

/** What a hundred acts cost, from the first look to the last award. */
export interface Cost {
  readonly calls: number;
  readonly deliveries: number;
  /** An estimate. */
  readonly credits: number;
}

async function tell({ port }: Watching, fid: number): Promise<void> {
  const body = likeBody({ fid, hash: castOf(0) }, Date.now());
  const signature = createHmac('sha512', SECRET).update(body).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-neynar-signature': signature };
  const { status } = await fetch(`http://127.0.0.1:${port}/webhooks/farcaster`, { method: 'POST', headers, body });
  if (status !== 200) throw new Error(`a webhook was answered with ${status}`);
}

async function until(isReached: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!isReached()) {
    if (performance.now() > deadline) throw new Error('the likes are not awarded in time');
    await wait(50);
  }
}

/** What it costs to award the likes of a gig that has started without any, told of by webhooks or not. */
export async function measureCost(bench: Bench, { isTold }: { isTold: boolean }): Promise<Cost> {
  const gigs = [{ startTime: Date.now() - 60_000, holdMs: 0 }];
  const service = await openWatching(bench, { name: 'this service', gigs, lookSeconds: LOOK_SECONDS });
  const counts = openCounts(service.databasePath, service.gigIds[0] ?? 0);
  const { usage, likes } = service.neynar;
  try {
    await until(() => usage.has('/reactions/cast'));
    usage.clear();
    likes.set(castOf(0), LIKES);
    for (let from = 0; isTold && from < LIKES; from += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => tell(service, FIRST_FID + from + index)));
    }
    await until(() => counts.read()['awarded'] === LIKES);
    const deliveries = isTold ? LIKES : 0;
    const each = 100 / LIKES;
    return {
      calls: callsOf(usage) * each,
      deliveries: deliveries * each,
      credits: (creditsOf(usage) + deliveries * DELIVERY_CREDITS) * each,
    };
  } finally {
    counts.close();
    await service.stop();
  }
}

const GIGS = 500;
/** Each second of the bench is a minute, so that there are the looks of an hour, and a regular sweep. */
const SPEED = 60;
const DUE_SECONDS = 600;
const SECONDS = 72;
const FEW = 3;

/** What many gigs cost towards which nothing new is done. */
export interface Watched {
  readonly gigs: number;
  /** Looks that were due at most, for each gig. */
  readonly due: number;
  /** Calls for each look that was due: at the half of them with a few likes, and at those without any. */
  readonly liked: number;
  readonly quiet: number;
}

export async function measureWatched(bench: Bench): Promise<Watched> {
  const startTime = Date.now() - 60_000;
  const gigs = Array.from({ length: GIGS }, () => ({ startTime, holdMs: 0 }));
  const casts = gigs.map((_, number) => castOf(number));
  const liked = casts.slice(0, GIGS / 2);
  const likes = new Map(liked.map((hash) => [hash, FEW]));
  const begin = performance.now();
  const given = { name: 'this service', gigs, likes, lookSeconds: DUE_SECONDS, speed: SPEED };
  const service = await openWatching(bench, given);
  await wait(SECONDS * 1_000);
  const due = 1 + ((performance.now() - begin) * SPEED) / (DUE_SECONDS * 1_000);
  const { asked } = service.neynar;
  await service.stop();
  const each = (some: readonly string[]) =>
    some.reduce((sum, hash) => sum + (asked.get(hash) ?? 0), 0) / (some.length * due);
  return { gigs: GIGS, due, liked: each(liked), quiet: each(casts.slice(GIGS / 2)) };
}
