import { expect, test } from 'vitest';
import { openRecords } from '../../../sandbox/page/records.ts';
import { SCENES } from '../../../sandbox/page/scenes.ts';
import { openTestStore } from '../../support/database.ts';
import { SEEDED_AT, seedGig } from '../../support/store.ts';
import { sampleWorld } from './world.ts';

const ON_FARCASTER = { platform: 'farcaster', platformUserId: '1002' } as const;
const ON_X = { platform: 'twitter', platformUserId: '1700000000000001002' } as const;

test('behavior: the buttons start a gig that waits for its start and is bob’s on X, where he posts', async () => {
  const { store, database, close } = await openTestStore();
  await store.transaction(async (tx) => {
    for (const account of [ON_FARCASTER, ON_X]) await tx.setUsername({ ...account, username: 'bob' }, SEEDED_AT);
  });
  const reader = await openRecords(database.url);
  const label = async () => {
    const world = sampleWorld({ records: await reader.read(), holdings: null, posts: { farcaster: [], x: [] } });
    const button = SCENES.find(({ name }) => name === 'accepted')?.button;
    return typeof button === 'function' ? button(world) : button;
  };
  await seedGig(store, { owners: [ON_FARCASTER] });
  const cancelled = await seedGig(store, { owners: [ON_X] });
  expect(await label()).toBe(`Fund and start gig ${cancelled.id}`);
  await store.transaction(async (tx) => {
    const lock = { holder: 'sandbox', now: SEEDED_AT };
    await tx.lockGig(cancelled.id, { ...lock, until: SEEDED_AT + 1 });
    await tx.cancelGig(cancelled.id, lock);
  });
  expect(await label()).toBe('Create, fund and start a gig');
  const { id } = await seedGig(store, { owners: [ON_FARCASTER, ON_X] });
  expect(await label()).toBe(`Fund and start gig ${id}`);
  await reader.close();
  await close();
});
