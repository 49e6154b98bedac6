import { describe, expect, test } from 'vitest';
import { closesAt } from '../../../../src/domain/earning/due.ts';
import type { DrawStep } from '../../../../src/domain/earning/payouts/draw-step.ts';
import { payoutOf } from '../../../../src/domain/earning/rules/index.ts';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import type { WatchContext, WatchedGig } from '../../../../src/services/earning/context.ts';
import { closeDraw, drawRaffle, drawWay, fixDraw } from '../../../../src/services/earning/ways/draw.ts';
import type { StoreTx } from '../../../../src/store/port/index.ts';
import { decideAs, sampleAccount, sampleAct, seedActs } from '../../../support/earning.ts';
import { outcomeOf } from '../../../support/outcomes.ts';
import { seedAddress, seedGig } from '../../../support/store.ts';
import { fault } from '../../fakes.ts';
import { DAY, HOUR, learnPayment, MINUTE } from '../gigs.ts';
import { rafflesPerCase } from '../raffles.ts';

const { store, clock, blocks, deps, enter, fix } = rafflesPerCase();

function wayFor(winners: number) {
  const payout = payoutOf({ type: 'raffle', winners });
  if (payout.by !== 'draw') throw new TypeError('a raffle is drawn');
  return drawWay(payout);
}
const take = (gig: Gig, kind: DrawStep['kind']) =>
  // Of a watched gig a draw reads no more.
  wayFor(2).take(deps, { gig } as WatchedGig, { kind });

/** The chain's block with the time of a draw has its confirmations by then. */
const letBlockCome = () => {
  clock.now += 2 * MINUTE;
};

async function entriesOf({ id: gigId }: Gig, action: string) {
  const entries = (await store.auditEvents({ gigId, limit: 99 })).filter((entry) => entry.action === action);
  return entries.map(({ actor, actorName, at, detail }) => [actor, actorName, at, JSON.parse(detail)]);
}

/** What is done in a transaction with other methods. */
const changed = (change: (tx: StoreTx) => Partial<StoreTx>): WatchContext => {
  const transaction: typeof store.transaction = (run, options) =>
    store.transaction((tx) => run(Object.assign(Object.create(tx), change(tx))), options);
  return { ...deps, store: { ...store, transaction } };
};

test('behavior: the chain is asked at the steps of which a draw says so', async () => {
  const gig = await enter([11, 12]);
  const asking: string[] = [];
  for (const kind of ['close_draw', 'fix_draw', 'draw', 'hand_out', 'refuse_others'] as const) {
    blocks.fail(fault('unreachable', 'safe'), 1);
    await take(gig, kind).catch(() => asking.push(kind));
    blocks.recover();
    await take(gig, kind);
    letBlockCome();
  }
  expect(wayFor(2).asksChain).toEqual(asking);
  expect(Object.values(await outcomeOf(store, gig))).toEqual([50n, 50n]);
});

test('behavior: a draw goes on step by step, at its times', async () => {
  const gig = await enter([11, 12, 13]);
  const rules = { rule: { type: 'raffle', winners: 2 }, holdMs: HOUR } as const;
  async function next() {
    const [first] = await store.awardable(gig.id, { limit: 1 });
    const watched = { gig, rules } as unknown as WatchedGig;
    const progress = await wayFor(2).progress(deps, watched, { first, isAnyHeld: false });
    const step = progress.afterReading?.({ now: clock.now, isDecided: true });
    return { step: step?.kind ?? null, isDone: progress.isDone, times: progress.times?.(clock.now) };
  }
  const waiting = { isDone: false, times: [closesAt(rules, gig)] };
  expect(await next()).toEqual({ ...waiting, step: 'close_draw' });
  await take(gig, 'close_draw');
  expect(await next()).toEqual({ ...waiting, step: 'fix_draw', times: [null] });
  await take(gig, 'fix_draw');
  const fixed = { ...waiting, times: [(await store.draw(gig.id))?.fixed?.notBefore] };
  expect(await next()).toEqual({ ...fixed, step: null });
  letBlockCome();
  for (const step of ['draw', 'hand_out', 'refuse_others'] as const) {
    expect(await next()).toEqual({ ...fixed, step });
    await take(gig, step);
  }
  expect(await next()).toEqual({ ...fixed, step: null, isDone: true });
});

