import { expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { decideAs, sampleAccount, sampleReply, seedActs, seedWatchedGig } from '../../support/earning.ts';
import { useRawStore } from './raw.ts';

let gig: Gig;

/** A gig with the candidates 1 and 2, the account 3 held, and an open batch about 1. */
const { store, change, write, exec, run } = useRawStore(async (store) => {
  gig = await seedWatchedGig(store);
  const acts = [1, 2, 3].map((id) => sampleReply(id, `0x${id}`));
  await seedActs(store, gig, acts, { dueAt: 10 });
  await store.transaction(async (tx) => {
    for (const id of [1, 2]) await decideAs(tx, gig, sampleAccount(id));
    await tx.openBatchOf({ id: 'one', gigId: gig.id, candidates: [1], tries: 1, nextAt: 5 }, 1);
  });
});

test('behavior: candidates come by the time at which they are asked about, and can be postponed while they are', async () => {
  const due = async (dueBy: number) => {
    const found = await store.candidates(gig.id, { dueBy, limit: 9 });
    return found.map(({ platformUserId }) => platformUserId);
  };
  const before = (await store.nextCandidateDue(gig.id)) ?? 0;
  expect(await due(before)).toEqual(['1', '2']);
  await change(async (tx) => {
    expect(await tx.postponeCandidate(gig.id, sampleAccount(1), before + 20)).toBe(true);
    expect(await tx.postponeCandidate(gig.id, sampleAccount(3), before + 20)).toBe(false);
  });
  expect(await due(before)).toEqual(['2']);
  expect(await due(before + 20)).toEqual(['2', '1']);
  expect((await store.earningByAct(gig.id, 2))?.platformUserId).toBe('2');
  expect(await store.earningByAct(gig.id + 1, 2)).toBeNull();
});

test('security: a batch is tried and answered once, and a gig has one that is open', async () => {
  const answer = { state: 'answered', answer: '[]', now: 9 } as const;
  const another = () => write.openBatchOf({ id: 'two', gigId: gig.id, candidates: [2], tries: 1, nextAt: 5 }, 2);
  await expect(another()).rejects.toThrow('a batch cannot be replaced');
  await change(async (tx) => {
    expect(await tx.tryBatch('one', { nextAt: 7 })).toBe(true);
    expect(await tx.openBatch(gig.id)).toEqual({ id: 'one', gigId: gig.id, candidates: [1], tries: 2, nextAt: 7 });
    expect([await tx.endBatch('one', answer), await tx.endBatch('one', answer)]).toEqual([true, false]);
    expect(await tx.tryBatch('one', { nextAt: 8 })).toBe(false);
  });
  expect(await store.openBatch(gig.id)).toBeNull();
  await another();
  expect(await store.openBatch(gig.id)).toMatchObject({ id: 'two' });
});

test('security: what a batch asks, and what was answered, stays, in raw SQL', () => {
  for (const change of ["id = 'x'", 'gig_id = 2', "candidates = '[2]'", 'made_at = 2', 'tries = 0'])
    expect(run(`update verifier_batches set ${change}`), change).toThrow('a batch keeps what it asks');
  exec("update verifier_batches set state = 'answered', answer = '[]', ended_at = 2");
  expect(run("update verifier_batches set answer = '[1]'")).toThrow('a batch keeps what it asks');
  expect(run('delete from verifier_batches')).toThrow('a batch cannot be deleted');
  const copy = (id: string, state: string) =>
    `insert or replace into verifier_batches select '${id}', gig_id, '${state}', candidates, 1, 1, null, 1, null from verifier_batches`;
  expect(run(copy('one', 'open'))).toThrow('a batch cannot be replaced');
  expect(run(copy('two', 'dropped'))).toThrow('a batch begins without an answer');
  expect(run(copy('', 'open'))).toThrow(/constraint failed/);
  expect(run("update earnings set note = 'x' where platform_user_id = '1'")).toThrow(/constraint failed/);
});
