import { describe, expect, test } from 'vitest';
import type { Verifiers } from '../../../src/domain/earning/payouts/verifier.ts';
import type { Rule } from '../../../src/domain/earning/rules/index.ts';
import type { GigType } from '../../../src/domain/gigs/gig.ts';
import { openTestStore } from '../../support/database.ts';
import { stepOfWalk } from '../../support/extent.ts';
import { Crash, crashing } from './crash.ts';
import { CROWD_POST, createCrowd } from './crowd.ts';
import { deciding } from './deciding.ts';
import { createEngine, type Engine, type SetClock } from './engine.ts';
import { HOUR, MINUTE, openGig, START } from './gigs.ts';

type Stop = Parameters<typeof crashing>[1];

const STEP = stepOfWalk();

const FIXED: Rule = { type: 'fixed', amount: 40n };

/**
 * Two hours of a gig for 100 that pays 40 for each act, unless its rule says otherwise: five act in time, one of them
 * takes it back.
 */
async function live(options: {
  kind: 'like' | 'reply' | 'submission';
  rule?: Rule;
  verifiers?: Verifiers;
  stop: Stop;
}) {
  const { kind, rule = FIXED, verifiers, stop } = options;
  const { store, close } = await openTestStore();
  const clock: SetClock = { now: START };
  const crowd = createCrowd(clock, { pageSize: 2, bulk: 2 });
  const gigType: GigType = kind === 'submission' ? 'custom_bounty' : kind;
  const terms = { gigType, verifier: 'asked', duration: 2 * HOUR, rewardAmount: 100n, rule, holdMs: HOUR };
  const gig = await openGig(store, { ...terms, target: CROWD_POST });
  const dying = crashing(store, stop);
  let engine: Engine = createEngine({ store: dying, clock, reader: crowd.reader, verifiers });
  let crashes = 0;

  async function until(time: number): Promise<void> {
    try {
      await engine.until(time);
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      crashes += 1;
      engine = createEngine({ store, clock, reader: crowd.reader, verifiers });
      await engine.until(time);
    }
  }

  try {
    // Time enough between two things for a lease of the dead to end.
    for (const id of ['14', '11', '12', '13', '15', ...(kind === 'submission' ? ['16'] : [])]) {
      await until(clock.now + 3 * MINUTE);
      crowd.act(kind, id);
    }
    await until(START + 40 * MINUTE);
    crowd.undo(kind, '12');
    await until(START + 4 * HOUR);
    const found = await store.earnings({ gigId: gig.id, limit: 10 });
    // Not by arrival, which a crash may change among acts of one look.
    const earnings = found.toSorted((a, b) => Number(a.platformUserId) - Number(b.platformUserId));
    const awards = await Promise.all(
      earnings.map(async (earning) => {
        const { platformUserId: id, state, reason, amount, tipId } = earning;
        const evaluations = await store.evaluations(gig.id, earning);
        const awarded = evaluations.filter((each) => each.state === 'awarded').length;
        const { tips } = await store.pendingTips([earning]);
        return { id, state, reason, amount, awarded, tips: tips.map((tip) => tip.id === tipId && tip.amount) };
      }),
    );
    const watch = await store.watch(gig.id);
    const after = await store.gig(gig.id);
    const sums = {
      earned: await store.earnedAmount(gig.id),
      awarded: after?.awardedAmount,
      reserved: after?.reservedAmount,
    };
    const open = await store.openBatch(gig.id);
    const outcome = { awards, ...sums, open, isOver: watch?.overAt !== null };
    return { outcome, transactions: dying.transactions(), crashes };
  } finally {
    await close();
  }
}

describe.each([
  ['like', 'after'],
  ['reply', 'before'],
] as const)('a %s gig', (kind, when) => {
  test(`security: whenever the process dies ${when} a commit, the gig ends as if it had not`, async () => {
    const calm = await live({ kind, stop: null });
    expect(calm.outcome).toMatchObject({ earned: 80n, awarded: 80n, isOver: true });
    expect(calm.outcome.awards.map(({ id, state, reason }) => `${id} ${reason ?? state}`).toSorted()).toEqual([
      '11 awarded',
      '12 withdrawn',
      '13 awarded',
      // Every seventh account has a low score.
      '14 score_too_low',
      '15 reward_used_up',
    ]);
    for (let at = 1; at <= calm.transactions; at += STEP) {
      const { outcome, crashes } = await live({ kind, stop: { at, when } });
      expect({ at, crashes, ...outcome }).toEqual({ at, crashes: 1, ...calm.outcome });
    }
  });
});

