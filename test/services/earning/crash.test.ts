import { expect, test } from 'vitest';
import type { Verifiers } from '../../../src/domain/earning/payouts/verifier.ts';
import type { Rule } from '../../../src/domain/earning/rules/index.ts';
import type { GigType } from '../../../src/domain/gigs/gig.ts';
import { openTestStore } from '../../support/database.ts';
import { stepOfWalk } from '../../support/extent.ts';
import { seedAddress } from '../../support/store.ts';
import { Crash, crashing } from './crash.ts';
import { CROWD_ACCOUNT, CROWD_POST, createCrowd } from './crowd.ts';
import { deciding } from './deciding.ts';
import { createEngine, type Engine, type SetClock } from './engine.ts';
import { HOUR, MINUTE, openGig, START } from './gigs.ts';
import { createHolders, holdRule, join } from './holders.ts';

interface Lives {
  readonly kind: 'like' | 'reply' | 'submission';
  readonly rule?: Rule;
  /** Those of one life. */
  readonly verifiers?: () => Verifiers;
  readonly stop: Parameters<typeof crashing>[1];
}

const STEP = stepOfWalk();

const FIXED: Rule = { type: 'fixed', amount: 40n };

/**
 * Two hours of a gig for 100 that pays 40 for each act, unless its rule says otherwise: five act in time, one of them
 * takes it back.
 */
