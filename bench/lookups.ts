import { freePort } from '../sandbox/port.ts';
import type { Bench } from './bench.ts';
import { compareWhileWriting } from './busy-lookups.ts';
import { assertSameAnswers, lookUp, sampleAccounts } from './checks/answers.ts';
import { assertByHandIndexed, assertExpressIndexed } from './checks/plans.ts';
import { allMicros, type Contender, compare, doubt, type Round, shownHelper } from './contender.ts';
import { startPostgres } from './data/postgres.ts';
import { readThrough } from './data/read-through.ts';
import { usersOf } from './data/rows.ts';
import { prepareSqlite } from './data/sqlite.ts';
import { ratios, shownSpread, spreadOf } from './figures.ts';
import { startServer, untilAnswers } from './processes.ts';
import { type Section, table, type Verdict } from './report.ts';
import { startService } from './surroundings.ts';

const CONNECTIONS = 50;
const STREAM_RATES = [2_000, 5_000];
/** One second of a steady stream says little: what comes once in a few seconds makes up its slowest hundredth, or is missing. */
const STREAM_ROUNDS = 5;
const STREAM_LENGTH = 5;
const STREAM_WARM_REQUESTS = 3_000;
/** The pages of a large file come into memory one by one: at 5 million tips a server is faster after more requests still. */
const WARM_UP_ROUNDS = 3;
const OURS = 'this service';
const FEW = 'this service on the fewest tips';
const CONSTANT = 'bare Hono, constant';
const BY_HAND = 'node:http + better-sqlite3, by hand';
const EXPRESS = 'Express + pg + PostgreSQL';

function serverPath(name: string): string {
  return new URL(`./rivals/${name}.ts`, import.meta.url).pathname;
}

async function startRival(
  name: string,
  file: string,
  { helperPid, ...options }: { helperPid?: number; path?: string; database?: object; body?: string },
): Promise<Contender> {
  const port = await freePort(0);
  const { pid, stop } = startServer(serverPath(file), { port, ...options });
  await untilAnswers(`http://127.0.0.1:${port}/api/claim?identifiers=1`);
  return { name, port, pid, ...(helperPid === undefined ? {} : { helperPid }), stop: () => stop() };
}

interface Field {
  readonly contenders: Contender[];
  /** Reads what they look into once. */
  readThrough(): void;
  stop(): Promise<void>;
}

function askedOf(tips: number) {
  return { kind: 'lookups' as const, users: usersOf(tips) };
}

async function startOurs(
  { surroundings }: Bench,
  { name, tips, path }: { name: string; tips: number; path: string },
): Promise<Contender> {
  const { port, pid, stop } = await startService(surroundings, { databasePath: path });
  return { name, port, pid, asked: askedOf(tips), stop: () => stop() };
}

/** Beside the most tips, the service on the fewest. */
async function startFew(bench: Bench, tips: number): Promise<Contender[]> {
  const fewest = Math.min(...bench.sizes);
  if (tips !== bench.sizes.at(-1) || fewest === tips) return [];
  const path = await prepareSqlite(bench.dataFolder, fewest);
  return [await startOurs(bench, { name: FEW, tips: fewest, path })];
}

/**
 * Starts everybody on the same data.
 * @throws Error when a rival scans a table, or one of them answers otherwise than the others
 */
