import { text } from 'node:stream/consumers';
import type { Bench } from '../bench.ts';
import { WARM_REQUESTS } from '../contender.ts';
import type { Postgres } from '../data/postgres.ts';
import { createServiceDatabase } from '../data/service-postgres.ts';
import { ratios, shown, shownSpread, spreadOf } from '../figures.ts';
import { SERVER_CORE, startProgram } from '../processes.ts';
import { type Section, table } from '../report.ts';
import type { Keeper, KeepOptions, Kept } from '../rivals/keep-events.ts';
import { inRounds } from '../rounds.ts';

const LOOPS = 50;
const NAMES: Readonly<Record<Keeper, string>> = { store: 'this store', insert: 'pg, one insert an event' };
const KEEPERS = ['store', 'insert'] as const;
const SCRIPT = new URL('../rivals/keep-events.ts', import.meta.url).pathname;

/** Below this share of its core the database was kept from working by others, or by its disk. */
const LEAST_SHARE = 0.5;

/** The share of a core that the database had. */
const databaseShare = ({ perSecond, databaseMicros }: Kept) => (perSecond * databaseMicros) / 1e6;

/** One round of one keeper: a new process on a new database. */
async function measureKeeper(keeper: Keeper, { seconds }: Bench, postgres: Postgres): Promise<Kept> {
  const url = await createServiceDatabase(postgres.connection, 'keeping');
  const measured = { loops: LOOPS, warmEvents: WARM_REQUESTS, seconds };
  const options: KeepOptions = { keeper, url, postgresPid: postgres.pid, ...measured };
  const started = { core: SERVER_CORE, stdout: 'pipe' } as const;
  const { child } = startProgram(process.execPath, [SCRIPT, JSON.stringify(options)], started);
  const told = child.stdout === null ? '' : await text(child.stdout);
  if (told === '') throw new Error(`${NAMES[keeper]} could not be measured`);
  // What the script prints.
  return JSON.parse(told) as Kept;
}

/** Webhooks' mentions kept by the store alone, without HTTP, beside a bare insert for each: of new posts by new authors. */
export async function compareKeeping(bench: Bench, postgres: Postgres): Promise<Omit<Section, 'title'>> {
  const found: Record<Keeper, Kept[]> = { store: [], insert: [] };
  await inRounds(bench.rounds, async (round) => {
    for (const keeper of round % 2 === 0 ? KEEPERS : KEEPERS.toReversed()) {
      found[keeper].push(await measureKeeper(keeper, bench, postgres));
    }
  });
  const perSecond = (keeper: Keeper) => found[keeper].map((round) => round.perSecond);
  const measured = ratios(perSecond('store'), perSecond('insert'));
  const rows = KEEPERS.map((keeper) => [
    NAMES[keeper],
    shownSpread(spreadOf(perSecond(keeper))),
    shownSpread(ratios(perSecond(keeper), perSecond('insert'))),
    shownSpread(spreadOf(found[keeper].map(({ cpuMicros }) => cpuMicros))),
    shownSpread(spreadOf(found[keeper].map(({ databaseMicros }) => databaseMicros))),
    shownSpread(spreadOf(found[keeper].map(({ share }) => share))),
    shownSpread(spreadOf(found[keeper].map(databaseShare))),
  ]);
  const head = [
    `without HTTP, ${LOOPS} at once`,
    'events/s',
    'of the bare insert',
    'its CPU, µs',
    'the database’s CPU, µs',
    'share of its core',
    'of the database’s',
  ];
  const goal = 'webhooks kept by the PostgreSQL store alone, times one bare insert an event through pg';
  const least = Math.min(...KEEPERS.map((keeper) => spreadOf(found[keeper].map(databaseShare)).median));
  const doubt = least < LEAST_SHARE ? `not judged: the database had only ${shown(least)} of its core` : undefined;
  return { text: table(head, rows), verdicts: [{ goal, is: 'at least', bound: 1.5, measured, doubt }] };
}
