import { setTimeout as wait } from 'node:timers/promises';
import { NETWORK_CREDENTIALS } from '../../sandbox/people.ts';
import { freePort } from '../../sandbox/port.ts';
import type { Bench } from '../bench.ts';
import { type Contender, compare, type Round } from '../contender.ts';
import type { Asked } from '../load/job.ts';
import { startServer, untilAnswers } from '../processes.ts';
import { castOf } from './casts.ts';
import { countTold } from './gigs.ts';
import { openWatching } from './open.ts';

export const EVENT_GIGS = 500;
export const EVENT_CONNECTIONS = 50;
export const OURS = 'this service';
export const NOTHING_STORED = 'node:http, signature and JSON.parse, nothing stored';
/** One look at each gig, in the beginning. */
const LOOK_SECONDS = 86_400;
const HOLD_MS = 43_200_000;
const SECRET = NETWORK_CREDENTIALS.farcaster.webhookSecrets[0];

async function startNothingStored(): Promise<Contender> {
  const port = await freePort(0);
  const path = new URL('../rivals/nothing-stored.ts', import.meta.url).pathname;
  const { pid, stop } = startServer(path, { port, secret: SECRET });
  await untilAnswers(`http://127.0.0.1:${port}/health`);
  return { name: NOTHING_STORED, port, pid, stop: () => stop() };
}

/**
 * Likes that webhooks tell of, of many watched gigs in turn, beside what stores nothing.
 * @throws Error when any that was answered is not stored
 */
export async function measureEvents(bench: Bench): Promise<Map<string, Round[]>> {
  const gig = { startTime: Date.now() - 60_000, holdMs: HOLD_MS };
  const gigs = Array.from({ length: EVENT_GIGS }, () => gig);
  const casts = gigs.map((_, number) => castOf(number));
  const asked: Asked = { kind: 'likes', secret: SECRET, casts };
  const ours = await openWatching(bench, { name: OURS, gigs, lookSeconds: LOOK_SECONDS });
  // A sweep that began before would miss what is told meanwhile, and be made again.
  while (ours.neynar.asked.size < EVENT_GIGS) await wait(50);
  const rival = await startNothingStored();
  const load = { connections: EVENT_CONNECTIONS, seconds: bench.seconds, rate: null, asked };
  try {
    const found = await compare(bench.generator, [ours, rival], { ...load, rounds: bench.rounds });
    for (const [index, { answered }] of (found.get(OURS) ?? []).entries()) {
      // The first round only warms up; the odd seeds are those of what is measured.
      const stored = countTold(ours.databasePath, 2 * (index + 1) + 1);
      if (stored < answered) throw new Error(`of ${answered} likes that were answered ${stored} are stored`);
    }
    return found;
  } finally {
    await ours.stop();
    await rival.stop();
  }
}
