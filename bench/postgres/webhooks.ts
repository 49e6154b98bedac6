import { NETWORK_CREDENTIALS } from '../../sandbox/people.ts';
import { freePort } from '../../sandbox/port.ts';
import type { Bench } from '../bench.ts';
import { assertStored, EVENTS, MENTIONS, storedInPostgres } from '../checks/stored.ts';
import { type Contender, doubt, type Load, measureRound, type Round, WARM_REQUESTS } from '../contender.ts';
import type { Postgres } from '../data/postgres.ts';
import { createServiceDatabase } from '../data/service-postgres.ts';
import { ratios, shownSpread, spreadOf } from '../figures.ts';
import { type Neynar, startNeynar } from '../neynar.ts';
import { startServer, untilAnswers } from '../processes.ts';
import { type Section, table } from '../report.ts';
import { inRounds } from '../rounds.ts';
import { startService } from '../surroundings.ts';
import { compareKeeping } from './keeping.ts';

const CONNECTIONS = 50;
const { botFid, webhookSecrets } = NETWORK_CREDENTIALS.farcaster;
const SECRET = webhookSecrets[0];
const OURS = 'this service';
const INSERT = 'node:http + pg, one insert an event';

async function startInsert({ connection, pid: helperPid }: Postgres): Promise<Contender> {
  const port = await freePort(0);
  const path = new URL('../rivals/insert-postgres.ts', import.meta.url).pathname;
  const { pid, stop } = startServer(path, { port, secret: SECRET, database: connection });
  await untilAnswers(`http://127.0.0.1:${port}/health`);
  return { name: INSERT, port, pid, helperPid, stop: () => stop() };
}

const SAMPLE = { secret: SECRET, botFid, text: '@gigclaim claim my rewards' };

const perSecond = (round: Round) => round.perSecond;

/** One round of a new process on a new database: its bot is held up by the first claims, for ten seconds. */
async function roundOfOurs(
  bench: Bench,
  { postgres, neynar, load }: { postgres: Postgres; neynar: Neynar; load: Load },
): Promise<Round> {
  const database = await createServiceDatabase(postgres.connection, 'webhooks');
  const env = { NEYNAR_BASE_URL: neynar.url };
  const service = await startService(bench.surroundings, { databasePath: database, env });
  const helperPid = postgres.pid;
  const ours = { name: OURS, port: service.port, pid: service.pid, helperPid, stop: () => service.stop('SIGKILL') };
  try {
    await assertStored(ours, SAMPLE, storedInPostgres(database, MENTIONS));
    return await measureRound(bench.generator, ours, { ...load, warmRequests: WARM_REQUESTS });
  } finally {
    await ours.stop();
  }
}

/** Signed webhooks, committed before they are answered, while the bot is held up; beside a bare insert for each. */
export async function compareWebhooks(bench: Bench, postgres: Postgres): Promise<Section & { costs: Round[] }> {
  bench.say('PostgreSQL: webhooks');
  const alone = await compareKeeping(bench, postgres);
  const neynar = await startNeynar(botFid);
  neynar.hangs = true;
  const insert = await startInsert(postgres);
  // What a claim asks of the network takes many seconds, so next to nothing is answered meanwhile.
  const asked = { kind: 'casts' as const, ...SAMPLE };
  const load = { seconds: bench.seconds, connections: CONNECTIONS, rate: null, asked };
  const found = new Map<string, Round[]>([
    [OURS, []],
    [INSERT, []],
  ]);
  try {
    await assertStored(insert, SAMPLE, storedInPostgres(postgres.connection, EVENTS));
    await inRounds(bench.rounds, async (round) => {
      found.get(OURS)?.push(await roundOfOurs(bench, { postgres, neynar, load }));
      const warm = { ...load, warmRequests: WARM_REQUESTS, round };
      found.get(INSERT)?.push(await measureRound(bench.generator, insert, warm));
    });
    const [own, bare] = [found.get(OURS) ?? [], found.get(INSERT) ?? []];
    const rows = [...found].map(([name, measured]) => [
      name,
      shownSpread(spreadOf(measured.map(perSecond))),
      shownSpread(ratios(measured.map(perSecond), bare.map(perSecond))),
      shownSpread(spreadOf(measured.map(({ cpuMicros }) => cpuMicros))),
      shownSpread(spreadOf(measured.map(({ helperMicros }) => helperMicros))),
      shownSpread(spreadOf(measured.map(({ p99 }) => p99))),
    ]);
    const head = ['over HTTP', 'events/s', 'of the bare insert', 'its CPU, µs', 'the database’s CPU, µs', 'p99 ms'];
    const measured = ratios(own.map(perSecond), bare.map(perSecond));
    return {
      title: 'Webhooks',
      text: `${table(head, rows)}\n\n${alone.text}`,
      costs: own,
      verdicts: [
        ...alone.verdicts,
        {
          goal: 'webhooks over HTTP kept on PostgreSQL, times bare node:http with one insert an event through pg',
          is: 'at least',
          bound: 1.5,
          measured,
          doubt: doubt(own),
        },
      ],
    };
  } finally {
    await insert.stop();
    neynar.stop();
  }
}
