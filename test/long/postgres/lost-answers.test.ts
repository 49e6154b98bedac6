import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StoreAway } from '../../../src/domain/errors.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { openPostgresStore } from '../../../src/store/postgres/store.ts';
import { type Cut, type CuttingProxy, startCuttingProxy } from '../../support/cutting-proxy.ts';
import { openTestDatabase, POSTGRES_MIGRATIONS, type TestDatabase } from '../../support/postgres.ts';
import { sampleMention } from '../../support/store.ts';
import { type Written, writeInLanes } from './lanes.ts';

/** Transactions of each kind of cut, and after how many commits one is cut. */
const TRANSACTIONS = 300;
const EVERY = 5;

let database: TestDatabase;
let proxy: CuttingProxy;
let store: Store;
let cut: Cut | null;

beforeEach(async () => {
  database = await openTestDatabase();
  cut = null;
  let commits = 0;
  proxy = await startCuttingProxy(database.url, () => (cut !== null && commits++ % EVERY === 0 ? cut : null));
  store = await openPostgresStore({ url: proxy.url, migrationsFolder: POSTGRES_MIGRATIONS });
});
afterEach(async () => {
  await store.close();
  await proxy.close();
  await database.close();
});

/** Inserts a mention of each number, all at once, and how often each `run` was called. */
function insertAll(numbers: number, options?: { narrow: boolean }) {
  return Array.from({ length: numbers }, async (_, number) => {
    let runs = 0;
    const mention = sampleMention({ postId: `post ${number}`, authorId: `${1_000 + number}`, authorUsername: null });
    const id = await store.transaction((tx) => {
      runs += 1;
      return tx.insertMention(mention, { now: 1, source: 'webhook' });
    }, options);
    return { id, runs };
  });
}

async function storedIds(): Promise<Map<string, number>> {
  const { rows } = await database.client.query<{ post: string; id: string }>(
    'select post_id as post, id from mentions',
  );
  return new Map(rows.map(({ post, id }) => [post, Number(id)]));
}

describe('a COMMIT', () => {
  test.for(['undelivered', 'unanswered', 'late'] as const)(
    'security: that is %s is told as it was, and made once',
    async (how) => {
      cut = how;
      const told = await Promise.all(insertAll(TRANSACTIONS));
      cut = null;
      const stored = await storedIds();
      expect(stored.size).toBe(TRANSACTIONS);
      // Had one run again after it was committed, it would have found its post and answered null.
      for (const [number, { id }] of told.entries()) expect(id).toBe(stored.get(`post ${number}`));
      expect(proxy.cuts()).toBeGreaterThan(TRANSACTIONS / EVERY / 2);
      const again = told.filter(({ runs }) => runs > 1).length;
      if (how === 'undelivered') expect(again).toBeGreaterThan(0);
      else expect(again).toBe(0);
    },
  );

  test.for(['undelivered', 'unanswered'] as const)(
    'error: of a narrow transaction that is %s is told as lost, and not run again',
    async (how) => {
      cut = how;
      const told = await Promise.allSettled(insertAll(100, { narrow: true }));
      cut = null;
      const stored = await storedIds();
      const lost = told.filter(({ status }) => status === 'rejected');
      expect(lost.length).toBeGreaterThan(0);
      for (const [number, outcome] of told.entries()) {
        const id = stored.get(`post ${number}`);
        if (outcome.status === 'fulfilled') expect(outcome.value).toEqual({ id, runs: 1 });
        else {
          expect(outcome.reason).toBeInstanceOf(StoreAway);
          expect(id !== undefined).toBe(how === 'unanswered');
        }
      }
    },
  );
});

describe('a server', () => {
  test('security: that ends sessions under load loses and doubles nothing', async () => {
    let isDone = false;
    const written: Written = { told: [], failed: [] };
    const writing = writeInLanes(store, written, () => isDone);
    for (let round = 0; round < 20; round += 1) {
      await wait(50);
      await database.client.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() order by random() limit 5',
      );
    }
    isDone = true;
    await writing;
    expect(written.failed).toEqual([]);
    expect(new Set((await storedIds()).keys())).toEqual(new Set(written.told));
  });
});