async function openField(bench: Bench, tips: number): Promise<Field> {
  const { dataFolder, versions, say } = bench;
  const running: { stop(): Promise<void> }[] = [];
  const keep = <One extends { stop(): Promise<void> }>(one: One): One => {
    running.unshift(one);
    return one;
  };
  const stop = async () => {
    for (const one of running) await one.stop();
  };
  try {
    say(`look-ups: ${tips.toLocaleString('en-US')} tips, preparing`);
    const path = await prepareSqlite(dataFolder, tips);
    assertByHandIndexed(BY_HAND, path);
    const ours = keep(await startOurs(bench, { name: OURS, tips, path }));
    const rivals = [keep(await startRival(BY_HAND, 'node-sqlite', { path }))];
    const postgres = await startPostgres(dataFolder, tips);
    if (postgres === null) say('PostgreSQL is not installed (Debian: postgresql): not compared with');
    else {
      keep(postgres);
      versions.set('PostgreSQL', postgres.version);
      await assertExpressIndexed(EXPRESS, postgres.connection);
      const given = { database: postgres.connection, helperPid: postgres.pid };
      rivals.push(keep(await startRival(EXPRESS, 'express-postgres', given)));
    }
    const [account = '', ...others] = sampleAccounts(usersOf(tips));
    await assertSameAnswers([ours, ...rivals], [account, ...others]);
    const { text: body } = await lookUp(ours, account);
    const constant = keep(await startRival(CONSTANT, 'hono-constant', { body }));
    const few = (await startFew(bench, tips)).map(keep);
    return {
      // What is compared stands side by side: on a machine whose pace drifts, neighbours in time compare best.
      contenders: [constant, ours, ...few, ...rivals],
      readThrough() {
        readThrough(path);
        if (postgres !== null) readThrough(postgres.tables);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function column(found: Map<string, Round[]>, name: string, pick: (round: Round) => number): number[] {
  return (found.get(name) ?? []).map(pick);
}

const perSecond = (round: Round) => round.perSecond;
const p99 = (round: Round) => round.p99;
const cpuMicros = (round: Round) => round.cpuMicros;

function closedRows(found: Map<string, Round[]>): string[][] {
  const constant = column(found, CONSTANT, perSecond);
  const constantCpu = column(found, CONSTANT, cpuMicros);
  const ours = column(found, OURS, allMicros);
  return [...found].map(([name, rounds]) => [
    name,
    shownSpread(spreadOf(rounds.map(perSecond))),
    shownSpread(ratios(rounds.map(perSecond), constant)),
    shownSpread(ratios(constantCpu, rounds.map(cpuMicros))),
    shownSpread(spreadOf(rounds.map(cpuMicros))),
    shownHelper(rounds),
    shownSpread(ratios(ours, rounds.map(allMicros))),
    shownSpread(spreadOf(rounds.map(({ share }) => share))),
    shownSpread(spreadOf(rounds.map(({ p50 }) => p50))),
    shownSpread(spreadOf(rounds.map(p99))),
  ]);
}

const CLOSED_HEAD = [
  'server',
  'answers/s',
  'of the constant',
  'of the constant by CPU',
  'CPU, µs an answer',
  'its database’s, µs',
  'of this service by all CPU',
  'share of its core',
  'p50 ms',
  'p99 ms',
];

/** What the constant leaves to be had falls with the size, because fewer of the accounts' answers can be kept. */
function leastOfConstant(tips: number): number {
  if (tips <= 10_000) return 0.6;
  return tips <= 1_000_000 ? 0.4 : 0.33;
}

function closedVerdicts(found: Map<string, Round[]>, tips: number): Verdict[] {
  const ours = column(found, OURS, perSecond);
  const size = tips.toLocaleString('en-US');
  const express = column(found, EXPRESS, perSecond);
  const rounds = (name: string) => found.get(name) ?? [];
  const cpuRatio = (rival: string) => ratios(column(found, rival, cpuMicros), column(found, OURS, cpuMicros));
  return [
    {
      goal: `look-ups of ${size} tips for as much processor time, of the bare Hono constant`,
      is: 'at least',
      bound: leastOfConstant(tips),
      measured: cpuRatio(CONSTANT),
    },
    {
      goal: 'the same, times by hand on the same file',
      is: 'at least',
      bound: 1.5,
      measured: cpuRatio(BY_HAND),
    },
    ...(express.length === 0
      ? []
      : [
          {
            goal: `look-ups of ${size} tips, times Express + PostgreSQL`,
            is: 'at least' as const,
            bound: 8,
            measured: ratios(ours, express),
            doubt: doubt(rounds(OURS)),
          },
        ]),
  ];
}

/** p99 in turns of all connections: in a closed loop each is answered once in the mean while all of them are. */
function p99InTurns({ p99, perSecond }: Round): number {
  return (p99 / 1_000) * (perSecond / CONNECTIONS);
}

/**
 * How much longer the longest look-ups take with the most tips than with the fewest. In a closed loop all connections wait
 * for each other, so that follows from how many are answered a second; counted in turns, and at a given rate, it does not.
 */
function tailVerdicts(found: Map<string, Round[]>, tips: number, rate: number | null): Verdict[] {
  const few = found.get(FEW);
  if (few === undefined) return [];
  const ours = found.get(OURS) ?? [];
  const ofFewest = (measure: (round: Round) => number) =>
    ({ is: 'at most', bound: 1.3, measured: ratios(ours.map(measure), few.map(measure)) }) as const;
  const goal = `look-ups’ p99 at ${tips.toLocaleString('en-US')} tips`;
  if (rate !== null) {
    return [{ goal: `${goal}, ${rate.toLocaleString('en-US')} a second, of that with the fewest`, ...ofFewest(p99) }];
  }
  return [
    { goal: `${goal}, of that with the fewest`, ...ofFewest(p99), doubt: doubt(ours, few) },
    { goal: 'the same in turns of all connections', ...ofFewest(p99InTurns) },
  ];
}

async function stream(bench: Bench, field: Field, tips: number) {
  const rounds = Math.min(STREAM_ROUNDS, bench.rounds);
  const seconds = STREAM_LENGTH * bench.seconds;
  const rows: string[][] = [];
  const verdicts: Verdict[] = [];
  for (const rate of STREAM_RATES) {
    const asked = askedOf(tips);
    const load = { rounds, seconds, connections: CONNECTIONS, rate, asked };
    const order = { warmRequests: STREAM_WARM_REQUESTS, beforeRound: field.readThrough };
    const found = await compare(bench.generator, field.contenders, { ...load, ...order });
    verdicts.push(...tailVerdicts(found, tips, rate));
    for (const [name, measured] of found) {
      rows.push([
        `${rate.toLocaleString('en-US')}/s, ${name}`,
        shownSpread(spreadOf(measured.map(perSecond))),
        shownSpread(spreadOf(measured.map(({ p50 }) => p50))),
        shownSpread(spreadOf(measured.map(p99))),
      ]);
    }
  }
  const how =
    'The same connections, in turn; Poisson arrivals; a request’s time begins when it is due. ' +
    `${rounds} rounds of ${seconds} s.`;
  return { text: `${how}\n\n${table(['offered, server', 'answered/s', 'p50 ms', 'p99 ms'], rows)}`, verdicts };
}

/** The claim look-up beside its rivals, in tables of several sizes. */
export async function benchLookups(bench: Bench): Promise<Section> {
  const parts: string[] = [];
  const verdicts: Verdict[] = [];
  for (const tips of bench.sizes) {
    const field = await openField(bench, tips);
    try {
      bench.say(`look-ups: ${tips.toLocaleString('en-US')} tips, closed loop`);
      const { rounds, seconds } = bench;
      const load = { rounds, seconds, connections: CONNECTIONS, rate: null, asked: askedOf(tips) };
      const order = { warmUpRounds: WARM_UP_ROUNDS, beforeRound: field.readThrough };
      const found = await compare(bench.generator, field.contenders, { ...load, ...order });
      parts.push(`### ${tips.toLocaleString('en-US')} tips\n\n${table(CLOSED_HEAD, closedRows(found))}`);
      verdicts.push(...closedVerdicts(found, tips), ...tailVerdicts(found, tips, null));
      const constant = field.contenders.find(({ name }) => name === CONSTANT);
      if (constant !== undefined) {
        bench.say(`look-ups: ${tips.toLocaleString('en-US')} tips, while mentions are stored`);
        const busy = await compareWhileWriting(bench, { constant, tips, connections: CONNECTIONS });
        parts.push(`While mentions are stored and answered:\n\n${busy.text}`);
        verdicts.push(...busy.verdicts);
      }
      if (tips === bench.sizes.at(-1)) {
        bench.say(`look-ups: ${tips.toLocaleString('en-US')} tips, steady stream`);
        const title = `### A steady stream on ${tips.toLocaleString('en-US')} tips`;
        const streamed = await stream(bench, field, tips);
        parts.push(`${title}\n\n${streamed.text}`);
        verdicts.push(...streamed.verdicts);
      }
    } finally {
      await field.stop();
    }
  }
  const intro =
    `${CONNECTIONS} connections that ask again as soon as they are answered. Some users are asked for far more often than ` +
    'others; an answer has 5 pending tips in 2 tokens, about 2.2 kB. Validation, rate limiting, metrics and logging to a ' +
    'file are on. The database of Express runs on the load generator’s core, which leaves that rival all of the servers’ core; its processor time is in a column of its own. ' +
    'All but the constant were seen to answer a sample of accounts the same, and the rivals from an index. Beside the most tips the service is measured on the fewest again. ' +
    'Before each round the databases are read once from beginning to end, so that nobody waits for the disk. In a closed ' +
    'loop all connections wait for each other, so p99 follows the answers a second: in turns of all connections, each as ' +
    'long as it takes to answer so many, it says what size alone does to the longest.';
  return { title: 'Claim look-up', text: [intro, ...parts].join('\n\n'), verdicts };
}
