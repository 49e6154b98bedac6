import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { NETWORK_CREDENTIALS } from '../sandbox/people.ts';
import { freePort } from '../sandbox/port.ts';
import type { Bench } from './bench.ts';
import { assertStored, EVENTS, MENTIONS, type Stored, storedInBullmq, storedInSqlite } from './checks/stored.ts';
import {
  allMicros,
  type Contender,
  compare,
  doubt,
  measureRound,
  type Round,
  shownHelper,
  WARM_REQUESTS,
} from './contender.ts';
import { type RedisServer, startRedis } from './data/redis.ts';
import { ratios, shownSpread, spreadOf } from './figures.ts';
import { type Neynar, startNeynar } from './neynar.ts';
import { startServer, untilAnswers } from './processes.ts';
import { type Section, table, type Verdict } from './report.ts';
import { inRounds } from './rounds.ts';
import { startService } from './surroundings.ts';

const CONNECTIONS = 50;
const { botFid, webhookSecrets } = NETWORK_CREDENTIALS.farcaster;
const SECRET = webhookSecrets[0];
/** Answered from the store alone. */
const QUESTION = '@gigclaim claims';
/** Needs a look-up of its author: where that hangs, each lane of the answering job is held up for seconds. */
const CLAIM = '@gigclaim claim my rewards';

const OURS = 'this service';
const ANSWERING = 'this service, answering meanwhile';
const BULLMQ = 'BullMQ on Redis, appendfsync always';
const ONE_ROW = 'node:http + better-sqlite3, by hand, one row an event';
const NOTHING_STORED = 'node:http, signature and JSON.parse, nothing stored';

function load(bench: Bench, text: string) {
  const asked = { kind: 'casts' as const, secret: SECRET, botFid, text };
  return { connections: CONNECTIONS, seconds: bench.seconds, rate: null, asked };
}

/** The service on a new database of its own. */
async function startOurs({ surroundings }: Bench, { name, neynar }: { name: string; neynar: Neynar }) {
  const databasePath = join(surroundings.folder, `webhooks-${randomUUID()}.db`);
  const service = await startService(surroundings, { databasePath, env: { NEYNAR_BASE_URL: neynar.url } });
  return { name, databasePath, port: service.port, pid: service.pid, stop: () => service.stop('SIGKILL') };
}

/** One round of a new process on a new database, so that no round inherits what another has not answered yet. */
async function roundOfAnswering(bench: Bench, neynar: Neynar): Promise<Round> {
  const service = await startOurs(bench, { name: ANSWERING, neynar });
  try {
    const asked = { ...load(bench, QUESTION), warmRequests: WARM_REQUESTS };
    return await measureRound(bench.generator, service, asked);
  } finally {
    await service.stop();
  }
}

interface RivalOptions {
  readonly path?: string;
  readonly redis?: RedisServer;
}

async function startRival(name: string, file: string, { redis, ...options }: RivalOptions = {}): Promise<Contender> {
  const port = await freePort(0);
  const path = new URL(`./rivals/${file}.ts`, import.meta.url).pathname;
  const { pid, stop } = startServer(path, { port, secret: SECRET, redis: redis?.port, ...options });
  await untilAnswers(`http://127.0.0.1:${port}/health`);
  const helper = redis === undefined ? {} : { helperPid: redis.pid };
  return { name, port, pid, ...helper, stop: () => stop() };
}

const perSecond = (round: Round) => round.perSecond;
const p99 = (round: Round) => round.p99;

function verdictsOf(rounds: ReadonlyMap<string, Round[]>): Verdict[] {
  const ours = rounds.get(OURS) ?? [];
  const bullmq = rounds.get(BULLMQ) ?? [];
  if (bullmq.length === 0) return [];
  const because = doubt(ours);
  return [
    {
      goal: 'processor time of a webhook on disk',
      is: 'at most',
      bound: 150,
      unit: 'µs',
      measured: spreadOf(ours.map(allMicros)),
    },
    {
      goal: 'webhooks on disk for as much processor time, times BullMQ and its Redis with the same promise',
      is: 'at least',
      bound: 1,
      measured: ratios(bullmq.map(allMicros), ours.map(allMicros)),
    },
    {
      goal: 'webhooks’ p99, of BullMQ’s',
      is: 'at most',
      bound: 1,
      measured: ratios(ours.map(p99), bullmq.map(p99)),
      doubt: because,
    },
  ];
}

