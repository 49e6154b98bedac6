import { describe, expect, test } from 'vitest';
import type { Condition } from '../../../src/domain/operators/condition.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { SEEDED_AT, sampleAttempt, seedFee, seedGig, seedSent } from '../../support/store.ts';
import type { Subject } from './subject.ts';

const LOW: Condition = {
  kind: 'gas_tank_low',
  subject: 'base',
  gigId: null,
  text: 'The gas tank on Base is low',
  remedy: 'Send ETH.',
};
const A = 'a'.repeat(64);
const B = 'b'.repeat(64);

export function describeAlerts({ store, openAgain, write }: Subject): void {
  const begin = (condition: Condition = LOW, now = 10) => write.beginAlert(condition, now);
  const end = (id: number, now = 20) => write.endAlert(id, now);
  const queue = (id: string, alertId: number, news: 'begun' | 'over' = 'begun', receiver = A, now = 10) =>
    write.queueDelivery({ id, alertId, news, receiver }, now);
  const leaseFrom = (by: Store, name: string, { receiver = A, now = 10 } = {}) =>
    by.transaction((tx) => tx.leaseDelivery(receiver, { lease: name, now, until: now + 100 }));
  /** One is leased if one is read to be due. */
  async function lease(receiver = A, now = 10, name = 'l') {
    const isDue = await store.isDeliveryDue(receiver, now);
    const delivery = await leaseFrom(store, name, { receiver, now });
    expect(delivery !== null).toBe(isDue);
    return delivery;
  }
  const delivered = (id: string, name = 'l', now = 15) => write.markDelivered(id, { lease: name, now });
  const putBack = (id: string, retryAt: number | null, name = 'l') =>
    write.putDeliveryBack(id, { lease: name, retryAt, error: 'it said no', now: 16 });
  const only = async () => (await store.deliveriesOf(1))[0];

  describe('alerts', () => {
    test('behavior: one of a kind and subject is open at a time, of many who begin it at once, through two stores', async () => {
      const other = await openAgain();
      const begun = Array.from({ length: 10 }, (_, index) =>
        (index % 2 === 0 ? store : other).transaction((tx) => tx.beginAlert(LOW, 10)),
      );
      const given = (await Promise.all(begun)).filter((id) => id !== null);
      expect(given).toHaveLength(1);
      const next = await begin({ ...LOW, subject: 'anvil' });
      expect(next).toBeGreaterThan(given[0] ?? 0);
      const { gigId: _, ...said } = LOW;
      expect(await store.openAlerts()).toEqual([
        { ...said, id: given[0], begunAt: 10, endedAt: null },
        expect.objectContaining({ id: next, subject: 'anvil' }),
      ]);
    });

    test('behavior: it is over once, and may begin again', async () => {
      await begin();
      expect([await end(1), await end(1), await end(99)]).toEqual([true, false, false]);
      expect(await store.openAlerts()).toEqual([]);
      expect(await begin(LOW, 30)).toBe(2);
      const ends = (await store.alerts({ limit: 10 })).map(({ id, endedAt }) => `${id}: ${endedAt}`);
      expect(ends).toEqual(['2: null', '1: 20']);
      expect((await store.alerts({ limit: 1, before: 2 })).map(({ id }) => id)).toEqual([1]);
    });
  });

  describe('deliveries of alerts', () => {
    test('behavior: each receiver is told each piece of news once', async () => {
      await begin();
      expect(await store.untoldAlerts(A)).toEqual([1]);
      const isQueued = [await queue('d1', 1), await queue('d2', 1), await queue('d3', 1, 'begun', B)];
      expect(isQueued).toEqual([true, false, true]);
      expect(await store.untoldAlerts(A)).toEqual([]);
      expect(await queue('d4', 1, 'over')).toBe(true);
      expect((await store.deliveriesOf(1)).map(({ id }) => id)).toEqual(['d1', 'd3', 'd4']);
      await end(1);
      expect(await store.untoldAlerts('c')).toEqual([]);
    });

    test('behavior: one worker holds it, of many who lease at once through two stores, and each try counts', async () => {
      await begin();
      await queue('d1', 1);
      const other = await openAgain();
      const leases = Array.from({ length: 6 }, (_, index) => leaseFrom(index % 2 === 0 ? store : other, `l${index}`));
      const held = (await Promise.all(leases)).filter((each) => each !== null);
      expect(held).toEqual([
        {
          id: 'd1',
          alertId: 1,
          news: 'begun',
          receiver: A,
          state: 'queued',
          tries: 1,
          nextAt: 110,
          queuedAt: 10,
          endedAt: null,
          error: null,
          lease: expect.stringMatching(/^l\d$/),
          alert: expect.objectContaining({ id: 1, text: LOW.text }),
        },
      ]);
      expect(await lease(A, 109)).toBeNull();
      expect(await lease(A, 110, 'later')).toMatchObject({ id: 'd1', tries: 2 });
    });

    test('behavior: what another receiver is told is nobody else’s', async () => {
      await begin();
      await queue('d1', 1);
      expect(await lease(B)).toBeNull();
      expect(await lease(A)).not.toBeNull();
    });

    test('behavior: what has been due longest is told first', async () => {
      await begin();
      await begin({ ...LOW, subject: 'anvil' });
      await queue('d1', 1, 'begun', A, 20);
      await queue('d2', 2, 'begun', A, 10);
      expect(await lease(A, 30)).toMatchObject({ id: 'd2' });
    });

    test('behavior: that it is over is told after that it has begun, whatever becomes of that', async () => {
      await begin();
      await queue('d1', 1);
      await queue('d2', 1, 'over');
      await queue('d3', 1, 'over', B);
      expect(await lease(A)).toMatchObject({ id: 'd1' });
      expect(await putBack('d1', 500)).toBe(true);
      expect(await lease(A, 499)).toBeNull();
      expect(await lease(B)).toMatchObject({ id: 'd3' });
      expect(await lease(A, 500)).toMatchObject({ id: 'd1' });
      expect(await putBack('d1', null)).toBe(true);
      expect(await lease(A, 500)).toMatchObject({ id: 'd2' });
    });

    test('behavior: only under its lease it is delivered, put back or given up', async () => {
      await begin();
      await queue('d1', 1);
      await lease(A);
      expect([await delivered('d1', 'other'), await putBack('d1', 50, 'other')]).toEqual([false, false]);
      expect(await putBack('d1', 50)).toBe(true);
      expect(await only()).toMatchObject({ state: 'queued', nextAt: 50, error: 'it said no', endedAt: null });
      expect(await delivered('d1')).toBe(false);
      await lease(A, 50);
      expect(await delivered('d1')).toBe(true);
      expect(await only()).toMatchObject({ state: 'delivered', endedAt: 15, error: null, tries: 2 });
      expect(await lease(A, 10_000)).toBeNull();
      expect([await store.lastDelivered(A), await store.lastDelivered(B)]).toEqual([15, null]);
    });

    test('behavior: those that were tried in vain are listed, until they are delivered', async () => {
      await begin();
      await queue('d1', 1);
      await queue('d2', 1, 'begun', B);
      expect(await store.troubledDeliveries()).toEqual([]);
      await lease(A);
      await putBack('d1', 50);
      await lease(B);
      await putBack('d2', null);
      expect(await store.troubledDeliveries()).toEqual([
        { receiver: A, state: 'queued', error: 'it said no', endedAt: null },
        { receiver: B, state: 'failed', error: 'it said no', endedAt: 16 },
      ]);
      await lease(A, 50);
      await delivered('d1');
      expect((await store.troubledDeliveries()).map(({ receiver }) => receiver)).toEqual([B]);
    });

    test('behavior: old ones to other receivers are given up, but for one that is being delivered', async () => {
      await begin();
      await queue('d1', 1);
      await queue('d2', 1, 'begun', B);
      await queue('d3', 1, 'begun', 'c', 500);
      await queue('d4', 1, 'begun', 'd');
      await lease(A);
      const old = { queuedBefore: 400, receivers: ['d'], now: 1_000, error: 'given up' };
      expect(await write.giveUpDeliveries({ ...old, queuedBefore: 10 })).toBe(0);
      expect(await write.giveUpDeliveries(old)).toBe(1);
      const states = (await store.deliveriesOf(1)).map(({ id, state }) => `${id} ${state}`);
      expect(states).toEqual(['d1 queued', 'd2 failed', 'd3 queued', 'd4 queued']);
    });

    test('behavior: a clock that is set back holds up nothing', async () => {
      await begin();
      await queue('d1', 1, 'begun', A, 1_000_000);
      await queue('d2', 1, 'begun', B, 1_000_000);
      await lease(B, 1_000_000);
      expect(await lease(A, 10)).toBeNull();
      await write.endWaits({ now: 10, leaseMs: 60 });
      expect(await lease(A, 10)).not.toBeNull();
      expect(await lease(B, 69)).toBeNull();
      expect(await lease(B, 70)).not.toBeNull();
    });
  });

  describe('the watch for conditions', () => {
    const claim = (holder: string, now: number, by = store) =>
      by.transaction((tx) => tx.claimAlertWatch({ holder, now, until: now + 100 }));

    test('behavior: one process has it, of many that ask at once, and keeps it while it renews it', async () => {
      const other = await openAgain();
      const claims = Array.from({ length: 6 }, (_, index) => claim(`p${index}`, 10, index % 2 === 0 ? store : other));
      expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
      expect([await claim('late', 109), await claim('late', 110)]).toEqual([false, true]);
      const renewed = await claim('late', 150);
      expect([renewed, await claim('other', 249), await claim('other', 250)]).toEqual([true, false, true]);
    });

    test('behavior: the claim of a process whose clock is a little ahead stands', async () => {
      await claim('ahead', 150);
      for (const now of [100, 50]) expect(await claim('behind', now)).toBe(false);
      expect(await claim('behind', 49)).toBe(true);
    });

    test('behavior: a clock that is set back holds up nothing', async () => {
      await claim('ahead', 1_000_000);
      expect([await claim('now', 10), await claim('next', 11)]).toEqual([true, false]);
    });
  });

  describe('audits that did not succeed', () => {
    test('behavior: each gig’s is kept until one succeeds', async () => {
      const gig = await seedGig(store, { live: true });
      const keep = (fault: { chainId: number; isUnanswered: boolean; reason: string } | null) =>
        write.storeAuditFault(gig.id, fault);
      await keep({ chainId: 8453, isUnanswered: true, reason: 'the chain does not answer' });
      await keep({ chainId: 8453, isUnanswered: false, reason: 'it does not add up' });
      const kept = { gigId: gig.id, chainId: 8453, isUnanswered: false, reason: 'it does not add up' };
      expect(await store.auditFaults()).toEqual([kept]);
      await keep(null);
      expect(await store.auditFaults()).toEqual([]);
    });
  });

  describe('late payments', () => {
    test('behavior: those that wait or are under way are counted by gig and reason, by when they were planned', async () => {
      const first = await seedGig(store, { live: true });
      const second = await seedGig(store, { live: true });
      const third = await seedGig(store, { live: true });
      const { id } = await seedFee(store, first, {}, SEEDED_AT);
      const sent = await seedFee(store, second, {}, SEEDED_AT + 1);
      await seedFee(store, third, {}, SEEDED_AT + 2);
      await write.notePayment(id, { reason: 'why', dueAt: SEEDED_AT, now: SEEDED_AT });
      await seedSent(store, [sent.id], { nonce: 0, attempt: sampleAttempt(1) });
      expect(await store.latePayments({ plannedBy: SEEDED_AT + 1 })).toEqual([
        { chainId: 8453, gigId: 1, state: 'planned', reason: 'why', payments: 1 },
        { chainId: 8453, gigId: 2, state: 'sent', reason: null, payments: 1 },
      ]);
      await write.failPayment(id, { reason: 'no', now: SEEDED_AT });
      expect((await store.latePayments({ plannedBy: SEEDED_AT })).map(({ gigId }) => gigId)).toEqual([]);
    });
  });
}