async function live({ kind, rule = FIXED, stop, ...options }: Lives) {
  const verifiers = options.verifiers?.();
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

type Outcome = Awaited<ReturnType<typeof live>>['outcome'];

/** Lives once without a crash, and once with each: all end the same, as far as is told. @returns the calm end */
async function endsTheSame(
  lives: Omit<Lives, 'stop'>,
  { when, told = (outcome) => outcome }: { when?: 'before' | 'after'; told?: (outcome: Outcome) => object } = {},
): Promise<Outcome> {
  const calm = await live({ ...lives, stop: null });
  for (let at = 1; at <= calm.transactions; at += STEP) {
    const stop = { at, when: when ?? (at % 2 === 0 ? 'before' : 'after') };
    const { outcome, crashes } = await live({ ...lives, stop });
    expect({ at, crashes, ...told(outcome) }).toEqual({ at, crashes: 1, ...told(calm.outcome) });
  }
  return calm.outcome;
}

const awardsOf = ({ awards }: Outcome) =>
  awards.map(({ id, state, reason, amount }) => `${id} ${reason ?? state} ${amount}`);
// Every seventh account has a low score.
const LOW = '14 score_too_low null';

test.each([
  ['like', 'after'],
  ['reply', 'before'],
] as const)('security: whenever the process dies, a %s gig ends as if it had not: %s a commit', async (kind, when) => {
  const calm = await endsTheSame({ kind }, { when });
  expect(calm).toMatchObject({ earned: 80n, awarded: 80n, isOver: true });
  const awards = ['11 awarded 40', '12 withdrawn null', '13 awarded 40', LOW, '15 reward_used_up null'];
  expect(awardsOf(calm)).toEqual(awards);
});

test('security: whenever the process dies at a commit, a gig with rounds ends as if it had not', async () => {
  const calm = await endsTheSame({ kind: 'like', rule: { type: 'split', roundMs: HOUR, maxAmount: 100n } });
  expect(calm).toMatchObject({ earned: 48n, awarded: 48n, reserved: 0n, isOver: true });
  expect(awardsOf(calm)).toEqual(['11 awarded 16', '12 withdrawn null', '13 awarded 16', LOW, '15 awarded 16']);
});

test('security: whenever the process dies at a commit, a bounty ends as if it had not', async () => {
  const verdicts: Record<string, object> = {
    '11': { award: '0.00000000000000004' },
    '12': { wait_seconds: 3_600 },
    '13': { award: '0.00000000000000004' },
    // More than is left.
    '15': { award: '0.00000000000000003' },
    '16': { refuse: 'no good' },
  };
  const verifiers = () => deciding(({ platformUserId }) => verdicts[platformUserId]).verifiers;
  const calm = await endsTheSame({ kind: 'submission', rule: { type: 'verifier', maxAmount: 50n }, verifiers });
  expect(calm).toMatchObject({ earned: 80n, awarded: 80n, reserved: 0n, open: null, isOver: true });
  const first = ['11 awarded 40', '12 withdrawn null', '13 awarded 40', LOW];
  expect(awardsOf(calm)).toEqual([...first, '15 reward_used_up null', '16 verifier_refused null']);
});

test('security: whenever the process dies at a commit, a raffle is drawn once, for as many as without', async () => {
  // The block that decides is a later one when the entrants are fixed later, so who wins may differ.
  const told = ({ awards, ...rest }: Outcome) => ({
    ...rest,
    awards: awards.map(({ state, reason, amount, tips }) => `${reason ?? state} ${amount} ${tips}`).toSorted(),
  });
  const calm = await endsTheSame({ kind: 'like', rule: { type: 'raffle', winners: 2 } }, { told });
  expect(told(calm)).toEqual({
    earned: 100n,
    awarded: 100n,
    reserved: 0n,
    open: null,
    isOver: true,
    awards: ['awarded 50 50', 'awarded 50 50', 'not_drawn null ', 'score_too_low null ', 'withdrawn null '],
  });
});

/** Two hours of a gig that three enter, of whom one sells; as `live`. */
async function liveHolding(stop: Lives['stop']) {
  const { store, close } = await openTestStore();
  const clock: SetClock = { now: START };
  const crowd = createCrowd(clock, { bulk: 2 });
  const holders = createHolders(clock);
  const terms = { gigType: 'hold', duration: 2 * HOUR, rewardAmount: 100n, holdMs: 2 * HOUR } as const;
  const rule = holdRule({ type: 'split', roundMs: HOUR, maxAmount: 100n });
  const gig = await openGig(store, { ...terms, rule, target: CROWD_ACCOUNT });
  const dying = crashing(store, stop);
  const start = (of: typeof store) => createEngine({ store: of, clock, reader: crowd.reader, chain: holders });
  let [engine, crashes] = [start(dying), 0];
  /** Who has had no answer enters again. */
  async function orAgain(run: (of: typeof store) => Promise<unknown>): Promise<void> {
    try {
      await run(dying);
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      crashes += crashes === 0 ? 1 : 0;
      engine = start(store);
      await run(store);
    }
  }
  try {
    for (const id of ['11', '12', '13']) {
      holders.set(seedAddress(Number(id)), 100n);
      await orAgain(() => engine.until(clock.now + 3 * MINUTE));
      await orAgain((of) => join(of, clock, gig, id));
    }
    await orAgain(() => engine.until(START + 50 * MINUTE));
    holders.set(seedAddress(12), 0n);
    await orAgain(() => engine.until(START + 8 * HOUR));
    const earnings = await store.earnings({ gigId: gig.id, limit: 10 });
    const found = earnings.map(({ platformUserId: id, state, reason, amount }) => `${id} ${reason ?? state} ${amount}`);
    const blocks = earnings.map(({ facts }) => facts?.holding?.last?.block);
    const { awardedAmount: awarded = 0n } = (await store.gig(gig.id)) ?? {};
    const outcome = { found: found.toSorted(), isOneBlock: new Set(blocks).size === 1, awarded };
    return { outcome, transactions: dying.transactions(), crashes };
  } finally {
    await close();
  }
}

test.each(['before', 'after'] as const)(
  'security: whenever the process dies, a gig that is entered ends as if it had not: %s a commit',
  async (when) => {
    const calm = await liveHolding(null);
    const found = ['11 awarded 25', '12 too_little_held null', '13 awarded 25'];
    expect(calm.outcome).toEqual({ found, isOneBlock: true, awarded: 50n });
    for (let at = 1; at <= calm.transactions; at += STEP) {
      const { outcome, crashes } = await liveHolding({ at, when });
      expect({ at, crashes, outcome }).toEqual({ at, crashes: 1, outcome: calm.outcome });
    }
  },
);
