import { describe, expect, test } from 'vitest';
import { AdapterError } from '../../../src/domain/errors.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import type { Audit } from '../../../src/domain/payments/audit.ts';
import { type Reconciled, whyUnproved } from '../../../src/services/audits/reconcile.ts';
import type { RefundJobContext } from '../../../src/services/ends/context.ts';
import { createPauses, createRefundJob, findRefundWait, planRefund } from '../../../src/services/ends/plan-refund.ts';
import { perCase } from '../../support/per-case.ts';
import { ALICE } from '../cashier.ts';
import { noteSkip } from '../skips.ts';
import { BACK, DAY, FEE, HOUR, openEnds, REWARD } from './world.ts';

const ends = perCase(openEnds);
const silent = () => new AdapterError({ retry: 'safe', reason: 'unreachable', message: 'it does not answer' });

/** A gig whose refund is due, of which so much was awarded. */
async function due(awarded = 0n): Promise<Gig> {
  const gig = await ends.started();
  if (awarded > 0n) await ends.award(gig, ALICE.platformUserId, awarded);
  for (const ending of ['stop', 'settle'] as const) await ends.end(gig, ending);
  ends.advance(72 * HOUR);
  return gig;
}

describe('what a refund waits for', () => {
  const waitOf = async ({ id }: Gig, now: number, isApproved = false) =>
    await findRefundWait(ends.store, await ends.gigOf(id), { now, delayMs: 72 * HOUR, isApproved });

  test('security: in a ledger that may have lost tips it is the operator, once the time for awards is over', async () => {
    const gig = await ends.started({ awardDays: 1 });
    await noteSkip(ends.store, { first: gig.id + 1, last: gig.id + 1, reason: 'ahead' });
    const { endTime } = await ends.gigOf(gig.id);
    const before = [endTime - 1, endTime, endTime + DAY - 1];
    expect(await Promise.all(before.map((now) => waitOf(gig, now)))).toEqual(Array(3).fill('not_settled'));
    expect(await waitOf(gig, endTime + DAY)).toBe('restored');
    ends.advance(endTime + DAY - ends.clock());
    await ends.end(gig, 'settle');
    const at = endTime + DAY + 72 * HOUR;
    expect([await waitOf(gig, at - 1), await waitOf(gig, at)]).toEqual(['delay', 'restored']);
    expect(await waitOf(gig, at, true)).toBeNull();
  });

  test('security: a freeze that begins after the comparison keeps it waiting', async () => {
    const gig = await due();
    const reconcile = async (gigId: number) => {
      const found = await ends.refunding.reconcile(gigId);
      await ends.store.transaction((tx) => tx.freezeByOperator(gigId, 'look first'));
      return found;
    };
    const refund = planRefund({ ...ends.refunding, reconcile }, { gigId: gig.id, actor: COMMAND_LINE });
    expect(await refund).toEqual({ kind: 'waits', why: 'frozen', detail: null });
  });

  test.each([
    [false, 'unproved'],
    [true, 'frozen'],
  ])(
    'error: a chain that does not tell what was paid is the reason, of a frozen gig (%s) the freeze',
    async (isFrozen, why) => {
      const gig = await due();
      if (isFrozen) await ends.store.transaction((tx) => tx.freezeByOperator(gig.id, 'look first'));
      const learnPaid = () => Promise.reject(silent());
      const refund = planRefund({ ...ends.refunding, learnPaid }, { gigId: gig.id, actor: COMMAND_LINE });
      expect(await refund).toEqual({ kind: 'waits', why, detail: 'it does not answer' });
    },
  );

  test.each<[string, Partial<Reconciled>, string | null]>([
    ['its chain is silent', { error: 'it is away' }, 'it is away'],
    ['all is proved', { audit: { problems: [], unproved: [] } as unknown as Audit }, null],
    ['the operator froze it', { audit: { problems: [], unproved: [] } as unknown as Audit, frozen: 'look' }, 'look'],
    ['some is unproved', { audit: { problems: [], unproved: ['a', 'b'] } as unknown as Audit, frozen: 'x' }, 'a; b'],
    ['it is wrong', { audit: { problems: ['a', 'b'], unproved: ['c'] } as unknown as Audit }, 'a; b; c'],
  ])('security: the books of a gig are not proved when %s', (_, found, why) => {
    const nothing = { gig: {} as Gig, audit: null, error: null, frozen: null, change: null };
    expect(whyUnproved({ ...nothing, ...found })).toBe(why);
  });
});

