import pg from 'pg';
import type { Bench } from '../bench.ts';
import type { Postgres } from '../data/postgres.ts';
import { createServiceDatabase } from '../data/service-postgres.ts';
import { ratios, shownSpread, spreadOf } from '../figures.ts';
import {
  CONFIRMED,
  onNewChain,
  openSqliteLedger,
  type Paid,
  type Payer,
  type PayoutLedger,
  payWithService,
} from '../payouts.ts';
import { familyCpuMs } from '../processor-time.ts';
import { type Section, table } from '../report.ts';
import { inRounds } from '../rounds.ts';
import type { Cost } from './costs.ts';

const DATABASE = 'payouts';
const SQLITE = 'the service on SQLite';
const POSTGRES = 'the service on PostgreSQL';

async function openLedger({ connection }: Postgres): Promise<PayoutLedger> {
  const url = await createServiceDatabase(connection, DATABASE);
  const client = new pg.Client(url);
  await client.connect();
  return {
    url,
    confirmed: async () => Number((await client.query<{ count: string }>(CONFIRMED)).rows[0]?.count),
    close: () => client.end(),
  };
}

/** Payments by contract on anvil, from either store. */
export async function comparePayouts(bench: Bench, postgres: Postgres): Promise<Section & { cost: Cost }> {
  bench.say('PostgreSQL: payouts');
  const rounds = Math.max(3, Math.ceil(bench.rounds / 3));
  const database: number[] = [];
  let half = { cpu: 0, count: 0 };
  const note = (at: 'half' | 'all', count: number) => {
    const now = { cpu: familyCpuMs(postgres.pid), count };
    if (at === 'half') half = now;
    else database.push(((now.cpu - half.cpu) * 1_000) / (now.count - half.count));
  };
  const payers: Payer[] = [
    { name: SQLITE, pay: payWithService(openSqliteLedger) },
    { name: POSTGRES, pay: payWithService(() => openLedger(postgres), note) },
  ];
  const found = new Map<string, Paid[]>(payers.map(({ name }) => [name, []]));
  await inRounds(rounds, async () => {
    for (const payer of payers) found.get(payer.name)?.push(await onNewChain(bench, payer));
  });
  const perSecond = (name: string) => (found.get(name) ?? []).map((paid) => paid.perSecond);
  const rows = [SQLITE, POSTGRES].map((name) => [
    name,
    shownSpread(spreadOf(perSecond(name))),
    shownSpread(ratios(perSecond(name), perSecond(SQLITE))),
  ]);
  const own = (found.get(POSTGRES) ?? []).map(({ micros }) => micros);
  return {
    title: 'Payments',
    text: table(['payer', 'payments/s', 'of SQLite'], rows),
    cost: { name: 'a payment', own: spreadOf(own).median, database: spreadOf(database).median },
    verdicts: [
      {
        goal: 'payments confirmed a second on PostgreSQL, of those on SQLite',
        is: 'at least',
        bound: 0.6,
        measured: ratios(perSecond(POSTGRES), perSecond(SQLITE)),
      },
    ],
  };
}