test('security: whenever the process dies at a commit, a gig with rounds ends as if it had not', async () => {
  const rule: Rule = { type: 'split', roundMs: HOUR, maxAmount: 100n };
  const calm = await live({ kind: 'like', rule, stop: null });
  expect(calm.outcome).toMatchObject({ earned: 48n, awarded: 48n, reserved: 0n, isOver: true });
  expect(calm.outcome.awards.map(({ id, state, reason, amount }) => `${id} ${reason ?? state} ${amount}`)).toEqual([
    '11 awarded 16',
    '12 withdrawn null',
    '13 awarded 16',
    // Every seventh account has a low score.
    '14 score_too_low null',
    '15 awarded 16',
  ]);
  for (let at = 1; at <= calm.transactions; at += STEP) {
    const when = at % 2 === 0 ? 'before' : 'after';
    const { outcome, crashes } = await live({ kind: 'like', rule, stop: { at, when } });
    expect({ at, crashes, ...outcome }).toEqual({ at, crashes: 1, ...calm.outcome });
  }
});

test('security: whenever the process dies at a commit, a bounty ends as if it had not', async () => {
  const rule: Rule = { type: 'verifier', maxAmount: 50n };
  const verdicts: Record<string, object> = {
    '11': { award: '0.00000000000000004' },
    '12': { wait_seconds: 3_600 },
    '13': { award: '0.00000000000000004' },
    // More than is left.
    '15': { award: '0.00000000000000003' },
    '16': { refuse: 'no good' },
  };
  const verifiers = () => deciding(({ platformUserId }) => verdicts[platformUserId]).verifiers;
  const calm = await live({ kind: 'submission', rule, verifiers: verifiers(), stop: null });
  expect(calm.outcome).toMatchObject({ earned: 80n, awarded: 80n, reserved: 0n, open: null, isOver: true });
  expect(calm.outcome.awards.map(({ id, state, reason, amount }) => `${id} ${reason ?? state} ${amount}`)).toEqual([
    '11 awarded 40',
    '12 withdrawn null',
    '13 awarded 40',
    // Every seventh account has a low score.
    '14 score_too_low null',
    '15 reward_used_up null',
    '16 verifier_refused null',
  ]);
  for (let at = 1; at <= calm.transactions; at += STEP) {
    const when = at % 2 === 0 ? 'before' : 'after';
    const { outcome, crashes } = await live({ kind: 'submission', rule, verifiers: verifiers(), stop: { at, when } });
    expect({ at, crashes, ...outcome }).toEqual({ at, crashes: 1, ...calm.outcome });
  }
});

test('security: whenever the process dies at a commit, a raffle is drawn once, for as many as without', async () => {
  const rule: Rule = { type: 'raffle', winners: 2 };
  // The block that decides is a later one when the entrants are fixed later, so who wins may differ.
  const told = ({ awards, ...rest }: Awaited<ReturnType<typeof live>>['outcome']) => ({
    ...rest,
    awards: awards.map(({ state, reason, amount, tips }) => `${reason ?? state} ${amount} ${tips}`).toSorted(),
  });
  const calm = await live({ kind: 'like', rule, stop: null });
  expect(told(calm.outcome)).toEqual({
    earned: 100n,
    awarded: 100n,
    reserved: 0n,
    open: null,
    isOver: true,
    // Every seventh account has a low score.
    awards: ['awarded 50 50', 'awarded 50 50', 'not_drawn null ', 'score_too_low null ', 'withdrawn null '],
  });
  for (let at = 1; at <= calm.transactions; at += STEP) {
    const when = at % 2 === 0 ? 'before' : 'after';
    const { outcome, crashes } = await live({ kind: 'like', rule, stop: { at, when } });
    expect({ at, crashes, ...told(outcome) }).toEqual({ at, crashes: 1, ...told(calm.outcome) });
  }
});
