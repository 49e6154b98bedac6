import { expect, test } from 'vitest';
import { roundsPayout } from '../../../../src/domain/earning/payouts/rounds.ts';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import type { WatchContext, WatchedGig } from '../../../../src/services/earning/context.ts';
import { divideRound, handOutShares, roundsWay } from '../../../../src/services/earning/ways/rounds.ts';
import { decideAs, sampleAccount, sampleAct, seedActs } from '../../../support/earning.ts';
import { outcomeOf } from '../../../support/outcomes.ts';
import { perCase, storePerCase } from '../../../support/per-case.ts';
import { seedAddress } from '../../../support/store.ts';
import { CROWD_POST } from '../crowd.ts';
import type { SetClock } from '../engine.ts';
import { END, HOUR, learnPayment, openGig, START } from '../gigs.ts';

const { store } = storePerCase();
/** When both rounds of each gig are due. */
const clock = perCase((): SetClock => ({ now: END + 3 * HOUR }));
const deps = perCase(() => ({ store, clock: () => clock.now }));

const terms = { roundMs: 12 * HOUR, maxAmount: 100n };
const payout = roundsPayout({ ...terms, weightOf: () => 1n });
const divide = (gig: Gig, number: number) => divideRound(deps, { gig, payout, holdMs: HOUR }, number);

/** A gig of two rounds in which these accounts have acted in the first one and are accepted, and others are held. */
async function seed(accepted: readonly number[], held: readonly number[] = [], rewardAmount = 101n): Promise<Gig> {
  const rule = { type: 'split', ...terms } as const;
  const gig = await openGig(store, { target: CROWD_POST, rule, rewardAmount, holdMs: HOUR });
  await seedActs(
    store,
    gig,
    [...accepted, ...held].map((id) => sampleAct(id, { rankedAt: START + id })),
    { dueAt: END },
  );
  await store.transaction(async (tx) => {
    const part = { round: 1, weight: 1n };
    for (const id of accepted) await decideAs(tx, gig, sampleAccount(id), { part, addresses: [seedAddress(id)] });
  });
  return gig;
}

test('security: rounds are divided one after the other, each once, in the audit as well, and handed out in between', async () => {
  const gig = await seed([11, 12]);
  expect(await divide(gig, 2)).toBeNull();
  expect(await handOutShares(deps, gig.id, 100n)).toBe(0);
  expect(await divide(gig, 1)).toEqual({ pool: 50n, total: 2n, members: 2, reserved: 50n });
  expect(await store.lastRound(gig.id)).toMatchObject({ number: 1, state: 'divided', dividedAt: clock.now });
  for (const number of [1, 2]) expect(await divide(gig, number)).toBeNull();
  expect(await store.gig(gig.id)).toMatchObject({ reservedAmount: 50n, awardedAmount: 0n });
  expect(await handOutShares(deps, gig.id, 100n)).toBe(2);
  expect(await outcomeOf(store, gig)).toEqual({ 11: 25n, 12: 25n });
  expect(await store.lastRound(gig.id)).toMatchObject({ number: 1, state: 'over' });
  expect(await handOutShares(deps, gig.id, 100n)).toBe(0);
  expect(await divide(gig, 2)).toEqual({ pool: 51n, total: 0n, members: 0, reserved: 0n });
  expect(await divide(gig, 3)).toBeNull();
  expect(await store.gig(gig.id)).toMatchObject({ reservedAmount: 0n, awardedAmount: 50n });
  const entries = (await store.auditEvents({ gigId: gig.id, limit: 9 })).filter((e) => e.action === 'round.divide');
  expect(entries.map(({ actor, actorName, at, detail }) => [actor, actorName, at, JSON.parse(detail)])).toEqual(
    [
      { round: 2, pool: '51', members: 0, reserved: '0' },
      { round: 1, pool: '50', members: 2, reserved: '50' },
    ].map((detail) => ['job', 'earning', clock.now, detail]),
  );
});

