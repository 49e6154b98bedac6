import { describe, expect, test } from 'vitest';
import { roundsPayout } from '../../../src/domain/earning/payouts/rounds.ts';
import type { Rule } from '../../../src/domain/earning/rules/index.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { ENGINE, giveTips } from '../../../src/services/earning/award/award-earnings.ts';
import { divideRound, handOutShares } from '../../../src/services/earning/ways/rounds.ts';
import { commandGig } from '../../../src/services/gigs/command-gig.ts';
import { DAY, E18, END, HOUR, MINUTE, START } from './gigs.ts';
import { openForEachTest, world } from './world.ts';

openForEachTest();

/** Two rounds of 12 hours. */
const SPLIT: Rule = { type: 'split', roundMs: 12 * HOUR, maxAmount: 100n * E18 };

async function amountOf(gig: Gig, id: string): Promise<bigint | null | undefined> {
  return (await world.store.earning(gig.id, world.account(id)))?.amount;
}

describe('a split', () => {
  test('behavior: pays three accounts in two rounds their equal shares, and what is left over goes on', async () => {
    const [one = '', two = '', three = ''] = world.people('one', 'two', 'three');
    const gig = await world.gig({ rule: SPLIT, rewardAmount: 101n, holdMs: HOUR });
    world.like('one');
    await world.engine.until(START + 11 * HOUR);
    world.like('two');
    // Its time is that of the first round, although a look finds it in the second one.
    await world.engine.until(START + 12 * HOUR - MINUTE);
    expect(await world.outcome(gig)).toEqual({ one: 'held', two: 'held' });
    await world.engine.until(START + 12 * HOUR + 30 * MINUTE);
    world.like('three');
    await world.engine.until(START + 13 * HOUR + 30 * MINUTE);
    expect(await world.outcome(gig)).toEqual({ one: 'awarded', two: 'awarded', three: 'held' });
    // The pool is 50 of 101; 51 is left for the last round.
    expect(await amountOf(gig, one)).toBe(25n);
    expect(await amountOf(gig, two)).toBe(25n);
    expect(await world.store.lastRound(gig.id)).toMatchObject({ number: 1, state: 'over', pool: 50n, members: 2 });
    await world.engine.until(END + DAY);
    expect(await amountOf(gig, three)).toBe(51n);
    expect(await world.store.lastRound(gig.id)).toMatchObject({ number: 2, state: 'over', pool: 51n, reserved: 0n });
    expect(await world.sums(gig)).toEqual([101n, 0n]);
    expect(await world.isOver(gig)).toBe(true);
    const divisions = (await world.store.auditEvents({ limit: 50 })).filter(({ action }) => action === 'round.divide');
    expect(divisions.toReversed().map(({ gigId, detail }) => [gigId, JSON.parse(detail)])).toEqual([
      [gig.id, { round: 1, pool: '50', members: 2, reserved: '50' }],
      [gig.id, { round: 2, pool: '51', members: 1, reserved: '51' }],
    ]);
  });

  test('behavior: a round without members leaves its pool to the next ones, and nobody gets more than the most', async () => {
    const rule: Rule = { ...SPLIT, roundMs: 6 * HOUR, maxAmount: 40n };
    const gig = await world.gig({ rule, rewardAmount: 100n, holdMs: 0 });
    await world.engine.until(START + 20 * HOUR);
    expect(await world.store.lastRound(gig.id)).toMatchObject({ number: 3, state: 'over', pool: 50n, members: 0 });
    world.like('late');
    await world.engine.until(END + DAY);
    expect(await world.store.lastRound(gig.id)).toMatchObject({ number: 4, pool: 100n, members: 1 });
    expect(await world.sums(gig)).toEqual([40n, 0n]);
  });

  test('behavior: rounds that are overdue are divided one by one', async () => {
    const id = world.person('one');
    const gig = await world.gig({ rule: { ...SPLIT, roundMs: 6 * HOUR }, rewardAmount: 100n, holdMs: 0 });
    world.like('one');
    await world.engine.work();
    world.clock.now = END + DAY;
    await world.engine.until(END + 2 * DAY);
    expect(await world.store.lastRound(gig.id)).toMatchObject({ number: 4, state: 'over' });
    expect(await amountOf(gig, id)).toBe(25n);
    expect(await world.sums(gig)).toEqual([25n, 0n]);
    expect(await world.isOver(gig)).toBe(true);
  });

  test('behavior: a share of less than a base unit is refused, and its pool goes on', async () => {
    const gig = await world.gig({ rule: SPLIT, rewardAmount: 5n, holdMs: 0 });
    world.likes('one', 'two', 'three');
    await world.engine.until(START + 13 * HOUR);
    const small = 'share_too_small';
    expect(await world.outcome(gig)).toEqual({ one: small, two: small, three: small });
    expect((await world.store.auditEvents({ limit: 50 })).map(({ action }) => action)).not.toContain('tips.award');
    expect(await world.sums(gig)).toEqual([0n, 0n]);
    world.like('four');
    await world.engine.until(END + DAY);
    expect(await world.outcome(gig)).toMatchObject({ four: 'awarded' });
    expect(await world.sums(gig)).toEqual([5n, 0n]);
  });

  test('behavior: a refusal that is reopened after its round was divided falls into the next one', async () => {
    const gig = await world.gig({ gigType: 'reply', rule: SPLIT, rewardAmount: 100n, holdMs: HOUR });
    world.reply('one', 'a reply with enough letters');
    const gone = world.reply('two', 'another reply with letters');
    await world.engine.until(START + HOUR);
    world.act({ who: 'two', kind: 'delete', post: gone.id });
    await world.engine.until(START + 14 * HOUR);
    expect(await world.outcome(gig)).toEqual({ one: 'awarded', two: 'withdrawn' });
    world.reply('two', 'one more reply with letters', START + HOUR);
    await world.engine.until(END + DAY);
    expect(await world.outcome(gig)).toEqual({ one: 'awarded', two: 'awarded' });
    expect(await world.sums(gig)).toEqual([100n, 0n]);
  });

  test('security: tips by request get nothing of what is reserved, and dividing too early or twice changes nothing', async () => {
    const ids = world.people('one', 'two');
    const gig = await world.gig({ rule: SPLIT, rewardAmount: 100n, holdMs: HOUR });
    world.likes('one', 'two');
    const { deps } = world.engine;
    const payout = roundsPayout({ roundMs: 12 * HOUR, maxAmount: 100n * E18, weightOf: () => 1n });
    const paying = { gig, payout, holdMs: HOUR };
    await world.engine.work();
    expect(await world.outcome(gig)).toEqual({ one: 'held', two: 'held' });
    expect(await divideRound(deps, paying, 1)).toBeNull();
    await world.untilDivided(gig);
    expect(await world.sums(gig)).toEqual([0n, 50n]);
    expect(await world.outcome(gig)).toEqual({ one: 'eligible', two: 'eligible' });
    expect(await divideRound(deps, paying, 1)).toBeNull();
    expect(await divideRound(deps, paying, 2)).toBeNull();
    expect(await world.sums(gig)).toEqual([0n, 50n]);
    const handOut = () => handOutShares(deps, gig.id, payout.maxAmount);
    const handed = await Promise.all([handOut(), handOut()]);
    expect(handed.toSorted()).toEqual([0, 2]);
    expect(await world.sums(gig)).toEqual([50n, 0n]);
    for (const id of ids) expect(await amountOf(gig, id)).toBe(25n);
  });
});

