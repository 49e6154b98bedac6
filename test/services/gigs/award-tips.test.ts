import { afterEach, beforeEach, expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../src/domain/actor.ts';
import { type AwardedTips, awardTips } from '../../../src/services/gigs/award-tips.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { MIGRATIONS, openTestStore, SEEDED_AT, seedGig } from '../../support/store.ts';

const DAY = 86_400_000;

let store: Store;
let other: Store;
let close: () => Promise<void>;

beforeEach(async () => {
  const opened = await openTestStore();
  store = opened.store;
  // As a second process would open it.
  other = await openStore({ url: opened.path, migrationsFolder: MIGRATIONS });
  close = async () => {
    await other.close();
    await opened.close();
  };
});
afterEach(() => close());

const render = ({ tips, left }: AwardedTips) => ({ tips: tips.map(({ id }) => id), left: String(left) });
const batch = (userId: number, value: string) => ({
  tips: [{ platform: 'farcaster', platform_user_id: userId, value }],
});

test('security: two processes together never exceed the reward', async () => {
  const { id: gigId } = await seedGig(store, { live: true, rewardAmount: 10n * 10n ** 18n });
  const outcomes = await Promise.allSettled(
    Array.from({ length: 30 }, (_, index) =>
      awardTips(
        { store: index % 2 === 0 ? store : other, clock: () => SEEDED_AT },
        { gigId, body: batch(index + 1, '1.5'), once: null, actor: COMMAND_LINE, render },
      ),
    ),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(6);
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue;
    expect(outcome.reason).toMatchObject({ refusal: { code: 'reward_exceeded', gigId, left: '1', symbol: 'DEGEN' } });
  }
  expect((await other.gig(gigId))?.awardedAmount).toBe(9n * 10n ** 18n);
});

test('security: one key in two processes awards once', async () => {
  const { id: gigId } = await seedGig(store, { live: true });
  const once = { scope: '1 POST /api/gigs/1/tips', key: 'k', fingerprint: 'f' };
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      awardTips(
        { store: index % 2 === 0 ? store : other, clock: () => SEEDED_AT },
        { gigId, body: batch(1, '1'), once, actor: COMMAND_LINE, render },
      ),
    ),
  );
  expect(new Set(answers)).toEqual(new Set(['{"tips":[1],"left":"99000000000000000000"}']));
});

test('error: the window that counts is the one at the moment of the award', async () => {
  const { id: gigId } = await seedGig(store, { live: true });
  let now = SEEDED_AT;
  const slow: Pick<Store, 'transaction' | 'findIdempotentResponse' | 'gig'> = {
    ...store,
    transaction: async (run) => {
      now = SEEDED_AT + DAY;
      return await store.transaction(run);
    },
  };
  const award = awardTips(
    { store: slow, clock: () => now },
    { gigId, body: batch(1, '1'), once: null, actor: COMMAND_LINE, render },
  );
  await expect(award).rejects.toMatchObject({ refusal: { code: 'gig_not_running', phase: 'ended' } });
  expect((await store.gig(gigId))?.awardedAmount).toBe(0n);
});

test('error: two accounts of one network cannot hold one handle in a batch', async () => {
  const { id: gigId } = await seedGig(store, { live: true });
  const tip = (platform: string, id: number, username: string) => ({
    platform,
    platform_user_id: id,
    username,
    value: 1,
  });
  const body = { tips: [tip('x', 1, 'Dana'), tip('farcaster', 2, 'dana'), tip('x', 3, 'dana')] };
  await expect(
    awardTips({ store, clock: () => SEEDED_AT }, { gigId, body, once: null, actor: COMMAND_LINE, render }),
  ).rejects.toMatchObject({
    refusal: {
      code: 'validation_failed',
      details: ['tips[2].username is that of tips[0]: a handle has one account'],
    },
  });
});
