import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { NETWORK_CREDENTIALS } from '../src/sandbox/people.ts';
import { freePort } from '../src/sandbox/port.ts';
import type { Bench } from './bench.ts';
import { type Contender, doubt, FIRST_WARM_UP_SECONDS, measureRound, type Round } from './contender.ts';
import { startRedis } from './data/redis.ts';
import { ratios, shownSpread, spreadOf } from './figures.ts';
import { createHashes, signedEvent } from './load/requests.ts';
import { type Neynar, startNeynar } from './neynar.ts';
import { startServer, untilAnswers } from './processes.ts';
import { type Section, table, type Verdict } from './report.ts';
import { startService } from './surroundings.ts';

const CONNECTIONS = 50;
/** More than the service answers at a time. */
const CLAIMERS = 16;
const { botFid, webhookSecrets } = NETWORK_CREDENTIALS.farcaster;
const SECRET = webhookSecrets[0];

const OURS = 'this service';
const ANSWERING = 'this service, answering meanwhile';
const BULLMQ = 'BullMQ on Redis, appendfsync always';

/**
 * Lets every lane of the answering job wait for a network that does not answer, which it does for ten seconds: so what is
 * measured then is accepting alone.
 */
async function holdAnswering(url: string): Promise<void> {
  const nextHash = createHashes();
  for (let claimer = 0; claimer < CLAIMERS; claimer++) {
    const cast = { hash: nextHash(), author: 500_000 + claimer, botFid, text: '@gigclaim claim my rewards' };
    const { body, signature } = signedEvent(cast, SECRET);
    const headers = { 'content-type': 'application/json', 'x-neynar-signature': signature };
    const answer = await fetch(`${url}/webhooks/farcaster`, { method: 'POST', headers, body });
    if (answer.status !== 200) throw new Error(`a webhook was answered ${answer.status}`);
  }
  await wait(300);
}

function load(bench: Bench) {
  const asked = { kind: 'casts' as const, secret: SECRET, botFid, text: '@gigclaim claims' };
  // Every round of the service begins with a new process, and so the others get as much to warm up.
  const warmUpSeconds = FIRST_WARM_UP_SECONDS;
  return { connections: CONNECTIONS, seconds: bench.seconds, warmUpSeconds, rate: null, asked };
}

/** One round of the service on a new database, so that no round inherits another's backlog. */
async function roundOfOurs(bench: Bench, neynar: Neynar, answering: boolean): Promise<Round> {
  const databasePath = join(bench.surroundings.folder, `webhooks-${randomUUID()}.db`);
  const service = await startService(bench.surroundings, { databasePath, env: { NEYNAR_BASE_URL: neynar.url } });
  neynar.hangs = !answering;
  try {
    if (!answering) await holdAnswering(service.url);
    const { port, pid } = service;
    const contender = { name: OURS, port, pid, stop: () => service.stop() };
    return await measureRound(bench.generator, contender, load(bench));
  } finally {
    await service.stop('SIGKILL');
  }
}

async function startBullmq(redis: number): Promise<Contender> {
  const port = await freePort(0);
  const path = new URL('./rivals/bullmq.ts', import.meta.url).pathname;
  const { pid, stop } = startServer(path, { port, redis, secret: SECRET });
  await untilAnswers(`http://127.0.0.1:${port}/health`);
  return { name: BULLMQ, port, pid, stop: () => stop() };
}

function verdictsOf(rounds: ReadonlyMap<string, Round[]>): Verdict[] {
  const perSecond = (name: string) => (rounds.get(name) ?? []).map((round) => round.perSecond);
  const p99 = (name: string) => (rounds.get(name) ?? []).map((round) => round.p99);
  if (perSecond(BULLMQ).length === 0) return [];
  const because = doubt(rounds.get(OURS) ?? []);
  return [
    {
      goal: 'webhooks durably accepted, times BullMQ with the same promise',
      ...{ is: 'at least', bound: 2, measured: ratios(perSecond(OURS), perSecond(BULLMQ)), doubt: because },
    },
    {
      goal: 'webhooks’ p99, of BullMQ’s',
      ...{ is: 'at most', bound: 1, measured: ratios(p99(OURS), p99(BULLMQ)), doubt: because },
    },
  ];
}

/** Signed webhooks, on disk before they are answered. */
export async function benchWebhooks(bench: Bench): Promise<Section> {
  bench.say('webhooks');
  const neynar = await startNeynar(botFid);
  const redis = await startRedis(bench.surroundings.folder);
  if (redis === null) bench.say('Redis is not installed (Debian: redis-server): not compared with');
  else bench.versions.set('Redis', redis.version);
  const bullmq = redis === null ? null : await startBullmq(redis.port);
  const names = bullmq === null ? [OURS, ANSWERING] : [OURS, BULLMQ, ANSWERING];
  const rounds = new Map<string, Round[]>(names.map((name) => [name, []]));
  for (let round = 0; round < bench.rounds; round++) {
    rounds.get(OURS)?.push(await roundOfOurs(bench, neynar, false));
    if (bullmq !== null) rounds.get(BULLMQ)?.push(await measureRound(bench.generator, bullmq, load(bench)));
    rounds.get(ANSWERING)?.push(await roundOfOurs(bench, neynar, true));
  }
  await bullmq?.stop();
  await redis?.stop();
  neynar.stop();
  const rows = [...rounds].map(([name, measured]) => [
    name,
    shownSpread(spreadOf(measured.map((round) => round.perSecond))),
    shownSpread(spreadOf(measured.map((round) => round.cpuMicros))),
    shownSpread(spreadOf(measured.map((round) => round.p50))),
    shownSpread(spreadOf(measured.map((round) => round.p99))),
  ]);
  const intro =
    `${CONNECTIONS} connections deliver \`cast.created\` events of 3 kB, each with its own HMAC-SHA512 and author; an answer comes ` +
    'when the event is on disk (SQLite `synchronous = FULL`; Redis `appendfsync always`, on the load generator’s core). In the ' +
    'first line the bot answers nobody, as BullMQ has no worker; in the second it answers meanwhile as fast as it can.';
  const head = ['server', 'events/s', 'its CPU, µs an event', 'p50 ms', 'p99 ms'];
  return { title: 'Webhooks', text: `${intro}\n\n${table(head, rows)}`, verdicts: verdictsOf(rounds) };
}
