import { expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../../src/domain/operators/actor.ts';
import { type AwardedTips, awardTips, type GivenTip } from '../../../../src/services/gigs/tips/award-tips.ts';
import { withIdempotency } from '../../../../src/services/idempotency.ts';
import type { Store } from '../../../../src/store/port/index.ts';
import { perCase, storePerCase } from '../../../support/per-case.ts';
import { SEEDED_AT, seedGig } from '../../../support/store.ts';

const DAY = 86_400_000;

const { store, database } = storePerCase();
/** As a second process would open it. */
const other = perCase(() => database.open());

const render = ({ tips, left }: AwardedTips) => ({ status: 201, body: `${tips.map(({ id }) => id)}: ${left}` });
const tip = (userId: number, value: string, more: Partial<GivenTip> = {}): GivenTip => ({
  platform: 'farcaster',
  platformUserId: String(userId),
  username: null,
  userAddress: null,
  value,
  ...more,
});
const award = (gigId: number, tips: GivenTip[], at = store) =>
  at.transaction((tx) => awardTips(tx, { gigId, tips }, { actor: COMMAND_LINE, now: SEEDED_AT }));

test('security: two processes together never exceed the reward', async () => {
  const { id: gigId } = await seedGig(store, { live: true, rewardAmount: 10n * 10n ** 18n });
  const outcomes = await Promise.allSettled(
    Array.from({ length: 30 }, (_, index) => award(gigId, [tip(index + 1, '1.5')], index % 2 === 0 ? store : other)),
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
      withIdempotency({ store: index % 2 === 0 ? store : other, clock: () => SEEDED_AT }, once, {
        prepared: { commit: (tx, now) => awardTips(tx, { gigId, tips: [tip(1, '1')] }, { actor: COMMAND_LINE, now }) },
        render,
      }),
    ),
  );
  expect(new Set(answers.map(({ body }) => body))).toEqual(new Set(['1: 99000000000000000000']));
});

test('error: the window that counts is the one at the moment of the award', async () => {
  const { id: gigId } = await seedGig(store, { live: true });
  let now = SEEDED_AT;
  const slow: Store = {
    ...store,
    transaction: async (run) => {
      now = SEEDED_AT + DAY;
      return await store.transaction(run);
    },
  };
  const late = withIdempotency({ store: slow, clock: () => now }, null, {
    prepared: { commit: (tx, at) => awardTips(tx, { gigId, tips: [tip(1, '1')] }, { actor: COMMAND_LINE, now: at }) },
    render,
  });
  await expect(late).rejects.toMatchObject({ refusal: { code: 'gig_not_running', phase: 'ended' } });
  expect((await store.gig(gigId))?.awardedAmount).toBe(0n);
});

test('error: two accounts of one network cannot hold one handle in a batch', async () => {
  const { id: gigId } = await seedGig(store, { live: true });
  const tips = [
    tip(1, '1', { platform: 'twitter', username: 'Dana' }),
    tip(2, '1', { username: 'dana' }),
    tip(3, '1', { platform: 'twitter', username: 'dana' }),
  ];
  await expect(award(gigId, tips)).rejects.toMatchObject({
    refusal: {
      code: 'validation_failed',
      details: ['tips[2].username repeats tips[0].username: a handle has one account'],
    },
  });
});