describe('the end of a draw’s entries', () => {
  test('security: refuses who was paid, once, and keeps the others', async () => {
    const gig = await enter([11, 12]);
    await learnPayment(store, gig, { recipient: seedAddress(11), amount: 1n, now: clock.now });
    await closeDraw(deps, gig.id);
    expect(await outcomeOf(store, gig)).toEqual({ 11: 'same_address', 12: 'eligible' });
    await learnPayment(store, gig, { recipient: seedAddress(12), amount: 1n, now: clock.now });
    await closeDraw(deps, gig.id);
    expect(await store.draw(gig.id)).toMatchObject({ state: 'closed', fixed: null });
    expect(await outcomeOf(store, gig)).toMatchObject({ 12: 'eligible' });
  });

  test('security: waits for those who are held', async () => {
    const gig = await enter([11]);
    await seedActs(store, gig, [sampleAct(12)], { dueAt: clock.now });
    await closeDraw(deps, gig.id);
    expect(await store.draw(gig.id)).toMatchObject({ state: 'open' });
  });

  test('behavior: leaves nobody to join', async () => {
    const gig = await enter([11]);
    const joining = () =>
      store.transaction(async (tx) => (await wayFor(2).joining?.(tx, gig))?.({ rankedAt: 1, standing: null }));
    expect(await joining()).toBeNull();
    await closeDraw(deps, gig.id);
    expect(await joining()).toBe('after_end');
  });
});

describe('the fixing of entrants', () => {
  test('security: says under one hash who they are and which block decides, once, in the audit as well', async () => {
    const gig = await enter([11, 12]);
    await closeDraw(deps, gig.id);
    const fixedAt = clock.now;
    await take(gig, 'fix_draw');
    const { fixed } = (await store.draw(gig.id)) ?? {};
    const notBefore = fixedAt + MINUTE;
    expect(fixed).toEqual({
      entrants: 2,
      root: expect.stringMatching(/^[0-9a-f]{64}$/),
      rootVersion: 2,
      fixedAt,
      notBefore,
    });
    clock.now += 1;
    await fixDraw(deps, gig, 2);
    expect((await store.draw(gig.id))?.fixed).toEqual(fixed);
    const detail = { entrants: 2, root: fixed?.root, notBefore };
    expect(await entriesOf(gig, 'draw.fix')).toEqual([['job', 'earning', fixedAt, detail]]);
  });

  test.each([
    [600_000, null],
    [600_001, '600 s ahead of the clock'],
    [-DAY, null],
    [-DAY - 1, '86400 s behind the clock'],
  ])('security: is made while the newest block is %i ms ahead of the clock, or says %s', async (ms, apart) => {
    const gig = await enter([11]);
    await closeDraw(deps, gig.id);
    const newestBlock = async () => ({ ...blocks.at(clock.now), at: clock.now + ms });
    const reader = { ...deps.chains.reader(gig.token.chainId), newestBlock };
    const fixing = fixDraw({ ...deps, chains: { ...deps.chains, reader: () => reader } }, gig, 2);
    if (apart === null) await fixing;
    else {
      const message = `chain base: the time of its newest block is ${apart}, so no draw is fixed`;
      await expect(fixing).rejects.toMatchObject({ retry: 'safe', reason: 'bad_response', message });
    }
    const fixed = apart === null ? { notBefore: clock.now + Math.max(ms, 0) + MINUTE } : null;
    expect((await store.draw(gig.id))?.fixed ?? null).toEqual(fixed === null ? null : expect.objectContaining(fixed));
  });
});

test.each([
  [0, true],
  [20_000, true],
  [20_001, false],
  [-1, false],
])('security: a fixing that takes %i ms by the clock is kept: %s', async (ms, isKept) => {
  const gig = await enter([11]);
  await closeDraw(deps, gig.id);
  const entrants: typeof store.entrants = async (...query) => {
    const found = await store.entrants(...query);
    if (found.length > 0) clock.now += ms;
    return found;
  };
  const fixing = fixDraw({ ...deps, store: { ...store, entrants } }, gig, 2);
  const message = `gig ${gig.id}: its draw was not fixed within 20 s`;
  if (isKept) await fixing;
  else await expect(fixing).rejects.toMatchObject({ retry: 'safe', reason: 'timeout', message });
  expect((await store.draw(gig.id))?.state).toBe(isKept ? 'fixed' : 'closed');
});

