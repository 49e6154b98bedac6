import { freePort } from '../../sandbox/port.ts';
import type { Bench } from '../bench.ts';
import { type Contender, compare, doubt, type Round } from '../contender.ts';
import type { Postgres } from '../data/postgres.ts';
import { usersOf } from '../data/rows.ts';
import { prepareServicePostgres } from '../data/service-postgres.ts';
import { ratios, shownSpread, spreadOf } from '../figures.ts';
import { CLIENT_CORE, familyCpuMs, startServer, untilAnswers } from '../processes.ts';
import { type Section, table } from '../report.ts';
import { startService } from '../surroundings.ts';

const CONNECTIONS = 50;
export const KEPT = 'this service, nothing changes';
export const CHANGING = 'this service, a commit in every turn';
const EXPRESS = 'Express + pg';

function rival(name: string): string {
  return new URL(`../rivals/${name}.ts`, import.meta.url).pathname;
}

async function startExpress({ connection }: Postgres): Promise<Omit<Contender, 'databaseCpuMs'>> {
  const port = await freePort(0);
  const { pid, stop } = startServer(rival('express-postgres'), { port, database: connection });
  await untilAnswers(`http://127.0.0.1:${port}/api/claim?identifiers=1`);
  return { name: EXPRESS, port, pid, stop: () => stop() };
}

const perSecond = (round: Round) => round.perSecond;
const cpu = (round: Round) => round.cpuMicros;
const databaseCpu = (round: Round) => round.databaseMicros;

function rowOf(name: string, rounds: readonly Round[], rivals: readonly Round[]): string[] {
  return [
    name,
    shownSpread(spreadOf(rounds.map(perSecond))),
    shownSpread(ratios(rounds.map(perSecond), rivals.map(perSecond))),
    shownSpread(spreadOf(rounds.map(cpu))),
    shownSpread(spreadOf(rounds.map(databaseCpu))),
    shownSpread(spreadOf(rounds.map(({ p99 }) => p99))),
  ];
}

/** Look-ups on PostgreSQL beside the usual stack on the same server: while nothing changes, and while something always does. */
export async function compareLookups(
  bench: Bench,
  postgres: Postgres,
  tips: number,
): Promise<Section & { costs: Round[] }> {
  bench.say('PostgreSQL: look-ups');
  const database = await prepareServicePostgres(postgres.connection, tips);
  const service = await startService(bench.surroundings, { databasePath: database });
  const databaseCpuMs = () => familyCpuMs(postgres.pid);
  const ours = { name: KEPT, port: service.port, pid: service.pid, databaseCpuMs, stop: () => service.stop() };
  const express = { ...(await startExpress(postgres)), databaseCpuMs };
  const { rounds, seconds } = bench;
  const asked = { kind: 'lookups' as const, users: usersOf(tips) };
  const load = { rounds, seconds, connections: CONNECTIONS, rate: null, asked };
  try {
    const still = await compare(bench.generator, [ours, express], load);
    const loop = startServer(rival('commit-loop'), { database: postgres.connection }, CLIENT_CORE);
    const changing = [{ ...ours, name: CHANGING }, express];
    const found = await compare(bench.generator, changing, load).finally(() => loop.stop());
    const [kept, changed] = [still.get(KEPT) ?? [], found.get(CHANGING) ?? []];
    const [idle, busy] = [still.get(EXPRESS) ?? [], found.get(EXPRESS) ?? []];
    const rows = [
      rowOf(KEPT, kept, idle),
      rowOf(EXPRESS, idle, idle),
      rowOf(CHANGING, changed, busy),
      rowOf(`${EXPRESS}, beside the same commits`, busy, busy),
    ];
    const head = ['server', 'answers/s', 'of Express', 'its CPU, µs', 'the database’s CPU, µs', 'p99 ms'];
    return {
      title: 'Look-ups',
      text: table(head, rows),
      costs: changed,
      verdicts: [
        {
          goal: 'look-ups on PostgreSQL while nothing changes, times Express + pg',
          is: 'at least',
          bound: 10,
          measured: ratios(kept.map(perSecond), idle.map(perSecond)),
          doubt: doubt(kept),
        },
        {
          goal: 'look-ups on PostgreSQL, a commit in every turn, times Express + pg',
          is: 'at least',
          bound: 5,
          measured: ratios(changed.map(perSecond), busy.map(perSecond)),
          doubt: doubt(changed),
        },
        {
          goal: 'the database’s processor time for one of them, of that for one of Express',
          is: 'at most',
          bound: 0.2,
          measured: ratios(changed.map(databaseCpu), busy.map(databaseCpu)),
        },
      ],
    };
  } finally {
    await service.stop();
    await express.stop();
  }
}
