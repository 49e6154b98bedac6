import { expect, onTestFinished, test } from 'vitest';
import { ConfigError, loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { createRuntime, type Runtime } from '../../src/runtime.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { MIGRATIONS, PAGES, seedGig, seedTips } from '../support/store.ts';

const YEAR_2026 = Date.UTC(2026, 0, 1);
const NUMBERS_PER_SECOND = 2 ** 20;

async function openDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  onTestFinished(() => database.remove());
  return database;
}

async function start(database: TestDatabase, now: number): Promise<Runtime> {
  const log = createLog({ level: 'fatal', destination: { write: () => undefined } });
  const config = loadConfig({ CHAINS: 'anvil', DATABASE_URL: database.url });
  const folders = { migrationsFolder: MIGRATIONS, pagesFolder: PAGES };
  const runtime = await createRuntime({ config, log, ...folders, version: '0.0.0', clock: () => now });
  onTestFinished(() => runtime.stop());
  return runtime;
}

test('error: a clock before 2026 is refused at the start, by name, and the database stays as it was', async () => {
  const database = await openDatabase();
  const refused = await start(database, YEAR_2026 - 1).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ConfigError);
  expect(String(refused)).toContain(
    'The clock of this machine says 2025-12-31T23:59:59.999Z, which is before 2026. Set it, then start again.',
  );
  const [state] = await database.sql('select count(*) as n from ledger_state where tip_floor > 0');
  expect(Number(state?.['n'])).toBe(0);
});

test('security: a service gives numbers from a floor above its start; two that start in one second have different ones', async () => {
  const database = await openDatabase();
  const first = await start(database, YEAR_2026);
  const gig = await seedGig(first.store, { live: true });
  const numberOf = async ({ store }: Runtime) =>
    (await seedTips(store, gig, [{ platform: 'farcaster', platformUserId: '7' }]))[0]?.number ?? 0;
  const before = await numberOf(first);
  expect(before).toBeGreaterThanOrEqual(256);
  const second = await start(database, YEAR_2026);
  expect(await numberOf(second)).toBeGreaterThanOrEqual(before + 256);
  // An hour later, whatever was drawn before.
  expect(await numberOf(await start(database, YEAR_2026 + 3_600_000))).toBeGreaterThan(3_600 * NUMBERS_PER_SECOND);
});