describe('a draw', () => {
  test('security: that two instances make at the same time is one', async () => {
    const gig = await fix([11, 12]);
    letBlockCome();
    expect(await Promise.all([take(gig, 'draw'), take(gig, 'draw')])).toEqual([null, null]);
    expect(await entriesOf(gig, 'draw.draw')).toHaveLength(1);
  });

  test('security: reserves equal parts for the drawn in one round, once, in the audit as well', async () => {
    const gig = await fix([11, 12, 13], { rewardAmount: 101n });
    letBlockCome();
    const asked = blocks.asked();
    expect(await take(gig, 'draw')).toBeNull();
    const { notBefore = 0 } = (await store.draw(gig.id))?.fixed ?? {};
    const block = blocks.at(notBefore);
    expect(await store.draw(gig.id)).toMatchObject({ state: 'drawn', lot: { block, drawnAt: clock.now } });
    expect(await store.gig(gig.id)).toMatchObject({ reservedAmount: 100n, awardedAmount: 0n });
    expect(await store.lastRound(gig.id)).toMatchObject({ number: 1, pool: 101n, state: 'divided' });
    const detail = { block: String(block.number), pool: '101', winners: 2, reserved: '100' };
    expect(await entriesOf(gig, 'draw.draw')).toEqual([['job', 'earning', clock.now, detail]]);
    const winners = await store.drawWinners(gig.id);
    const members = (await store.earnings({ gigId: gig.id, limit: 9 })).filter(({ round }) => round !== null);
    expect(members.map(({ state, round, weight }) => [state, round, weight])).toEqual(
      Array(2).fill(['eligible', 1, 1n]),
    );
    clock.now += MINUTE;
    expect(await take(gig, 'draw')).toBeNull();
    expect(await store.drawWinners(gig.id)).toEqual(winners);
    expect(blocks.asked()).toBe(asked + 1);
    // Nobody is refused before the drawn have their parts.
    await take(gig, 'refuse_others');
    expect(Object.values(await outcomeOf(store, gig))).toEqual(Array(3).fill('eligible'));
    await take(gig, 'hand_out');
    // What was seen late is judged before.
    await seedActs(store, gig, [sampleAct(19)], { dueAt: clock.now });
    await take(gig, 'refuse_others');
    const outcome = async () =>
      Object.values(await outcomeOf(store, gig))
        .join()
        .split(',')
        .toSorted();
    expect(await outcome()).toEqual(['50', '50', 'eligible', 'held']);
    const late = { to: 'refused', reason: 'after_end' } as const;
    await store.transaction((tx) => decideAs(tx, gig, sampleAccount(19), late));
    await take(gig, 'refuse_others');
    expect(await outcome()).toEqual(['50', '50', 'after_end', 'not_drawn']);
  });

  test('error: waits for its block by looks, and for ten minutes until it says so', async () => {
    const gig = await fix([11, 12]);
    const { notBefore = 0 } = (await store.draw(gig.id))?.fixed ?? {};
    blocks.stop();
    for (const now of [notBefore, notBefore + 599_999]) {
      clock.now = now;
      expect(await take(gig, 'draw')).toBe(now + 15_000);
    }
    clock.now += 1;
    const message = 'chain base: no settled block has the time of the draw or a later one';
    await expect(take(gig, 'draw')).rejects.toMatchObject({ retry: 'safe', reason: 'not_found', message });
    expect(await store.draw(gig.id)).toMatchObject({ state: 'fixed' });
  });

  test('behavior: is none of a gig without one, and none before its entrants are fixed', async () => {
    const [open, manual] = [await enter([11]), await seedGig(store, { live: true })];
    expect(await drawRaffle(deps, open, 2)).toBeNull();
    expect(await drawRaffle(deps, manual, 2)).toBeNull();
    for (const kind of ['close_draw', 'refuse_others'] as const) expect(await take(manual, kind)).toBeNull();
    const join = await store.transaction(async (tx) => await wayFor(2).joining?.(tx, manual));
    expect(join?.({ rankedAt: 1, standing: null })).toBe('after_end');
    expect(blocks.asked()).toBe(0);
    const progress = wayFor(2).progress(deps, { gig: manual } as WatchedGig, { first: undefined, isAnyHeld: false });
    await expect(progress).rejects.toThrow(`gig ${manual.id} is a raffle without a draw`);
  });

  test('behavior: lets others have their turn after each twenty of the drawn', async () => {
    const ids = Array.from({ length: 45 }, (_, each) => 100 + each);
    const gig = await fix(ids, { winners: 45, rewardAmount: 4_500n });
    letBlockCome();
    const calls: string[] = [];
    const noting = changed((tx) => ({
      rest: async () => void calls.push('rest'),
      decideEarning: (...args) => {
        calls.push('decide');
        return tx.decideEarning(...args);
      },
    }));
    await drawRaffle(noting, gig, 45);
    const twenty = Array(20).fill('decide');
    expect(calls.slice(0, 47)).toEqual([...twenty, 'rest', ...twenty, 'rest', ...Array(5).fill('decide')]);
    expect(await store.gig(gig.id)).toMatchObject({ reservedAmount: 4_500n });
  });

  test.each<[string, Partial<StoreTx>]>([
    ['an entrant has no earning', { earning: async () => null }],
    ['is not eligible any more', { decideEarning: async () => false }],
  ])('security: is undone when %s', async (message, change) => {
    const gig = await fix([11, 12]);
    letBlockCome();
    await expect(
      drawRaffle(
        changed(() => change),
        gig,
        2,
      ),
    ).rejects.toThrow(message);
    expect(await store.draw(gig.id)).toMatchObject({ state: 'fixed' });
    expect(await store.gig(gig.id)).toMatchObject({ reservedAmount: 0n });
  });
});
