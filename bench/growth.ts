import { randomUUID } from 'node:crypto';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { NETWORK_CREDENTIALS } from '../sandbox/people.ts';
import { createActMeter } from './acts.ts';
import type { Bench } from './bench.ts';
import { addOperatorKey } from './clients.ts';
import { type Grown, prepareGrown } from './data/grown.ts';
import { type Spread, shown, shownSpread, spreadOf } from './figures.ts';
import { openActs } from './growth/acts.ts';
import { startNeynar } from './neynar.ts';
import { CONFIRMED, onNewChain, type PayoutLedger, payWithService } from './payouts.ts';
import { type Section, table } from './report.ts';
import { startService } from './surroundings.ts';

export interface GrowthPlan {
  readonly sizes: readonly number[];
  /** The share of the warm-up and of the acts that are measured; at least one is. */
  readonly share: number;
  /** Measurements of each act. */
  readonly slices: number;
}

const SIZES = [10_000, 100_000, 1_000_000];
const MOST_SLICES = 5;
const AT_ONCE = 4;
/** More than one transaction holds, so that some are left for the second half. */
const PAYMENTS = 400;
const PAYMENT = 'a payment';
const WHY_PAYMENT = 'it is planned, found and confirmed in deeper indices';

/** What was measured of one act: its microseconds, by the number of rows. */
interface Growth {
  readonly why: string;
  readonly micros: Map<number, Spread>;
}

type Found = Map<string, Growth>;

function note(
  found: Found,
  { name, why }: { name: string; why: string },
  rows: number,
  micros: readonly number[],
): void {
  const growth = found.get(name) ?? { why, micros: new Map() };
  growth.micros.set(rows, spreadOf(micros));
  found.set(name, growth);
}

function copyOf({ surroundings }: Bench, path: string): string {
  const copy = join(surroundings.folder, `growth-${randomUUID()}.db`);
  copyFileSync(path, copy);
  return copy;
}

/** Everything but payments, one after the other on one service. */
async function measureActs(bench: Bench, { share, slices }: GrowthPlan, grown: Grown & { rows: number }, found: Found) {
  const { rows, gigId } = grown;
  const databasePath = copyOf(bench, grown.path);
  const key = await addOperatorKey(databasePath);
  const neynar = await startNeynar(NETWORK_CREDENTIALS.farcaster.botFid);
  const env = { NEYNAR_BASE_URL: neynar.url };
  const service = await startService(bench.surroundings, { databasePath, env });
  const some = (count: number) => Math.max(1, Math.round(count * share));
  try {
    for (const { act, warm, count, each = 1, why } of await openActs({
      port: service.port,
      rows,
      gigId,
      key,
      neynar,
    })) {
      const meter = createActMeter(act, { own: service.pid });
      await meter.run(some(warm), AT_ONCE);
      const micros: number[] = [];
      while (micros.length < slices) micros.push((await meter.measure(some(count), AT_ONCE)).own / each);
      note(found, { name: act.name, why }, rows, micros);
    }
  } finally {
    await service.stop('SIGKILL');
    neynar.stop();
    for (const end of ['', '-wal', '-shm']) rmSync(`${databasePath}${end}`, { force: true });
  }
}

/** A copy that has as many confirmed payments as rows before others are planned. */
async function openGrownLedger(bench: Bench, { path, rows }: { path: string; rows: number }): Promise<PayoutLedger> {
  const url = copyOf(bench, path);
  let reader: SqliteDatabase.Database | undefined;
  return {
    url,
    async confirmed() {
      reader ??= new SqliteDatabase(url, { readonly: true });
      return (reader.prepare<[], number>(CONFIRMED).pluck().get() ?? 0) - rows;
    },
    async close() {
      reader?.close();
      for (const end of ['', '-wal', '-shm']) rmSync(`${url}${end}`, { force: true });
    },
  };
}

async function measurePayments(bench: Bench, { slices }: GrowthPlan, grown: { path: string; rows: number }) {
  const pay = payWithService(() => openGrownLedger(bench, grown));
  const shape = { gigs: 1, transfers: PAYMENTS };
  const micros: number[] = [];
  while (micros.length < slices) micros.push((await onNewChain(bench, { name: 'this service', pay }, shape)).micros);
  return micros;
}

function growthTable(found: Found, sizes: readonly number[]): string {
  const rows = [...found].map(([name, { micros }]) => {
    const spreads = sizes.map((size) => micros.get(size));
    const [first, last] = [spreads[0], spreads.at(-1)];
    const ratio = first === undefined || last === undefined ? '–' : shown(last.median / first.median);
    return [name, ...spreads.map((spread) => (spread === undefined ? '–' : shownSpread(spread))), ratio];
  });
  const head = sizes.map((size) => `${size.toLocaleString('en-US')} rows`);
  const reasons = [...found].map(([name, { why }]) => `- ${name}: ${why}`);
  return `${table(['µs of processor time', ...head, 'most, of fewest'], rows)}\n\nWhat a larger ledger changes:\n\n${reasons.join('\n')}`;
}

/** What each thing takes as the ledger grows. */
export async function measureGrowth(bench: Bench, plan: GrowthPlan): Promise<Section> {
  const found: Found = new Map();
  for (const rows of plan.sizes) {
    bench.say(`growth: ${rows.toLocaleString('en-US')} rows`);
    const grown = { ...(await prepareGrown(bench.dataFolder, rows)), rows };
    await measureActs(bench, plan, grown, found);
    note(found, { name: PAYMENT, why: WHY_PAYMENT }, rows, await measurePayments(bench, plan, grown));
  }
  const intro =
    'Of all threads of the service on SQLite, for each act; everything is done by 4 clients at once. So many rows means as many tips ' +
    'that are looked up, as many of one gig, and as many payments, mentions, replies, events and entries of the audit trail.';
  return { title: 'Growth', text: `${intro}\n\n${growthTable(found, plan.sizes)}`, verdicts: [] };
}

/** The sizes that the largest one of the bench allows. */
export async function benchGrowth(bench: Bench): Promise<Section> {
  const largest = Math.max(...bench.sizes);
  const sizes = SIZES.filter((size) => size <= largest);
  return await measureGrowth(bench, { sizes, share: 1, slices: Math.min(MOST_SLICES, bench.rounds) });
}
