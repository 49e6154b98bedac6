import { expect, test } from 'vitest';
import { recordRefusals } from '../../../../src/services/earning/award/refuse.ts';
import { openTestStore } from '../../../support/database.ts';
import { seedGig } from '../../../support/store.ts';

test('behavior: programs are told of refused accounts, and of none where none was refused', async () => {
  const { store, close } = await openTestStore();
  try {
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
  } finally {
    await close();
  }
});
