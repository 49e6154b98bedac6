import { randomUUID } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { NETWORK_CREDENTIALS } from '../sandbox/people.ts';
import type { Bench } from './bench.ts';
import { type Contender, compare, doubt, type Round } from './contender.ts';
import { usersOf } from './data/rows.ts';
import { prepareSqlite } from './data/sqlite.ts';
import { ratios, shownSpread, spreadOf } from './figures.ts';
import { createHashes, signedEvent } from './load/requests.ts';
import { startNeynar } from './neynar.ts';
import { table, type Verdict } from './report.ts';
import { startService } from './surroundings.ts';

const { botFid, webhookSecrets } = NETWORK_CREDENTIALS.farcaster;
const SECRET = webhookSecrets[0];
const OURS = 'this service';

/** As fast as the service answers, while some mentions are stored. */
const CLOSED_LOOP = { mentionsPerSecond: 50, rate: null, goal: 0.35 };
/** A steady stream of both. */
const STREAM = { mentionsPerSecond: 500, rate: 5_000, goalP99: 25 };
const STREAM_ROUNDS = 5;
/** A service that stores mentions all the time never becomes idle. */
const MAX_SETTLING_MS = 500;

/** Delivers mentions of always new authors: `start` does at a steady rate, until what it returns is called. */
export function createMentions(port: number): { start(perSecond: number): () => void } {
  const nextHash = createHashes();
  let author = 10_000_000;
  return {
    start(perSecond) {
      const agent = new Agent({ keepAlive: true });
      let stopped = false;
      const deliver = () => {
        author += 1;
        const cast = { hash: nextHash(), author, botFid, text: '@gigclaim claims' };
        const { body, signature } = signedEvent(cast, SECRET);
        const headers = { 'content-type': 'application/json', 'x-neynar-signature': signature };
        const all = { port, host: '127.0.0.1', path: '/webhooks/farcaster', method: 'POST', agent, headers };
        const sent = request(all);
        sent.on('response', (response) => response.resume());
        sent.on('error', (error) => {
          // What is under way when the measurement ends is cut off.
          if (!stopped) throw error;
        });
        sent.end(body);
      };
      const timer = setInterval(deliver, 1_000 / perSecond);
      return () => {
        stopped = true;
        clearInterval(timer);
        agent.destroy();
      };
    },
  };
}

interface Writing {
  readonly tips: number;
  readonly connections: number;
  readonly mentionsPerSecond: number;
  readonly rate: number | null;
  readonly rounds: number;
  /** What is measured in turn with the service. */
  readonly beside: readonly Contender[];
}

/** The rounds of look-ups on a copy of the data, by contender, while mentions are stored and answered. */
async function measureWhileWriting(bench: Bench, writing: Writing): Promise<Map<string, Round[]>> {
  const { tips, connections, mentionsPerSecond, rate, rounds, beside } = writing;
  const neynar = await startNeynar(botFid);
  const databasePath = join(bench.surroundings.folder, `busy-${randomUUID()}.db`);
  copyFileSync(await prepareSqlite(bench.dataFolder, tips), databasePath);
  const service = await startService(bench.surroundings, { databasePath, env: { NEYNAR_BASE_URL: neynar.url } });
  const ours = { name: OURS, port: service.port, pid: service.pid, stop: () => service.stop() };
  const stopMentions = createMentions(service.port).start(mentionsPerSecond);
  try {
    const asked = { kind: 'lookups' as const, users: usersOf(tips) };
    const load = { rounds, seconds: bench.seconds, connections, rate, asked };
    const order = { warmUpRounds: 2, maxSettlingMs: MAX_SETTLING_MS };
    return await compare(bench.generator, [...beside, ours], { ...load, ...order });
  } finally {
    stopMentions();
    await ours.stop();
    neynar.stop();
  }
}

function verdictsOf(constantName: string, closed: Map<string, Round[]>, streamed: readonly Round[], tips: number) {
  const of = (name: string) => closed.get(name) ?? [];
  const perSecond = (name: string) => of(name).map((round) => round.perSecond);
  const size = tips.toLocaleString('en-US');
  const verdicts: Verdict[] = [
    {
      goal: `look-ups of ${size} tips, ${CLOSED_LOOP.mentionsPerSecond} mentions a second meanwhile, of the constant`,
      is: 'at least',
      bound: CLOSED_LOOP.goal,
      measured: ratios(perSecond(OURS), perSecond(constantName)),
      doubt: doubt(of(OURS), of(constantName)),
    },
    {
      goal: 'the same by processor time an answer, that of the mentions included',
      is: 'at least',
      bound: CLOSED_LOOP.goal,
      measured: ratios(
        of(constantName).map(({ cpuMicros }) => cpuMicros),
        of(OURS).map(({ cpuMicros }) => cpuMicros),
      ),
    },
    {
      goal: `p99 of ${STREAM.rate} look-ups of ${size} tips a second beside ${STREAM.mentionsPerSecond} webhooks`,
      is: 'at most',
      bound: STREAM.goalP99,
      unit: 'ms',
      measured: spreadOf(streamed.map(({ p99 }) => p99)),
    },
  ];
  return verdicts;
}

/** Look-ups while mentions are stored and answered: in a closed loop beside a constant, and as a steady stream. */
export async function compareWhileWriting(
  bench: Bench,
  { constant, tips, connections }: { constant: Contender; tips: number; connections: number },
): Promise<{ text: string; verdicts: Verdict[] }> {
  const both = { tips, connections };
  const closed = await measureWhileWriting(bench, {
    ...both,
    ...CLOSED_LOOP,
    rounds: bench.rounds,
    beside: [constant],
  });
  const rounds = Math.min(STREAM_ROUNDS, bench.rounds);
  const streamed = (await measureWhileWriting(bench, { ...both, ...STREAM, rounds, beside: [] })).get(OURS) ?? [];
  const row = (name: string, all: readonly Round[]) => [
    name,
    shownSpread(spreadOf(all.map(({ perSecond }) => perSecond))),
    shownSpread(spreadOf(all.map(({ cpuMicros }) => cpuMicros))),
    shownSpread(spreadOf(all.map(({ p99 }) => p99))),
  ];
  const rows = [
    row(constant.name, closed.get(constant.name) ?? []),
    row(`${OURS}, ${CLOSED_LOOP.mentionsPerSecond} mentions/s`, closed.get(OURS) ?? []),
    row(`${OURS}, ${STREAM.rate} look-ups/s and ${STREAM.mentionsPerSecond} mentions/s`, streamed),
  ];
  return {
    text: table(['server', 'answers/s', 'CPU, µs an answer', 'p99 ms'], rows),
    verdicts: verdictsOf(constant.name, closed, streamed, tips),
  };
}
