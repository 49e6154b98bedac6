import { expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../../src/domain/operators/actor.ts';
import {
  type AwardedTips,
  awardTips,
  batchProblems,
  type GivenTip,
} from '../../../../src/services/gigs/tips/award-tips.ts';
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

test('error: of a batch each repeated account and handle is named, and malformed fields are nobody', () => {
  const [platform, platformUserId] = ['farcaster', '7'];
  expect(batchProblems([tip(7, '1'), tip(8, '1'), tip(7, '2'), tip(8, '1', { platform: 'twitter' })])).toEqual([
    'tips[2] is for the same account as tips[0]: give each account one tip',
  ]);
  const named = tip(1, '1', { username: 'dana' });
  expect(batchProblems([{}, {}, { platform }, { platform }, { platformUserId }, { platformUserId }])).toEqual([]);
  expect(batchProblems([{ platform, username: '' }, { platform, username: '' }, named, { ...named }])).toEqual([
    'tips[3] is for the same account as tips[2]: give each account one tip',
    'tips[3].username repeats tips[2].username: a handle has one account',
  ]);
  expect(batchProblems([{ username: 'dana' }, { username: 'dana' }])).toEqual([]);
});

test('behavior: an award is stored, counted and recorded with all that it says', async () => {
  const { id: gigId } = await seedGig(store, { live: true, rewardAmount: 10n * 10n ** 18n });
  await award(gigId, [tip(1, '1')]);
  const userAddress = `0x${'ab'.repeat(20)}` as const;
  const { gig, tips, left } = await award(gigId, [tip(2, '2.5', { username: 'bob', userAddress }), tip(3, '1')]);
  const awarded = { gigId, tokenId: gig.token.id, platform: 'farcaster', status: 'pending' };
  expect(tips).toMatchObject([
    { id: 2, ...awarded, platformUserId: '2', amount: 25n * 10n ** 17n, userAddress },
    { id: 3, ...awarded, platformUserId: '3', amount: 10n ** 18n, userAddress: null },
  ]);
  expect(left).toBe(55n * 10n ** 17n);
  const [event] = await store.auditEvents({ limit: 1 });
  expect(event).toMatchObject({ action: 'tips.award', subject: 'gig', subjectId: String(gigId), gigId });
  expect(JSON.parse(event?.detail ?? '')).toEqual({ count: 2, sum: '3500000000000000000', first_id: 2, last_id: 3 });
  expect((await store.account({ platform: 'farcaster', platformUserId: '2' }))?.username).toBe('bob');
  await expect(award(gigId, [tip(4, `0.${'0'.repeat(18)}1`), tip(5, `1${'0'.repeat(99)}`)])).rejects.toMatchObject({
    refusal: {
      code: 'validation_failed',
      details: [expect.stringMatching(/^tips\[0\]\.value/), expect.stringMatching(/^tips\[1\]\.value/)],
    },
  });
  await expect(award(gigId, [tip(4, '5.6')])).rejects.toMatchObject({ refusal: { code: 'reward_exceeded' } });
  expect((await award(gigId, [tip(4, '5.5')])).left).toBe(0n);
  expect(await award(gigId, [])).toMatchObject({ tips: [], left: 0n });
});
