import { beforeEach, expect, test } from 'vitest';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import { COMMAND_LINE } from '../../../../src/domain/operators/actor.ts';
import { listTips } from '../../../../src/services/gigs/tips/list-tips.ts';
import { firstOf } from '../../../support/first-of.ts';
import { storePerCase } from '../../../support/per-case.ts';
import { seedGig, seedTips } from '../../../support/store.ts';

const { store } = storePerCase();
let gig: Gig;
beforeEach(async () => {
  gig = await seedGig(store, { rewardAmount: 10n ** 24n });
});

const seed = (count: number) =>
  seedTips(
    store,
    gig,
    Array.from({ length: count }, (_, n) => ({ platform: 'farcaster', platformUserId: String(n + 1) })),
  );
type Asked = Partial<Parameters<typeof listTips>[1]>;
async function list(asked: Asked = {}) {
  const request = { gigId: gig.id, actor: COMMAND_LINE, status: undefined, limit: 3, before: undefined, ...asked };
  const { tips, next, token } = await listTips({ store }, request);
  expect(token).toEqual(gig.token);
  return { numbers: tips.map(({ tipNumber }) => tipNumber), next };
}

test('behavior: the newest tips come first, and the list goes on below a number', async () => {
  await seed(5);
  expect(await list()).toEqual({ numbers: [4, 3, 2], next: 2 });
  expect(await list({ before: 2 })).toEqual({ numbers: [1, 0], next: null });
  expect(await list({ limit: 5 })).toEqual({ numbers: [4, 3, 2, 1, 0], next: null });
  expect(await list({ before: 0 })).toEqual({ numbers: [], next: null });
});

test('behavior: of one status are only its tips', async () => {
  const second = firstOf((await seed(4)).slice(1));
  await store.transaction((tx) => tx.voidTip(second.id, { reason: 'not earned', now: 0 }));
  expect(await list({ status: 'void' })).toEqual({ numbers: [1], next: null });
  expect(await list({ status: 'pending' })).toEqual({ numbers: [3, 2, 0], next: null });
  expect(await list({ status: 'pending', limit: 2 })).toEqual({ numbers: [3, 2], next: 2 });
  expect(await list({ status: 'paid' })).toEqual({ numbers: [], next: null });
});

test('security: one request reads a thousand tips at most', async () => {
  await seed(1_002);
  expect(await list({ status: 'paid' })).toEqual({ numbers: [], next: 2 });
  expect(await list({ status: 'paid', before: 2 })).toEqual({ numbers: [], next: null });
});
