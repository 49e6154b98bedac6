import { expect, test } from 'vitest';
import type { ActEvent } from '../../../src/domain/earning/act.ts';
import type { Rule } from '../../../src/domain/earning/rules/index.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { createActInbox } from '../../../src/services/earning/acts/receive-acts.ts';
import { prepareEnd } from '../../../src/services/ends/end-gig.ts';
import type { Ending } from '../../../src/services/ends/endings.ts';
import { settleDueGigs } from '../../../src/services/ends/settle-due-gigs.ts';
import { carryOut } from '../../../src/services/prepared.ts';
import { outcomeOf } from '../../support/outcomes.ts';
import { perCase, storePerCase } from '../../support/per-case.ts';
import { CROWD_POST, createCrowd } from '../earning/crowd.ts';
import { createEngine, type SetClock } from '../earning/engine.ts';
import { DAY, E18, type EarnedGig, END, HOUR, MINUTE, openGig, START } from '../earning/gigs.ts';
import { keepLog, keepSteps } from '../fakes.ts';

const { store } = storePerCase();
const clock = perCase((): SetClock => ({ now: START }));
const crowd = perCase(() => createCrowd(clock));
const engine = perCase(() => createEngine({ store, clock, reader: crowd.reader }));

const open = (gig: Partial<EarnedGig> = {}) => openGig(store, { target: CROWD_POST, ...gig });
const end = ({ id: gigId }: Gig, ending: Ending) =>
  carryOut({ store, clock: () => clock.now }, prepareEnd({ gigId, ending, actor: COMMAND_LINE, holder: 'end' }));
const settle = () => settleDueGigs({ store, clock: () => clock.now, ...keepSteps() });

const outcome = (gig: Gig) => outcomeOf(store, gig);

/** Time goes on until everything about a gig is decided; when that was. */
async function finish({ id }: Gig): Promise<number> {
  await engine.until(END + 2 * DAY);
  const overAt = (await store.watch(id))?.overAt ?? null;
  if (overAt === null) throw new Error('the gig is not over');
  return overAt;
}

test('behavior: what was done before a stop earns when its hold is over, what is done after it does not', async () => {
  const gig = await open();
  await engine.until(START + HOUR);
  crowd.act('like', '11');
  await engine.until(START + 6 * HOUR);
  await end(gig, 'stop');
  await engine.until(clock.now + 5 * MINUTE);
  crowd.act('like', '12');
  const overAt = await finish(gig);
  expect(await outcome(gig)).toEqual({ 11: 10n * E18, 12: 'after_end' });
  expect(overAt).toBeLessThan(END);
  await settle();
  expect(await store.gig(gig.id)).toMatchObject({ awardedAmount: 10n * E18, settledAt: END + 2 * DAY });
});

test('behavior: a stop while a step is under way is heeded by the next one, at once', async () => {
  const gig = await open();
  await engine.until(START + HOUR);
  crowd.act('like', '11');
  const { readActs } = crowd.reader;
  let isStopped = false;
  const reader: typeof crowd.reader = {
    ...crowd.reader,
    async readActs(query) {
      if (!isStopped) await end(gig, 'stop');
      isStopped = true;
      return await readActs(query);
    },
  };
  const stopping = createEngine({ store, clock, reader });
  clock.now = (await store.watch(gig.id))?.nextAt ?? clock.now;
  const stoppedAt = clock.now;
  await stopping.step();
  expect(isStopped).toBe(true);
  expect(await store.watch(gig.id)).toMatchObject({ stoppedAt, nextAt: stoppedAt });
  const overAt = await finish(gig);
  expect(await outcome(gig)).toEqual({ 11: 10n * E18 });
  expect(overAt).toBeLessThan(stoppedAt + 13 * HOUR);
});

test('behavior: the round in which a gig is stopped ends then, and those after it are never divided', async () => {
  const rule: Rule = { type: 'split', roundMs: 6 * HOUR, maxAmount: 100n * E18 };
  const gig = await open({ rule, holdMs: HOUR });
  await engine.until(START + HOUR);
  crowd.act('like', '11');
  await engine.until(START + 7.5 * HOUR);
  expect(await outcome(gig)).toEqual({ 11: 25n * E18 });
  crowd.act('like', '12');
  await engine.until(START + 8 * HOUR);
  const due = async () => (await store.earning(gig.id, { platform: 'farcaster', platformUserId: '12' }))?.dueAt;
  expect(await due()).toBe(START + 13 * HOUR);
  await end(gig, 'stop');
  expect(await due()).toBe(START + 9 * HOUR);
  await engine.until(clock.now + 5 * MINUTE);
  crowd.act('like', '13');
  const overAt = await finish(gig);
  expect(await outcome(gig)).toEqual({ 11: 25n * E18, 12: 25n * E18, 13: 'after_end' });
  expect(overAt).toBeLessThan(START + 12 * HOUR);
  expect(await store.lastRound(gig.id)).toMatchObject({ number: 2, state: 'over' });
  expect(await store.gig(gig.id)).toMatchObject({ awardedAmount: 50n * E18, reservedAmount: 0n });
});

