import { randomUUID } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { NETWORK_CREDENTIALS } from '../sandbox/people.ts';
import type { Bench } from './bench.ts';
import { type Contender, doubtOfWaits, measureRound, type Round, settle, WARM_REQUESTS } from './contender.ts';
import { usersOf } from './data/rows.ts';
import { prepareSqlite } from './data/sqlite.ts';
import { ratios, shownSpread, spreadOf } from './figures.ts';
import { createHashes, signedEvent } from './load/requests.ts';
import { startNeynar } from './neynar.ts';
import { table, type Verdict } from './report.ts';
import { inRounds } from './rounds.ts';
import { startService } from './surroundings.ts';

const { botFid, webhookSecrets } = NETWORK_CREDENTIALS.farcaster;
const SECRET = webhookSecrets[0];
/** Look-ups beside mentions: as fast as they are answered, or so many a second. */
interface Pace {
  readonly mentionsPerSecond: number;
  readonly rate: number | null;
}

const CLOSED_LOOP: Pace = { mentionsPerSecond: 50, rate: null };
const LEAST_OF_CONSTANT = 0.35;
/** A steady stream of both, for which a core is enough, and one that fills the core. */
const STREAM: Pace = { mentionsPerSecond: 200, rate: 3_000 };
const FULL: Pace = { mentionsPerSecond: 500, rate: 5_000 };
const MOST_OF_QUIET = 3;
const STREAM_ROUNDS = 5;
const WARM_UP_ROUNDS = 2;
const MAX_SETTLING_MS = 10_000;

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
  readonly rounds: number;
  readonly constant: Contender;
}

/** Measured in the same rounds, at the same pace: the constant, the service without mentions, and with them. */
interface Found {
  readonly constant: Round[];
  readonly quiet: Round[];
  readonly busy: Round[];
}

/** The rounds of look-ups on a copy of the data while mentions are stored and answered, and while none are. */
async function measureWhileWriting(bench: Bench, writing: Writing, pace: Pace): Promise<Found> {
  const { tips, connections, rounds, constant } = writing;
  const { mentionsPerSecond, rate } = pace;
  const neynar = await startNeynar(botFid);
  const databasePath = join(bench.surroundings.folder, `busy-${randomUUID()}.db`);
  copyFileSync(await prepareSqlite(bench.dataFolder, tips), databasePath);
  const service = await startService(bench.surroundings, { databasePath, env: { NEYNAR_BASE_URL: neynar.url } });
  const ours = { name: 'this service', port: service.port, pid: service.pid, stop: () => service.stop() };
  const mentions = createMentions(service.port);
  const load = { seconds: bench.seconds, connections, rate, asked: { kind: 'lookups' as const, users: usersOf(tips) } };
  const measure = (contender: Contender, round: number) => {
    const warming = round < WARM_UP_ROUNDS ? { warmRequests: WARM_REQUESTS } : {};
    return measureRound(bench.generator, contender, { ...load, ...warming, round });
  };
  const measureBusy = async (round: number) => {
    const stop = mentions.start(mentionsPerSecond);
    const found = await measure(ours, round).finally(stop);
    await settle(ours.pid, MAX_SETTLING_MS);
    return found;
  };
  const found: Found = { constant: [], quiet: [], busy: [] };
  const turns = [
    [found.constant, (round: number) => measure(constant, round)],
    [found.quiet, (round: number) => measure(ours, round)],
    [found.busy, measureBusy],
  ] as const;
  try {
    await inRounds(WARM_UP_ROUNDS + rounds, async (round) => {
      for (const [kept, turn] of round % 2 === 0 ? turns : turns.toReversed()) {
        const one = await turn(round);
        if (round >= WARM_UP_ROUNDS) kept.push(one);
      }
    });
    return found;
  } finally {
    await ours.stop();
    neynar.stop();
  }
}

const p99 = (round: Round) => round.p99;
const cpuMicros = (round: Round) => round.cpuMicros;

function verdictsOf(tips: number, closed: Found, streamed: Found): Verdict[] {
  const size = tips.toLocaleString('en-US');
  const { rate, mentionsPerSecond } = STREAM;
  return [
    {
      goal: `look-ups of ${size} tips for as much processor time, ${CLOSED_LOOP.mentionsPerSecond} mentions a second included, of the constant`,
      is: 'at least',
      bound: LEAST_OF_CONSTANT,
      measured: ratios(closed.constant.map(cpuMicros), closed.busy.map(cpuMicros)),
    },
    {
      goal: `p99 of ${rate} look-ups of ${size} tips a second beside ${mentionsPerSecond} webhooks, of quiet`,
      is: 'at most',
      bound: MOST_OF_QUIET,
      measured: ratios(streamed.busy.map(p99), streamed.quiet.map(p99)),
      doubt: doubtOfWaits(streamed.quiet, streamed.busy),
    },
  ];
}

function rowsOf({ rate, mentionsPerSecond }: Pace, { constant, quiet, busy }: Found): string[][] {
  const offered = rate === null ? 'as fast as they are answered' : `${rate} a second`;
  const row = (name: string, rounds: readonly Round[]) => [
    `${offered}: ${name}`,
    shownSpread(spreadOf(rounds.map(({ perSecond }) => perSecond))),
    shownSpread(spreadOf(rounds.map(cpuMicros))),
    shownSpread(spreadOf(rounds.map(p99))),
  ];
  return [
    row('the constant', constant),
    row('this service', quiet),
    row(`this service, ${mentionsPerSecond} mentions a second`, busy),
  ];
}

/** Look-ups while mentions are stored and answered: in a closed loop, and as steady streams. */
export async function compareWhileWriting(
  bench: Bench,
  given: { constant: Contender; tips: number; connections: number },
): Promise<{ text: string; verdicts: Verdict[] }> {
  const rounds = Math.min(STREAM_ROUNDS, bench.rounds);
  const closed = await measureWhileWriting(bench, { ...given, rounds: bench.rounds }, CLOSED_LOOP);
  const streamed = await measureWhileWriting(bench, { ...given, rounds }, STREAM);
  const full = await measureWhileWriting(bench, { ...given, rounds }, FULL);
  const rows = [...rowsOf(CLOSED_LOOP, closed), ...rowsOf(STREAM, streamed), ...rowsOf(FULL, full)];
  const how = `${FULL.rate} look-ups and ${FULL.mentionsPerSecond} mentions a second fill a core: they are held to no goal.`;
  return {
    text: `${table(['look-ups', 'answers/s', 'CPU, µs an answer', 'p99 ms'], rows)}\n\n${how}`,
    verdicts: verdictsOf(given.tips, closed, streamed),
  };
}