test('security: a round waits for held accounts that may belong to it, and its members are not those who were paid', async () => {
  const [held, paid] = [await seed([11], [12]), await seed([11, 12])];
  expect(await divide(held, 1)).toBeNull();
  await learnPayment(store, paid, { recipient: seedAddress(12), amount: 1n, now: clock.now });
  expect(await divide(paid, 1)).toEqual({ pool: 50n, total: 1n, members: 1, reserved: 50n });
  expect(await outcomeOf(store, paid)).toEqual({ 11: 'eligible', 12: 'same_address' });
});

test('security: a member that was paid since the division gets nothing, and keeps its part', async () => {
  const gig = await seed([11, 12]);
  await divide(gig, 1);
  await learnPayment(store, gig, { recipient: seedAddress(12), amount: 1n, now: clock.now });
  expect(await handOutShares(deps, gig.id, 100n)).toBe(2);
  expect(await outcomeOf(store, gig)).toEqual({ 11: 25n, 12: 'share_too_small' });
  expect(await store.earning(gig.id, sampleAccount(12))).toMatchObject({ round: 1, weight: 1n });
  expect(await store.gig(gig.id)).toMatchObject({ reservedAmount: 0n });
});

test.each([
  { most: 10n, handed: 10n, amount: 10n },
  { most: 100n, handed: null, amount: 50n },
])(
  'behavior: of a round of one the account gets $amount, where it may get $handed',
  async ({ most, handed, amount }) => {
    const gig = await seed([11]);
    await divideRound(deps, { gig, payout: { ...payout, maxAmount: most }, holdMs: HOUR }, 1);
    await handOutShares(deps, gig.id, handed);
    expect(await outcomeOf(store, gig)).toEqual({ 11: amount });
  },
);

test('behavior: its steps divide and hand out, and it is done without an eligible account', async () => {
  const gig = await seed([11]);
  const way = roundsWay({ ...payout, maxAmount: 10n });
  const watched = { gig, rules: { holdMs: HOUR } } as WatchedGig;
  const context = deps as WatchContext;
  const [first] = await store.transaction((tx) => tx.awardable(gig.id, { limit: 1 }));
  for (const open of [first, undefined]) {
    const { isDone, divisionAt } = await way.progress(context, watched, { first: open, isAnyHeld: false });
    expect([isDone, divisionAt]).toEqual([open === undefined, START + 13 * HOUR]);
  }
  for (const step of [{ kind: 'divide', round: 1 }, { kind: 'hand_out' }] as const) {
    expect(await way.take(context, watched, step)).toBeNull();
  }
  expect(await outcomeOf(store, gig)).toEqual({ 11: 10n });
});

test.each([20, 21])(
  'behavior: of %i members twenty are handed out at once, and the last ends the round',
  async (count) => {
    const ids = Array.from({ length: count }, (_, each) => 100 + each);
    const gig = await seed(ids, [], BigInt(100 * count));
    await divide(gig, 1);
    expect(await handOutShares(deps, gig.id, 100n)).toBe(count);
    expect(await outcomeOf(store, gig)).toEqual(Object.fromEntries(ids.map((id) => [id, 50n])));
    expect(await store.lastRound(gig.id)).toMatchObject({ state: 'over' });
  },
);

test('behavior: an account joins the first round of its rank that is not divided, and none after the last', async () => {
  const gig = await seed([11]);
  const joining = () =>
    store.transaction(async (tx) => {
      const join = await roundsWay(payout).joining?.(tx, gig);
      return [START, END - 1].map((rankedAt) => join?.({ rankedAt, standing: null }));
    });
  const [first, second] = [1, 2].map((round) => ({ round, weight: 1n }));
  expect(await joining()).toEqual([first, second]);
  await divide(gig, 1);
  expect(await joining()).toEqual([second, second]);
  await handOutShares(deps, gig.id, 100n);
  await divide(gig, 2);
  expect(await joining()).toEqual(['reward_used_up', 'reward_used_up']);
});
