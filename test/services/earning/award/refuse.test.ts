import { expect, test } from 'vitest';
import {
  recordRefusals,
  refuseEligible,
  refuseHeld,
  refuseOpen,
  refusePaid,
} from '../../../../src/services/earning/award/refuse.ts';
import { decideAs, sampleAccount, sampleAct, seedActs } from '../../../support/earning.ts';
import { outcomeOf } from '../../../support/outcomes.ts';
import { storePerCase } from '../../../support/per-case.ts';
import { seedAddress, seedGig } from '../../../support/store.ts';
import { CROWD_POST } from '../crowd.ts';
import { HOUR, learnPayment, openGig, START } from '../gigs.ts';

const { store } = storePerCase();

test('behavior: programs are told of refused accounts, and of none where none was refused', async () => {
  const gig = await seedGig(store);
  const told: unknown[] = [];
  await store.transaction(async (tx) => {
    const watched: typeof tx = Object.assign(Object.create(tx), {
      insertEvents: async (events: readonly unknown[]) => void told.push(...events),
    });
    const at = { gigId: gig.id, now: 7 };
    await recordRefusals(watched, at, []);
    await recordRefusals(watched, at, [{ platform: 'farcaster', platformUserId: '8', reason: 'not_drawn' }]);
  });
  const refusals = [{ account: 'farcaster:8', reason: 'not_drawn' }];
  expect(told).toEqual([{ type: 'accounts.refused', at: 7, gigId: gig.id, facts: { count: 1, refusals } }]);
});

test('security: those who are held, who were paid, or all are refused, each once, and programs are told of each', async () => {
  const rule = { type: 'split', roundMs: 12 * HOUR, maxAmount: 100n } as const;
  const gig = await openGig(store, { target: CROWD_POST, rule });
  const acts = [11, 12, 13].map((id) => sampleAct(id));
  await seedActs(store, gig, acts, { dueAt: START });
  const part = { round: 1, weight: 2n };
  await store.transaction(async (tx) => {
    for (const id of [11, 12]) await decideAs(tx, gig, sampleAccount(id), { part, addresses: [seedAddress(id)] });
  });
  await refuseHeld({ store, clock: () => START }, gig.id);
  expect(await outcomeOf(store, gig)).toEqual({ 11: 'eligible', 12: 'eligible', 13: 'not_decided' });
  await learnPayment(store, gig, { recipient: seedAddress(11), amount: 1n, now: START });
  const paid = await store.earning(gig.id, sampleAccount(11));
  expect(await store.transaction((tx) => refusePaid(tx, gig.id, START + 1))).toBe(1);
  expect(await outcomeOf(store, gig)).toMatchObject({ 11: 'same_address', 12: 'eligible' });
  expect(await store.earning(gig.id, sampleAccount(11))).toMatchObject(part);
  const again = { gigId: gig.id, reason: 'not_drawn', now: START } as const;
  await expect(store.transaction((tx) => refuseEligible(tx, paid === null ? [] : [paid], again))).rejects.toThrow(
    `an account of gig ${gig.id} is not eligible any more`,
  );
  const all = { reason: 'reward_used_up', now: START + 2 } as const;
  expect(await store.transaction((tx) => refuseOpen(tx, gig.id, all))).toBe(1);
  expect(await outcomeOf(store, gig)).toMatchObject({ 12: 'reward_used_up' });
  await store.transaction((tx) => tx.releaseEvents({ holder: 'a', now: START, until: START + 1, limit: 9 }));
  const query = { after: 0, client: null, types: ['accounts.refused'], gigId: gig.id, limit: 9 } as const;
  const told = (await store.eventsAfter(query)).map(({ at, facts }) => [at, facts.refusals]);
  expect(told).toEqual([
    [START, [{ account: 'farcaster:13', reason: 'not_decided' }]],
    [START + 1, [{ account: 'farcaster:11', reason: 'same_address' }]],
    [START + 2, [{ account: 'farcaster:12', reason: 'reward_used_up' }]],
  ]);
});
