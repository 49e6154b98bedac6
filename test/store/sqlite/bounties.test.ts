import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { type Connections, openConnections } from '../../../src/store/sqlite/connection.ts';
import { openTestStore } from '../../support/database.ts';
import { decideAs, sampleAccount, sampleReply, seedActs, seedWatchedGig } from '../../support/earning.ts';
import { MIGRATIONS } from '../../support/store.ts';

let opened: Awaited<ReturnType<typeof openTestStore>>;
let connections: Connections;
let sql: Database;
let gig: Gig;

/** A gig with the candidates 1 and 2, the account 3 held, and an open batch about 1. */
beforeEach(async () => {
  opened = await openTestStore();
  const { store } = opened;
  gig = await seedWatchedGig(store);
  await seedActs(
    store,
    gig,
    [1, 2, 3].map((id) => sampleReply(id, `0x${id}`)),
    { dueAt: 10 },
  );
  await store.transaction(async (tx) => {
    for (const id of [1, 2]) await decideAs(tx, gig, sampleAccount(id));
    await tx.openBatchOf({ id: 'one', gigId: gig.id, candidates: [1], tries: 1, nextAt: 5 }, 1);
  });
  connections = openConnections({ path: opened.database.url, migrationsFolder: MIGRATIONS });
  sql = connections.writer.$client;
});

afterEach(async () => {
  connections.close();
  await opened.close();
});

test('behavior: candidates come by the time at which they are asked about, and can be postponed while they are', async () => {
  const { store } = opened;
  const due = async (dueBy: number) => {
    const found = await store.candidates(gig.id, { dueBy, limit: 9 });
    return found.map(({ platformUserId }) => platformUserId);
  };
  const before = (await store.nextCandidateDue(gig.id)) ?? 0;
  expect(await due(before)).toEqual(['1', '2']);
  await store.transaction(async (tx) => {
    expect(await tx.postponeCandidate(gig.id, sampleAccount(1), before + 20)).toBe(true);
    expect(await tx.postponeCandidate(gig.id, sampleAccount(3), before + 20)).toBe(false);
  });
  expect(await due(before)).toEqual(['2']);
  expect(await due(before + 20)).toEqual(['2', '1']);
  expect((await store.earningByAct(gig.id, 2))?.platformUserId).toBe('2');
  expect(await store.earningByAct(gig.id + 1, 2)).toBeNull();
});

test('security: a batch is tried and answered once, and a gig has one that is open', async () => {
  const { store } = opened;
  const answer = { state: 'answered', answer: '[]', now: 9 } as const;
  const another = () =>
    store.transaction((tx) => tx.openBatchOf({ id: 'two', gigId: gig.id, candidates: [2], tries: 1, nextAt: 5 }, 2));
  await expect(another()).rejects.toThrow('a batch cannot be replaced');
  await store.transaction(async (tx) => {
    expect(await tx.tryBatch('one', { nextAt: 7 })).toBe(true);
    expect(await tx.openBatch(gig.id)).toEqual({ id: 'one', gigId: gig.id, candidates: [1], tries: 2, nextAt: 7 });
    expect(await tx.endBatch('one', answer)).toBe(true);
    expect(await tx.endBatch('one', answer)).toBe(false);
    expect(await tx.tryBatch('one', { nextAt: 8 })).toBe(false);
  });
  expect(await store.openBatch(gig.id)).toBeNull();
  await another();
  expect(await store.openBatch(gig.id)).toMatchObject({ id: 'two' });
});

test('security: what a batch asks, and what was answered, stays, in raw SQL', () => {
  for (const change of ["id = 'x'", 'gig_id = 2', "candidates = '[2]'", 'made_at = 2', 'tries = 0'])
    expect(() => sql.exec(`update verifier_batches set ${change}`), change).toThrow('a batch keeps what it asks');
  sql.exec("update verifier_batches set state = 'answered', answer = '[]', ended_at = 2");
  expect(() => sql.exec("update verifier_batches set answer = '[1]'")).toThrow('a batch keeps what it asks');
  expect(() => sql.exec('delete from verifier_batches')).toThrow('a batch cannot be deleted');
  const copy = (id: string, state: string) =>
    `insert or replace into verifier_batches select '${id}', gig_id, '${state}', candidates, 1, 1, null, 1, null from verifier_batches`;
  expect(() => sql.exec(copy('one', 'open'))).toThrow('a batch cannot be replaced');
  expect(() => sql.exec(copy('two', 'dropped'))).toThrow('a batch begins without an answer');
  expect(() => sql.exec(copy('', 'open'))).toThrow(/constraint failed/);
  expect(() => sql.exec("update earnings set note = 'x' where platform_user_id = '1'")).toThrow(/constraint failed/);
});
