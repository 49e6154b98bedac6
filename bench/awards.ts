import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { MNEMONIC } from '../sandbox/people.ts';
import { createWallets } from '../src/chain/wallets.ts';
import { type Act, type ActCost, createActMeter, WARM_ACTS } from './acts.ts';
import type { Bench } from './bench.ts';
import { addOperatorKey, createPoster } from './clients.ts';
import { prepareLedger } from './data/ledger.ts';
import { startPostgres } from './data/postgres.ts';
import { createServiceDatabase } from './data/service-postgres.ts';
import { shownSpread, spreadOf } from './figures.ts';
import { type Section, table, type Verdict } from './report.ts';
import { inRounds } from './rounds.ts';
import { startService } from './surroundings.ts';

const GIGS = 20;
const MOST_ROUNDS = 5;
/** The tables beside the service's own database on the same server. */
const TIPS = 10_000;
const TOKEN = {
  address: '0x4ed4e862860bed51a9570b96d89af5e1b0efefed',
  name: 'Degen',
  symbol: 'DEGEN',
  decimals: 18,
} as const;

/** How many clients award at the same time, and how many awards are one measurement. */
interface Pace {
  readonly name: string;
  readonly atOnce: number;
  readonly count: number;
}

const TOGETHER: Pace = { name: '16 at once', atOnce: 16, count: 2_000 };
const ALONE: Pace = { name: 'one after the other', atOnce: 1, count: 500 };
const PACES = [TOGETHER, ALONE];

/** What an award may take, in microseconds, of the service and of its database. */
const GOALS = {
  SQLite: { [TOGETHER.name]: { own: 750, helper: 0 }, [ALONE.name]: { own: 1_600, helper: 0 } },
  PostgreSQL: { [TOGETHER.name]: { own: 2_100, helper: 2_600 }, [ALONE.name]: { own: 4_000, helper: 3_400 } },
} as const;
type Engine = keyof typeof GOALS;

/** Awards one tip to an account that no other award has, with an event. */
export function awardTip(port: number, { key, gigIds }: { key: string; gigIds: readonly number[] }): Act {
  const post = createPoster(port, 201);
  const run = randomUUID();
  return {
    name: 'an award of one tip',
    async run(number) {
      const tips = [{ platform: 'farcaster', platform_user_id: String(200_000_000 + number), value: 1 }];
      const headers = { 'x-api-key': key, 'idempotency-key': `${run}-${number}` };
      await post(`/api/gigs/${gigIds[number % gigIds.length]}/tips`, JSON.stringify({ tips }), headers);
    },
  };
}

type Found = ReadonlyMap<Pace, readonly ActCost[]>;

async function measureAwards(bench: Bench, databasePath: string, helper?: number): Promise<Found> {
  const plan = { wallets: createWallets(MNEMONIC), chainId: 8_453, token: TOKEN, recipient: null };
  const gigIds = await prepareLedger(databasePath, { ...plan, gigs: GIGS, payments: 0, reward: 10n ** 24n });
  const key = await addOperatorKey(databasePath);
  const env = { CHAINS: 'base', RPC_URL_8453: 'http://127.0.0.1:9' };
  const service = await startService(bench.surroundings, { databasePath, env });
  const pids = { own: service.pid, ...(helper === undefined ? {} : { helper }) };
  const found = new Map(PACES.map((pace) => [pace, [] as ActCost[]]));
  try {
    const meter = createActMeter(awardTip(service.port, { key, gigIds }), pids);
    await meter.run(WARM_ACTS, TOGETHER.atOnce);
    await inRounds(Math.min(MOST_ROUNDS, bench.rounds), async () => {
      for (const [pace, costs] of found) costs.push(await meter.measure(pace.count, pace.atOnce));
    });
    return found;
  } finally {
    await service.stop();
  }
}

async function measureOnPostgres(bench: Bench): Promise<Found | null> {
  const postgres = await startPostgres(bench.dataFolder, TIPS);
  if (postgres === null) return null;
  bench.versions.set('PostgreSQL', postgres.version);
  try {
    return await measureAwards(bench, await createServiceDatabase(postgres.connection, 'awards'), postgres.pid);
  } finally {
    await postgres.stop();
  }
}

function verdictsOf(engine: Engine, found: Found): Verdict[] {
  const goals = GOALS[engine];
  return PACES.flatMap(({ name }, index) => {
    const costs = found.get(PACES[index] ?? TOGETHER) ?? [];
    const verdict = (of: keyof ActCost, whose: string): Verdict => ({
      goal: `processor time of an award of one tip, ${name}, on ${engine}${whose}`,
      is: 'at most',
      bound: goals[name]?.[of] ?? Number.NaN,
      unit: 'µs',
      measured: spreadOf(costs.map((cost) => cost[of])),
    });
    return engine === 'SQLite' ? [verdict('own', '')] : [verdict('own', ''), verdict('helper', ': the database’s')];
  });
}

/** Awards of one tip each by a client, on both engines. */
export async function benchAwards(bench: Bench): Promise<Section> {
  bench.say('awards');
  const engines: [Engine, Found][] = [
    ['SQLite', await measureAwards(bench, join(bench.surroundings.folder, `awards-${randomUUID()}.db`))],
  ];
  const onPostgres = await measureOnPostgres(bench);
  if (onPostgres === null)
    bench.say('PostgreSQL is not installed (Debian: postgresql): awards are measured on SQLite alone');
  else engines.push(['PostgreSQL', onPostgres]);
  const rows = engines.flatMap(([engine, found]) =>
    [...found].map(([{ name }, costs]) => [
      `${engine}, ${name}`,
      shownSpread(spreadOf(costs.map(({ own }) => own))),
      engine === 'SQLite' ? '–' : shownSpread(spreadOf(costs.map(({ helper }) => helper))),
    ]),
  );
  const intro = `A client awards one tip to a new account each time, in ${GIGS} gigs in turn; each award is an event that is released.`;
  const head = ['an award of one tip', 'its CPU, µs', 'its database’s, µs'];
  return {
    title: 'Awards',
    text: `${intro}\n\n${table(head, rows)}`,
    verdicts: engines.flatMap(([engine, found]) => verdictsOf(engine, found)),
  };
}