describe('a refund that is planned', () => {
  test('security: is in the audit, and is planned once, also while its chain is silent', async () => {
    const gig = await due(300n);
    const payment = { gigId: gig.id, kind: 'refund', place: null, claimId: null, recipient: BACK, amount: 700n };
    expect(await ends.refund(gig, true)).toMatchObject({ kind: 'planned', payment });
    const [entry] = await ends.store.auditEvents({ gigId: gig.id, limit: 1 });
    expect(entry).toMatchObject({ action: 'gig.refund', subjectId: String(gig.id), at: ends.clock() });
    const detail = { amount: '700', recipient: BACK, awarded: '300', approved: true };
    expect(JSON.parse(entry?.detail ?? '')).toEqual(detail);
    ends.faults.isDown = true;
    expect(await ends.refund(gig)).toEqual({ kind: 'planned_before' });
  });
});

describe('the job that plans refunds', () => {
  /** A job, with what it has asked and woken. */
  function openJob(change: Partial<RefundJobContext> = {}) {
    const [asked, woken]: [number[], number[]] = [[], []];
    const { reconcile } = ends.refunding;
    const answers = { reconcile };
    const job = createRefundJob({
      ...ends.refunding,
      log: ends.bank.deps.log,
      wake: (chainId) => woken.push(chainId),
      reconcile: (gigId) => {
        asked.push(gigId);
        return answers.reconcile(gigId);
      },
      ...change,
    });
    return { job, asked, woken, answers };
  }

  /** Shows that the job asks again after so long, and not before. */
  async function expectPause({ job, asked }: ReturnType<typeof openJob>, ms: number): Promise<void> {
    const before = asked.length;
    ends.advance(ms - 1);
    await job();
    expect(asked).toHaveLength(before);
    ends.advance(1);
    await job();
    expect(asked).toHaveLength(before + 1);
  }

  test('behavior: looks again after a minute, then after twice as long, and wakes the sender of its chain', async () => {
    const gig = await due();
    const opened = openJob();
    const { job, woken, answers } = opened;
    const { reconcile } = answers;
    answers.reconcile = async (gigId) => ({ ...(await reconcile(gigId)), audit: null, error: 'not now' });
    await job();
    for (const ms of [60_000, 120_000]) await expectPause(opened, ms);
    answers.reconcile = reconcile;
    await expectPause(opened, 240_000);
    expect(woken).toEqual([gig.token.chainId]);
    expect((await ends.gigOf(gig.id)).refundedAt).toBe(ends.clock());
  });

  test('error: looks again after an hour at a gig whose chain fails, and gives up for a fault of ours', async () => {
    await due();
    const opened = openJob();
    opened.answers.reconcile = () => Promise.reject(silent());
    await opened.job();
    await expectPause(opened, HOUR);
    opened.answers.reconcile = () => Promise.reject(new TypeError('ours'));
    ends.advance(HOUR);
    await expect(opened.job()).rejects.toThrow('ours');
  });

  test('behavior: wakes nobody where all of the reward is awarded', async () => {
    const gig = await due(REWARD);
    const { job, woken } = openJob();
    await job();
    expect((await ends.gigOf(gig.id)).refundedAt).toBe(ends.clock());
    expect(woken).toEqual([]);
    expect(ends.heldBy(gig.walletAddress)).toBe(REWARD);
    expect(await ends.store.payments({ limit: 9 })).toMatchObject([{ kind: 'fee', amount: FEE }]);
  });

  test('behavior: reads page after page, and leaves alone what cannot be refunded', async () => {
    const pages = [Array.from({ length: 100 }, (_, each) => each + 1_000), [1_100]];
    const queries: object[] = [];
    const gigsToRefund = async (query: object) => {
      queries.push(query);
      return pages.shift() ?? [];
    };
    await openJob({ store: Object.assign(Object.create(ends.store), { gigsToRefund }) }).job();
    const settledBy = ends.clock() - 72 * HOUR;
    expect(queries).toEqual([0, 1_099].map((after) => ({ settledBy, after, limit: 100 })));
  });
});

test('behavior: a pause is twice as long as the one before, up to the longest, and begins anew once it is forgotten', () => {
  const pauses = createPauses({ firstMs: 60, longestMs: 200 });
  let now = 1_000;
  const begun = (ms: number) => {
    expect([now - 1, now, now + ms - 1, now + ms].map((at) => pauses.has(1, at))).toEqual([false, true, true, false]);
    expect(pauses.has(2, now)).toBe(false);
    now += ms;
  };
  for (const ms of [60, 120, 200, 200]) {
    pauses.begin(1, now);
    begun(ms);
  }
  pauses.forget(1);
  expect(pauses.has(1, now - 1)).toBe(false);
  pauses.begin(1, now);
  begun(60);
  pauses.begin(1, now, { isLongest: true });
  begun(200);
});
