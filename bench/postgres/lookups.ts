import { freePort } from '../../sandbox/port.ts';
import type { Bench } from '../bench.ts';
import { assertSameAnswers, sampleAccounts } from '../checks/answers.ts';
import { assertExpressIndexed } from '../checks/plans.ts';
import { type Contender, compare, doubt, type Round } from '../contender.ts';
import type { Postgres } from '../data/postgres.ts';
import { usersOf } from '../data/rows.ts';
import { prepareServicePostgres } from '../data/service-postgres.ts';
import { ratios, shownSpread, spreadOf } from '../figures.ts';
import { CLIENT_CORE, startServer, untilAnswers } from '../processes.ts';
import { type Section, table } from '../report.ts';
import { startService } from '../surroundings.ts';

const CONNECTIONS = 50;
/** V8 goes on compiling for longer than the first round. */
const WARM_UP_ROUNDS = 3;
/** Tips of the accounts that are asked for where all answers are kept. */
const KEPT_TIPS = 10_000;
const KEPT = 'this service, all answers kept';
const STILL = 'this service, nothing changes';
const CHANGING = 'this service, a commit in every turn';
const EXPRESS = 'Express + pg';

function rival(name: string): string {
  return new URL(`../rivals/${name}.ts`, import.meta.url).pathname;
}

async function startExpress({ connection, pid: helperPid }: Postgres): Promise<Contender> {
  const port = await freePort(0);
  const { pid, stop } = startServer(rival('express-postgres'), { port, database: connection });
  await untilAnswers(`http://127.0.0.1:${port}/api/claim?identifiers=1`);
  return { name: EXPRESS, port, pid, helperPid, stop: () => stop() };
}

const perSecond = (round: Round) => round.perSecond;
const cpu = (round: Round) => round.cpuMicros;
const databaseCpu = (round: Round) => round.helperMicros;

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

/**
 * Look-ups on PostgreSQL beside the usual stack on the same server: of accounts whose answers are all kept, of more accounts
 * than that while nothing changes, and of those while something always does.
 */
export async function compareLookups(
  bench: Bench,
  postgres: Postgres,
  tips: number,
): Promise<Section & { costs: Round[] }> {
  bench.say('PostgreSQL: look-ups');
  await assertExpressIndexed(EXPRESS, postgres.connection);
  const database = await prepareServicePostgres(postgres.connection, tips);
  const service = await startService(bench.surroundings, { databasePath: database });
  const ours = { port: service.port, pid: service.pid, helperPid: postgres.pid, stop: () => service.stop() };
  const express = await startExpress(postgres);
  const rows: string[][] = [];

  /** Our rounds and the rival's, with the users of so many tips asked for. */
  async function race(name: string, tips: number) {
    const { rounds, seconds } = bench;
    const asked = { kind: 'lookups' as const, users: usersOf(tips) };
    const load = { rounds, warmUpRounds: WARM_UP_ROUNDS, seconds, connections: CONNECTIONS, rate: null, asked };
    const found = await compare(bench.generator, [{ ...ours, name }, express], load);
    const [own, rivals] = [found.get(name) ?? [], found.get(EXPRESS) ?? []];
    rows.push(rowOf(name, own, rivals), rowOf(`${EXPRESS}, in the same turns`, rivals, rivals));
    return { own, rivals };
  }

  try {
    await assertSameAnswers([{ ...ours, name: 'this service' }, express], sampleAccounts(usersOf(tips)));
    const kept = await race(KEPT, Math.min(tips, KEPT_TIPS));
    await race(STILL, tips);
    const loop = startServer(rival('commit-loop'), { database: postgres.connection }, CLIENT_CORE);
    const changing = await race(CHANGING, tips).finally(() => loop.stop());
    const head = ['server', 'answers/s', 'of Express', 'its CPU, µs', 'the database’s CPU, µs', 'p99 ms'];
    const times = ({ own, rivals }: typeof kept) => ratios(own.map(perSecond), rivals.map(perSecond));
    return {
      title: 'Look-ups',
      text: table(head, rows),
      costs: changing.own,
      verdicts: [
        {
          goal: 'look-ups on PostgreSQL whose answers are kept, times Express + pg',
          is: 'at least',
          bound: 10,
          measured: times(kept),
          doubt: doubt(kept.own),
        },
        {
          goal: 'look-ups on PostgreSQL, a commit in every turn, times Express + pg',
          is: 'at least',
          bound: 5,
          measured: times(changing),
          doubt: doubt(changing.own),
        },
        {
          goal: 'the database’s processor time for one of them, of that for one of Express',
          is: 'at most',
          bound: 0.2,
          measured: ratios(changing.own.map(databaseCpu), changing.rivals.map(databaseCpu)),
        },
      ],
    };
  } finally {
    await service.stop();
    await express.stop();
  }
}
