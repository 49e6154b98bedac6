import { afterEach, beforeEach, expect, test } from 'vitest';
import { lastToSkip, parseSkip } from '../../../../src/domain/gigs/id-skip.ts';
import type { Store } from '../../../../src/store/port/index.ts';
import { createTestDatabase, isOnPostgres, type TestDatabase } from '../../../support/database.ts';

let database: TestDatabase;
let store: Store;

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await store.close();
  await database.remove();
});

const reserve = () => store.transaction((tx) => tx.reserveGigId());

/** A copy of a database is on another server than it was. */
async function restore(copy: string): Promise<void> {
  await store.close();
  await database.restore(copy);
  if (isOnPostgres()) await database.sql("insert into server_identity (server) values ('the one before')");
  store = await database.open();
}

test('security: a backup from before a creation gives the next client no wallet that another was told', async () => {
  store = await database.open();
  expect(await reserve()).toBe(1);
  await store.close();
  const copy = await database.copy();
  store = await database.open();
  expect(await reserve()).toBe(2);
  await restore(copy);
  const [skip] = await store.idSkips(1);
  const expected = isOnPostgres()
    ? { first: 2, last: 2_000, reason: 'server' }
    : { first: 2, last: 2, reason: 'ahead' };
  expect(skip).toMatchObject({ actor: 'job', actorName: 'ids', action: 'ids.skip', subject: 'store' });
  expect(parseSkip(skip?.detail ?? '')).toEqual(expected);
  expect(await reserve()).toBe(expected.last + 1);
});

test.each([
  [1, 1_000],
  [2, 2_000],
  [1_001, 2_000],
  [1_002, 3_000],
  [42, 2_000],
])('behavior: from id %i on, ids up to %i are skipped', (first, last) => {
  expect(lastToSkip(first)).toBe(last);
});
