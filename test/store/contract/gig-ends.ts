import { describe, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import type { NewPayment } from '../../../src/domain/payments/payment.ts';
import { decideAs, sampleAccount, sampleAct, seedActs, seedWatchedGig } from '../../support/earning.ts';
import {
  type GigSeed,
  SEEDED_AT,
  samplePayment,
  seedAddress,
  seedConfirmed,
  seedFee,
  seedGig,
  seedHash,
  seedTips,
} from '../../support/store.ts';
import type { Subject } from './subject.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const NOON = SEEDED_AT + DAY / 2;
const END = SEEDED_AT + DAY;
const BACK = seedAddress(0xba);

export function describeGigEnds({ store, openAgain, change, write }: Subject): void {
  const live = (seed: GigSeed = {}) => seedGig(store, { live: true, ...seed });
  const stop = ({ id }: Gig, now = NOON, dueBy = now) => write.stopGig(id, { now, dueBy });
  const settle = ({ id }: Gig, now = END) => write.settleGig(id, now);
  const refund = ({ id }: Gig, now = END + 1) => write.markRefunded(id, now);
  const name = ({ id }: Gig, address = BACK) => write.nameRefundAddress(id, address);
  const cancel = ({ id }: Gig, { holder = 'cancel', locks = true, now = NOON } = {}) =>
    change(async (tx) => {
      if (locks) await tx.lockGig(id, { holder, now, until: now + 60_000 });
      return await tx.cancelGig(id, { holder, now });
    });
  /** Everything about a watched gig is decided. */
  const close = ({ id }: Gig) =>
    change(async (tx) => {
      const lease = 'last step';
      const watch = await tx.leaseWatchOf(id, { lease, now: END, until: END + 60_000 });
      if (watch === null) throw new Error('the watch is not free');
      await tx.storeWatch({ ...watch, overAt: END }, { lease, release: true });
    });
  const reload = ({ id }: Gig) => store.gig(id);

  describe('a stop', () => {
    test('behavior: ends a live gig now; its terms stay', async () => {
      const gig = await live();
      expect(await stop(gig)).toBe(true);
      expect(await reload(gig)).toEqual({ ...gig, stoppedAt: NOON, endTime: NOON });
      expect(await stop(gig, NOON + 1)).toBe(false);
      expect((await reload(gig))?.stoppedAt).toBe(NOON);
    });

    test.each([
      ['that never started', { live: false }, NOON],
      ['that is over', {}, END],
    ] as const)('error: there is none of a gig %s', async (_what, seed, now) => {
      const gig = await live(seed);
      expect(await stop(gig, now)).toBe(false);
      expect(await reload(gig)).toEqual(gig);
    });

    test('behavior: before the window begins, the gig has an empty one at the stop', async () => {
      const gig = await live({ startTime: SEEDED_AT + DAY });
      expect(await stop(gig, NOON)).toBe(true);
      expect(await reload(gig)).toMatchObject({ startTime: NOON, endTime: NOON, stoppedAt: NOON });
    });

    test('behavior: lists that ask for what is live have it no more, and those for what has ended have it', async () => {
      const gig = await live();
      await stop(gig);
      const ids = async (phase: 'live' | 'ended') =>
        (await store.gigs({ phase, now: NOON, limit: 9 })).map(({ id }) => id);
      expect([await ids('live'), await ids('ended')]).toEqual([[], [gig.id]]);
    });

    test('behavior: the watch is due at once, also when a step that began before holds it', async () => {
      const gig = await seedWatchedGig(store, { nextAt: END });
      const lease = { lease: 'step', now: NOON - 1, until: NOON + 60_000 };
      const watch = await write.leaseWatchOf(gig.id, lease);
      if (watch === null) throw new Error('the watch is not free');
      await stop(gig);
      expect(await store.watch(gig.id)).toMatchObject({ nextAt: NOON, stoppedAt: NOON });
      // What the step knows of the gig is older than the stop.
      const known = { ...watch, nextAt: NOON + HOUR };
      expect(await write.storeWatch(known, { lease: 'step', release: true })).toBe(true);
      expect((await store.watch(gig.id))?.nextAt).toBe(NOON);
    });

    test('behavior: accounts that were held for long are due when a hold that began now is over; others stay', async () => {
      const gig = await seedWatchedGig(store);
      await seedActs(store, gig, [sampleAct(1)], { dueAt: END + 12 * HOUR });
      await seedActs(store, gig, [sampleAct(2)], { dueAt: NOON + 2 });
      await seedActs(store, gig, [sampleAct(3)], { dueAt: END + 12 * HOUR });
      await decideAs(write, gig, sampleAccount(3));
      const before = await store.earning(gig.id, sampleAccount(3));
      await stop(gig, NOON, NOON + HOUR);
      const dues = [1, 2].map(async (id) => (await store.earning(gig.id, sampleAccount(id)))?.dueAt);
      expect(await Promise.all(dues)).toEqual([NOON + HOUR, NOON + 2]);
      expect(await store.earning(gig.id, sampleAccount(3))).toEqual(before);
    });
  });

  describe('a settlement', () => {
    const due = (now: number, after = 0) => store.gigsToSettle({ now, after, limit: 9 });

    test('behavior: is due when the days for awards after the end are over, of a stopped gig after its stop', async () => {
      const [none, two, stopped] = [await live(), await live({ awardDays: 2 }), await live({ awardDays: 1 })];
      await seedGig(store);
      await stop(stopped);
      expect(await due(END - 1)).toEqual([]);
      expect(await due(END)).toEqual([none.id]);
      expect(await due(NOON + DAY)).toEqual([none.id, stopped.id]);
      expect(await due(END + 2 * DAY)).toEqual([none.id, two.id, stopped.id]);
      expect(await due(END + 2 * DAY, none.id)).toEqual([two.id, stopped.id]);
      await settle(none);
      expect(await due(END + 2 * DAY)).toEqual([two.id, stopped.id]);
    });

    test('behavior: closes a gig that is over, once; then it cannot be stopped', async () => {
      const gig = await live({ awardDays: 14 });
      expect([await settle(gig, END - 1), await settle(gig, END)]).toEqual([false, true]);
      expect(await settle(gig, END + 1)).toBe(false);
      expect(await reload(gig)).toEqual({ ...gig, settledAt: END });
      // By a clock that was set back.
      expect(await stop(gig, NOON)).toBe(false);
    });

    test('behavior: of a stopped gig needs no more time; of one that never started there is none', async () => {
      const [stopped, created] = [await live(), await seedGig(store)];
      await stop(stopped);
      expect([await settle(stopped, NOON), await settle(created)]).toEqual([true, false]);
    });

    test('security: waits for accounts that are held or eligible, and for the last sweep', async () => {
      const gig = await seedWatchedGig(store);
      await seedActs(store, gig, [sampleAct(1)]);
      expect(await settle(gig)).toBe(false);
      await decideAs(write, gig, sampleAccount(1));
      expect(await settle(gig)).toBe(false);
      const change = { to: 'refused', reason: 'withdrawn' } as const;
      await decideAs(write, gig, sampleAccount(1), change);
      expect(await settle(gig)).toBe(false);
      await close(gig);
      expect(await settle(gig)).toBe(true);
    });

    test('security: then no tip is added, and no account can earn', async () => {
      const gig = await seedWatchedGig(store);
      await close(gig);
      await settle(gig);
      await expect(seedTips(store, gig, [sampleAccount(1)])).rejects.toThrow();
      await expect(seedActs(store, gig, [sampleAct(1)])).rejects.toThrow();
      expect(await store.earning(gig.id, sampleAccount(1))).toBeNull();
    });
  });

  describe('a refund', () => {
    const due = (settledBy: number, after = 0) => store.gigsToRefund({ settledBy, after, limit: 9 });

    test('behavior: is due of settled gigs that say where to, or of which an operator has said it, until it is planned', async () => {
      const [said, named, silent] = [await live({ refundAddress: BACK }), await live(), await live()];
      for (const gig of [said, named, silent]) await settle(gig);
      expect(await name(named)).toBe(true);
      await live({ refundAddress: BACK });
      expect(await due(END - 1)).toEqual([]);
      expect(await due(END)).toEqual([said.id, named.id]);
      expect(await due(END, said.id)).toEqual([named.id]);
      expect(await refund(said)).toBe(true);
      expect(await due(END)).toEqual([named.id]);
    });

    test('security: is marked once, of a gig that has started', async () => {
      const [gig, created] = [await live(), await seedGig(store)];
      expect(await refund(created)).toBe(false);
      await settle(gig);
      expect([await refund(gig, END + 5), await refund(gig, END + 6)]).toEqual([true, false]);
      expect((await reload(gig))?.refundedAt).toBe(END + 5);
    });

    test('behavior: one that the chain shows is marked before the settlement', async () => {
      const gig = await live();
      expect(await refund(gig, NOON)).toBe(true);
      expect(await settle(gig)).toBe(true);
      expect(await due(END)).toEqual([]);
    });

    test('security: an operator names an address where the terms have none, until the refund is planned', async () => {
      const [said, silent] = [await live({ refundAddress: BACK }), await live()];
      expect([await name(said, seedAddress(0xbb)), await name(silent)]).toEqual([false, true]);
      expect(await name(silent, seedAddress(0xbb))).toBe(true);
      expect((await reload(silent))?.refundTo).toBe(seedAddress(0xbb));
      await settle(silent);
      await refund(silent);
      expect(await name(silent)).toBe(false);
      expect((await reload(silent))?.refundTo).toBe(seedAddress(0xbb));
    });
  });

  describe('a cancellation', () => {
    test('behavior: ends a created gig under its lock, and releases that', async () => {
      const gig = await seedGig(store);
      expect(await cancel(gig)).toBe(true);
      expect(await reload(gig)).toEqual({ ...gig, cancelledAt: NOON });
      expect(await cancel(gig, { now: NOON + 1 })).toBe(false);
      const lock = { holder: 'start', now: NOON + 1, until: NOON + 2 };
      const markLive = { holder: 'start', startTime: NOON, endTime: NOON + DAY };
      await change(async (tx) => {
        expect(await tx.lockGig(gig.id, lock)).toBe(false);
        expect(await tx.markLive(gig.id, markLive)).toBe(false);
        expect(await tx.changeTerms(gig.id, { terms: { ...gig, tokenId: gig.token.id }, now: NOON })).toBe(false);
      });
      expect(await reload(gig)).toEqual({ ...gig, cancelledAt: NOON });
    });

    test('security: needs the lock, which a start may have', async () => {
      const gig = await seedGig(store);
      expect(await cancel(gig, { locks: false })).toBe(false);
      const start = { holder: 'start', now: NOON, until: NOON + 60_000 };
      await write.lockGig(gig.id, start);
      expect(await cancel(gig)).toBe(false);
      expect((await reload(gig))?.cancelledAt).toBeNull();
    });

    test('error: there is none of a live gig', async () => {
      const gig = await live();
      expect(await cancel(gig)).toBe(false);
      expect(await reload(gig)).toEqual(gig);
    });

    test('behavior: its money is to be returned when it says where to, once', async () => {
      const [said, silent] = [await seedGig(store, { refundAddress: BACK }), await seedGig(store)];
      const due = (since: number, after = 0) => store.gigsToReturn({ since, after, limit: 9 });
      expect(await due(0)).toEqual([]);
      for (const gig of [said, silent]) await cancel(gig);
      expect(await due(NOON + 1)).toEqual([]);
      expect(await due(NOON)).toEqual([said.id]);
      expect(await name(silent)).toBe(true);
      expect(await due(NOON)).toEqual([said.id, silent.id]);
      expect(await due(NOON, said.id)).toEqual([silent.id]);
      const back = { kind: 'return', place: 0, recipient: BACK } as const;
      const { id } = await seedFee(store, said, back);
      expect(await due(NOON)).toEqual([silent.id]);
      await seedConfirmed(store, id, { hash: seedHash(1) });
      expect(await due(NOON)).toEqual([silent.id]);
    });
  });

  describe('tips that the ledger has lost', () => {
    const adopt = (
      gig: Gig,
      payment: Partial<NewPayment> & { numbers: readonly bigint[] },
      now: number,
      tipIds: number[] = [],
    ) =>
      write.adoptPayment(
        { ...samplePayment(gig, { kind: 'payout', recipient: BACK, amount: 10n ** 18n }), ...payment },
        { hash: seedHash(now), blockNumber: 9n, gasUsed: 0n, tipIds, now },
      );

    test('behavior: are noticed when a wallet has paid what is no tip; returns and known tips are none', async () => {
      const gig = await live();
      expect(await store.lostTipsNoticedAt()).toBeNull();
      await adopt(gig, { kind: 'return', place: 0, numbers: [2n ** 255n + 128n] }, 5);
      expect(await store.lostTipsNoticedAt()).toBeNull();
      await adopt(gig, { numbers: [0n] }, 7);
      expect(await store.lostTipsNoticedAt()).toBe(7);
      expect(await store.gigsWithLostTips()).toEqual([{ gigId: gig.id, payments: 1 }]);
    });

    test('behavior: a tip that is found paid is not lost', async () => {
      const gig = await live();
      const [tip] = await seedTips(store, gig, [sampleAccount(1), sampleAccount(2)]);
      const { id = 0, number = 0 } = tip ?? {};
      await adopt(gig, { numbers: [BigInt(number)] }, 7, [id]);
      expect(await store.lostTipsNoticedAt()).toBeNull();
      expect(await store.gigsWithLostTips()).toEqual([]);
    });
  });

  test('behavior: what became of a gig is read through another connection, too', async () => {
    const gig = await live({ refundAddress: BACK });
    await stop(gig);
    await settle(gig, NOON + 1);
    await refund(gig, NOON + 2);
    const again = await openAgain();
    const ended = { stoppedAt: NOON, endTime: NOON, settledAt: NOON + 1, refundedAt: NOON + 2, refundAddress: BACK };
    expect(await again.gig(gig.id)).toMatchObject(ended);
  });
}