/** Accepting alone, beside BullMQ where there is a Redis, and beside what it takes to accept at all. */
async function compareAccepting(bench: Bench): Promise<Map<string, Round[]>> {
  const neynar = await startNeynar(botFid);
  neynar.hangs = true;
  const ours = await startOurs(bench, { name: OURS, neynar });
  const storing: [Contender, Stored][] = [[ours, storedInSqlite(ours.databasePath, MENTIONS)]];
  const redis = await startRedis(bench.surroundings.folder);
  if (redis === null) bench.say('Redis is not installed (Debian: redis-server): not compared with');
  else {
    bench.versions.set('Redis', redis.version);
    storing.push([await startRival(BULLMQ, 'bullmq', { redis }), storedInBullmq(redis.port)]);
  }
  const path = join(bench.surroundings.folder, 'one-row.db');
  storing.push([await startRival(ONE_ROW, 'one-row', { path }), storedInSqlite(path, EVENTS)]);
  const contenders = [...storing.map(([contender]) => contender), await startRival(NOTHING_STORED, 'nothing-stored')];
  try {
    for (const [contender, stored] of storing)
      await assertStored(contender, { secret: SECRET, botFid, text: CLAIM }, stored);
    return await compare(bench.generator, contenders, { ...load(bench, CLAIM), rounds: bench.rounds });
  } finally {
    for (const contender of contenders) await contender.stop();
    await redis?.stop();
    neynar.stop();
  }
}

async function measureAnswering(bench: Bench): Promise<Round[]> {
  const neynar = await startNeynar(botFid);
  const rounds: Round[] = [];
  try {
    await inRounds(bench.rounds, async () => {
      rounds.push(await roundOfAnswering(bench, neynar));
    });
  } finally {
    neynar.stop();
  }
  return rounds;
}

/** Signed webhooks, on disk before they are answered. */
export async function benchWebhooks(bench: Bench): Promise<Section> {
  bench.say('webhooks');
  const rounds = await compareAccepting(bench);
  rounds.set(ANSWERING, await measureAnswering(bench));
  const bullmq = (rounds.get(BULLMQ) ?? []).map(perSecond);
  const ofBullmq = (measured: readonly Round[]): string =>
    bullmq.length === 0 ? '–' : shownSpread(ratios(measured.map(perSecond), bullmq));
  const rows = [...rounds].map(([name, measured]) => [
    name,
    shownSpread(spreadOf(measured.map(perSecond))),
    ofBullmq(measured),
    shownSpread(spreadOf(measured.map((round) => round.cpuMicros))),
    shownHelper(measured),
    shownSpread(spreadOf(measured.map((round) => round.p50))),
    shownSpread(spreadOf(measured.map(p99))),
  ]);
  const intro =
    `${CONNECTIONS} connections deliver \`cast.created\` events of 3 kB, each with its own HMAC-SHA512 and author; an answer comes ` +
    'when the event is on disk (`fdatasync` of SQLite’s log; Redis `appendfsync always`, on the load generator’s core, and counted apart). In the ' +
    'first line the bot is held up and answers next to nobody, as BullMQ has no worker; in the last it answers meanwhile as ' +
    'fast as it can. Before the rounds each was seen to store what it accepted, but for what stores nothing: that is the limit of ' +
    'whatever does.';
  const head = ['server', 'events/s', 'of BullMQ', 'its CPU, µs an event', 'its Redis’, µs', 'p50 ms', 'p99 ms'];
  return { title: 'Webhooks', text: `${intro}\n\n${table(head, rows)}`, verdicts: verdictsOf(rounds) };
}