test('behavior: weighted shares follow score and reach as they were when the account was settled', async () => {
  const rule: Rule = { type: 'weighted', by: 'score_reach', roundMs: DAY, maxAmount: 10n ** 6n };
  const small = world.person('small', { score: 0.6, followers: 1 });
  const large = world.person('large', { score: 0.9, followers: 1_023 });
  const gig = await world.gig({ rule, rewardAmount: 10n ** 6n, holdMs: HOUR });
  world.likes('small', 'large');
  await world.engine.until(END + DAY);
  // 600,000 × 2 bits and 900,000 × 11 bits of 11,100,000.
  expect(await amountOf(gig, small)).toBe(108_108n);
  expect(await amountOf(gig, large)).toBe(891_891n);
  expect(await world.sums(gig)).toEqual([999_999n, 0n]);
});

test.each([0n, -1n])('error: awards of which one is %s base units are not given', async (amount) => {
  const gig = await world.gig({ rule: SPLIT, rewardAmount: 100n, holdMs: HOUR });
  world.likes('one', 'two');
  await world.untilDivided(gig);
  const earnings = await world.store.earnings({ gigId: gig.id, limit: 2 });
  const awards = earnings.map((earning, index) => ({ earning, amount: index === 0 ? 1n : amount }));
  const give = world.store.transaction(async (tx) => {
    const commanded = await commandGig(tx, { gigId: gig.id, actor: ENGINE, act: 'award' });
    await giveTips(tx, commanded, { awards, now: world.clock.now });
  });
  await expect(give).rejects.toThrow(`an award of gig ${gig.id} is not positive`);
});