test('behavior: a gig that is stopped before it begins is over without an act', async () => {
  const gig = await open({ startTime: START + DAY });
  await engine.until(START + HOUR);
  await end(gig, 'stop');
  crowd.act('like', '11');
  const overAt = await finish(gig);
  expect(Object.values(await outcome(gig)).filter((each) => each !== 'after_end' && each !== 'before_start')).toEqual(
    [],
  );
  expect(overAt).toBeLessThan(START + DAY);
  await settle();
  expect(await store.gig(gig.id)).toMatchObject({ awardedAmount: 0n, settledAt: expect.any(Number) });
});

test('behavior: a raffle that is stopped is drawn among those who had entered', async () => {
  const gig = await open({ rule: { type: 'raffle', winners: 1 }, rewardAmount: 100n, holdMs: HOUR });
  await engine.until(START + HOUR);
  for (const id of ['11', '12']) crowd.act('like', id);
  await engine.until(START + 3 * HOUR);
  await end(gig, 'stop');
  await engine.until(clock.now + 5 * MINUTE);
  crowd.act('like', '13');
  const overAt = await finish(gig);
  const { 13: late, ...entered } = await outcome(gig);
  expect(late).toBe('after_end');
  expect(Object.values(entered).map(String).toSorted()).toEqual(['100', 'not_drawn']);
  expect(await store.draw(gig.id)).toMatchObject({ state: 'drawn', fixed: { entrants: 2 } });
  expect(overAt).toBeLessThan(END);
});

test('behavior: webhooks tell of a stopped gig until what is seen counts no more; a later act earns nothing', async () => {
  const gig = await open();
  const { storeActs: inbox } = createActInbox({ store, clock: () => clock.now, log: keepLog().log });
  const like = (accountId: string): ActEvent => ({
    kind: 'act',
    platform: 'farcaster',
    act: { kind: 'like', accountId, username: null, objectId: '', actedAt: clock.now, text: null },
    isUndone: false,
    towards: [{ kind: 'post', id: '0xab' }],
  });
  await engine.until(START + HOUR);
  crowd.act('like', '11');
  expect(await inbox([like('11')])).toBe(1);
  clock.now += 500;
  // The list of watched gigs is still remembered.
  await end(gig, 'stop');
  crowd.act('like', '12');
  expect(await inbox([like('12')])).toBe(1);
  clock.now += 5 * MINUTE;
  crowd.act('like', '13');
  expect(await inbox([like('13')])).toBe(1);
  clock.now += 5 * MINUTE;
  expect(await inbox([like('15')])).toBe(0);
  await finish(gig);
  expect(await outcome(gig)).toEqual({ 11: 10n * E18, 12: 'after_end', 13: 'after_end' });
  await settle();
  expect(await inbox([like('16')])).toBe(0);
});

test('security: a gig is not settled early while an account is held, a share is handed out or a sweep is to come', async () => {
  const gig = await open();
  await engine.until(START + HOUR);
  crowd.act('like', '11');
  await engine.until(START + 2 * HOUR);
  await expect(end(gig, 'settle')).rejects.toMatchObject({ refusal: { code: 'gig_not_settleable', why: 'running' } });
  await end(gig, 'stop');
  const undecided = { refusal: { code: 'gig_not_settleable', why: 'undecided' } };
  await expect(end(gig, 'settle')).rejects.toMatchObject(undecided);
  await engine.until(START + 3 * HOUR);
  await expect(end(gig, 'settle')).rejects.toMatchObject(undecided);
  await settle();
  expect((await store.gig(gig.id))?.settledAt).toBeNull();
  await finish(gig);
  expect(await end(gig, 'settle')).toMatchObject({ settledAt: clock.now, awardedAmount: 10n * E18 });
  await expect(end(gig, 'settle')).rejects.toMatchObject({ refusal: { why: 'settled' } });
});

test.each<[string, Rule, string]>([
  ['the same for each', { type: 'fixed', amount: 10n * E18 }, 'reward_used_up'],
  ['shares', { type: 'split', roundMs: 6 * HOUR, maxAmount: 100n * E18 }, 'share_too_small'],
  ['a raffle', { type: 'raffle', winners: 1 }, 'share_too_small'],
])('security: after a refund was found on the chain, %s awards nothing more', async (_what, rule, reason) => {
  const gig = await open({ rule, holdMs: HOUR });
  await engine.until(START + HOUR);
  crowd.act('like', '11');
  await engine.until(START + 1.5 * HOUR);
  // An older ledger, in which the gig still runs, takes the refund of the newer one.
  expect(await store.transaction((tx) => tx.markRefunded(gig.id, clock.now))).toBe(true);
  await finish(gig);
  expect(await outcome(gig)).toEqual({ 11: reason });
  await settle();
  expect(await store.gig(gig.id)).toMatchObject({ awardedAmount: 0n, settledAt: expect.any(Number) });
  expect(await store.gigsToRefund({ settledBy: clock.now, after: 0, limit: 9 })).toEqual([]);
});
