import { beforeEach, describe, expect, test, vi } from 'vitest';
import { TANK_IS_LOW } from '../../../src/domain/payments/payment.ts';
import { CONDITION_KINDS, findConditions } from '../../../src/services/operators/conditions/index.ts';
import { seedGigWithRules } from '../../support/earning.ts';
import { ALONE } from '../../support/instances.ts';
import { perCase, storePerCase } from '../../support/per-case.ts';
import { SEEDED_AT, sampleAttempt, seedAddress, seedFee, seedGig, seedSent } from '../../support/store.ts';
import { ANSWERED, fault } from '../fakes.ts';
import { createSurroundings, failingReads, LOW } from './looking.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const { store } = storePerCase();
const around = perCase(() => createSurroundings(store, { platforms: ['twitter'] }));
beforeEach(() => around.health.sent('twitter', ANSWERED));

/** What is wrong, by kind and subject, and what is unknown with a question mark. */
async function wrong(deps = around.deps): Promise<string[]> {
  const { found, unknown } = await findConditions(deps);
  return [
    ...found.map(({ kind, subject }) => `${kind} ${subject}`),
    ...unknown.map(({ kind, subject }) => `${kind} ${subject}?`),
  ];
}

const unknown = (kind: string) => `${kind} null?`;

/** Time passes, in which the chain answers. */
function pass(ms: number): void {
  around.advance(ms);
  around.state.answeredAt = around.clock();
}

const textOf = async (kind: string) =>
  (await findConditions(around.deps)).found.find((each) => each.kind === kind)?.text;

describe('what is wrong', () => {
  test('behavior: nothing, when all is well', async () => {
    expect(await wrong()).toEqual([]);
  });

  test('behavior: a gas tank that is low; before it was read that is unknown', async () => {
    around.state.tank = LOW;
    expect(await wrong()).toEqual(['gas_tank_low base']);
    around.state.tank = null;
    expect(await wrong()).toEqual(['gas_tank_low base?']);
    expect(await wrong({ ...around.deps, gasTank: null })).toEqual([]);
  });

  test('behavior: a chain that has not answered for three minutes; one that never has is unknown as long', async () => {
    around.advance(3 * MINUTE);
    expect(await wrong()).toEqual([]);
    around.advance(1);
    expect(await wrong()).toEqual(['chain_unreachable base']);
    around.state.answeredAt = null;
    expect(await wrong()).toEqual(['chain_unreachable base']);
    around.advance(-1);
    expect(await wrong()).toEqual(['chain_unreachable base?']);
  });

  test('behavior: an endpoint that is passed over, and none of a chain that has only one', async () => {
    const fault = { kind: 'behind', why: 'its newest block, 80, is 20 blocks behind another endpoint' } as const;
    around.state.endpoints = [
      { place: 1, name: 'endpoint 1 (one.example)', newest: 100n, fault: null },
      { place: 2, name: 'endpoint 2 (two.example)', newest: 80n, fault },
    ];
    expect(await wrong()).toEqual(['endpoint_passed_over base endpoint 2']);
    around.state.endpoints = [];
    expect(await wrong()).toEqual([]);
  });

  test('behavior: a platform that is paused; between the pause and the next try that is unknown', async () => {
    around.health.failed('twitter', fault('rate_limited', 'safe', 90_000));
    expect(await wrong()).toEqual(['platform_paused x']);
    pass(90_000);
    expect(await wrong()).toEqual(['platform_paused x?']);
    around.health.sent('twitter', ANSWERED);
    expect(await wrong()).toEqual([]);
    around.health.failed('twitter', fault('rate_limited', 'safe', 90_000));
    pass(90_000 + 15 * MINUTE);
    expect(await wrong()).toEqual(['platform_paused x?']);
    pass(1);
    expect(await wrong()).toEqual([]);
    const fresh = createSurroundings(store, { platforms: ['twitter'] });
    expect(await wrong(fresh.deps)).toEqual(['platform_paused x?']);
  });

  test('behavior: a clock that is off a chain’s, and one that was set back', async () => {
    const { chain } = around.deps.chains.list()[0] ?? {};
    if (chain === undefined) throw new Error('there is a chain');
    around.clocks.saw(chain, { number: 3n, at: around.clock() + 31_000 });
    expect(await wrong()).toEqual(['clock_off base']);
    around.clocks.saw(chain, { number: 4n, at: around.clock() });
    expect(await wrong()).toEqual([]);
    around.clocks.wasSetBack({ before: around.clock() + 2 * HOUR, now: around.clock() });
    expect(await wrong()).toEqual(['clock_off clock', 'clock_off base?']);
    around.clocks.saw(chain, { number: 5n, at: around.clock() });
    pass(2 * HOUR);
    expect(await wrong()).toEqual([]);
  });

  test('behavior: each gig that is frozen', async () => {
    const [a, b] = [await seedGig(store, { live: true }), await seedGig(store, { live: true })];
    await store.transaction((tx) => tx.freezeGig(a.id, { reason: 'it does not add up', now: SEEDED_AT }));
    await store.transaction((tx) => tx.freezeByOperator(b.id, 'the operator froze it: a dispute'));
    expect(await wrong()).toEqual(['gig_frozen gig 1', 'gig_frozen gig 2']);
  });

  test('behavior: payments that were planned an hour ago, planned or sent, with what holds each up', async () => {
    const fees = [];
    for (let each = 0; each < 4; each += 1) fees.push(await seedFee(store, await seedGig(store, { live: true })));
    const [low, sent, , frozen] = fees;
    const note = { reason: TANK_IS_LOW, dueAt: SEEDED_AT, now: SEEDED_AT };
    await store.transaction((tx) => tx.notePayment(low?.id ?? 0, note));
    await seedSent(store, [sent?.id ?? 0], { nonce: 0, attempt: sampleAttempt(1) });
    await store.transaction((tx) => tx.freezeByOperator(frozen?.gigId ?? 0, 'the operator froze it: x'));
    pass(HOUR - 1);
    expect(await wrong()).toEqual(['gig_frozen gig 4']);
    pass(1);
    expect(await wrong()).toEqual(['payments_late base', 'gig_frozen gig 4']);
    expect(await textOf('payments_late')).toBe(
      'Payments on base are late by more than an hour: 1 payment waits on base (gig 1): the gas tank is too low; ' +
        '1 payment waits on base (gig 3): planned more than 5 minutes ago; ' +
        '1 payment waits on base (gig 4): frozen; ' +
        '1 payment waits on base (gig 2): sent in a transaction that is not settled',
    );
  });

  test('behavior: payments that the endpoint of their chain keeps from being made', async () => {
    const { id } = await seedFee(store, await seedGig(store, { live: true }));
    const note = { reason: 'no payment of its chain can be made now: no answer', dueAt: SEEDED_AT, now: SEEDED_AT };
    await store.transaction((tx) => tx.notePayment(id, note));
    expect(await wrong()).toEqual(['payments_blocked base']);
    expect(await textOf('payments_blocked')).toBe(
      '1 payment waits on base, because of its endpoint: no payment of its chain can be made now: no answer',
    );
  });

  test('behavior: audits that failed; while their chain does not answer at all, only that is told', async () => {
    const gigs = [await seedGig(store, { live: true }), await seedGig(store, { live: true })];
    await store.transaction(async (tx) => {
      const chainId = 8453;
      await tx.storeAuditFault(gigs[0]?.id ?? 0, { chainId, isUnanswered: true, reason: 'chain base: it is slow' });
      await tx.storeAuditFault(gigs[1]?.id ?? 0, { chainId, isUnanswered: false, reason: 'it does not add up' });
    });
    expect(await wrong()).toEqual(['audit_failed gig 1', 'audit_failed gig 2']);
    around.advance(3 * MINUTE + 1);
    expect(await wrong()).toEqual(['chain_unreachable base', 'audit_failed gig 2']);
  });

  test('behavior: watched gigs for which nothing succeeded for a day', async () => {
    const gig = await seedGigWithRules(store);
    await store.transaction(async (tx) => {
      const watch = await tx.leaseWatchOf(gig.id, { lease: 'a', now: SEEDED_AT, until: SEEDED_AT + 1 });
      if (watch === null) throw new Error('not leased');
      await tx.storeWatch({ ...watch, nextAt: SEEDED_AT }, { lease: 'a', release: true });
    });
    pass(DAY - 1);
    expect(await wrong()).toEqual([]);
    pass(1);
    expect(await wrong()).toEqual(['earning_overdue gig 1']);
  });

  test('behavior: refunds that have been due for a day; one that is planned, or has no address, is none', async () => {
    const terms = { live: true, startTime: SEEDED_AT - 9 * DAY, awardDays: 0 };
    const [late, planned, unaddressed] = [
      await seedGig(store, { ...terms, refundAddress: seedAddress(1) }),
      await seedGig(store, { ...terms, refundAddress: seedAddress(1) }),
      await seedGig(store, terms),
    ];
    await store.transaction(async (tx) => {
      for (const { id } of [late, planned, unaddressed]) await tx.settleGig(id, SEEDED_AT - 3 * DAY);
      await tx.markRefunded(planned.id, SEEDED_AT);
    });
    pass(DAY - 1);
    expect(await wrong()).toEqual([]);
    pass(1);
    expect(await wrong()).toEqual([`refund_late gig ${late.id}`]);
  });

  test('behavior: a refund that failed, until it is planned again', async () => {
    const gig = await seedGig(store, { live: true, startTime: SEEDED_AT - 9 * DAY });
    const { id: gigId } = gig;
    await store.transaction((tx) => tx.settleGig(gigId, SEEDED_AT));
    const plan = () => seedFee(store, gig, { kind: 'refund', amount: 7n, recipient: seedAddress(1) });
    await store.transaction((tx) => tx.markRefunded(gigId, SEEDED_AT));
    const { id } = await plan();
    await store.transaction((tx) => tx.failPayment(id, { reason: 'it would revert', now: SEEDED_AT }));
    expect(await wrong()).toEqual([`refund_failed gig ${gigId}`]);
    await plan();
    expect(await wrong()).toEqual([]);
  });

  test('behavior: a disk that is nearly full', async () => {
    around.state.disk = async () => ({ free: 100, total: 1_000_000 });
    expect(await wrong()).toEqual(['disk_nearly_full database']);
  });

  test('behavior: a store that was moved, and then nothing else is known', async () => {
    around.state.tank = LOW;
    const moved = { ...around.deps, instances: { ...ALONE, moved: () => 'it was moved to b' } };
    expect((await wrong(moved)).slice(0, 2)).toEqual(['store_moved database', 'payments_stopped null?']);
    expect((await wrong(moved)).filter((each) => each.endsWith(' null?'))).toHaveLength(CONDITION_KINDS.length - 1);
  });

  test('error: what cannot be read is unknown, is logged, and hides nothing else', async () => {
    const broken = async () => await Promise.reject(new Error('disk I/O error'));
    around.state.disk = broken;
    around.state.tank = LOW;
    expect(await wrong({ ...around.deps, store: failingReads(store, broken) })).toEqual([
      'gas_tank_low base',
      ...['payments_stopped', 'disk_nearly_full', 'payments_late', 'payments_blocked'].map(unknown),
      ...['payments_screened', 'gig_frozen'].map(unknown),
      ...['audit_failed', 'earning_overdue', 'refund_late', 'refund_failed'].map(unknown),
    ]);
    expect(around.lines).toContainEqual(
      expect.objectContaining({ level: 'error', condition: 'gig_frozen', error: expect.objectContaining({}) }),
    );
  });

  test('error: a disk that never tells its space is unknown, and hides nothing else', async () => {
    around.state.tank = LOW;
    around.state.disk = () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      queueMicrotask(() => {
        vi.advanceTimersByTime(5_000);
        vi.useRealTimers();
      });
      return new Promise(() => undefined);
    };
    expect(await wrong()).toEqual(['gas_tank_low base', 'disk_nearly_full null?']);
  });
});
