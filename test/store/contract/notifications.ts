import { beforeEach, describe, expect, test } from 'vitest';
import { type AccountKey, accountKeyText } from '../../../src/domain/account.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import type { QueuedNews } from '../../../src/domain/notifications/pace.ts';
import { topicOf } from '../../../src/domain/notifications/pace.ts';
import { sampleAccount } from '../../support/earning.ts';
import { seedGig, seedTips } from '../../support/store.ts';
import type { Subject } from './subject.ts';

const ALICE = sampleAccount(1001);
const BOB = sampleAccount(1002);
const TEXT = { title: 'Hello', body: 'World' };

export function describeNotifications({ store, write }: Subject): void {
  let gig: Gig;

  function news(overrides: Partial<QueuedNews> = {}): QueuedNews {
    const what = { kind: 'tips', gigId: gig.id, subjectId: gig.id, reason: null, amount: 5n, count: 1 } as const;
    return { ...ALICE, ...what, eventUid: 'evt_1', nextAt: 10, ...overrides };
  }
  const lease = (id: number, overrides: object = {}) =>
    write.leaseNotification({ id, tries: 0, count: 1, text: TEXT, lease: 'a', now: 10, until: 40, ...overrides });
  const due = async (now: number) => await store.dueNotification(now);

  describe('notifications', () => {
    beforeEach(async () => {
      gig = await seedGig(store, { live: true });
    });

    test('behavior: are queued once for an account and an event, and due in their order', async () => {
      await write.queueNews([news({ nextAt: 11 }), news({ ...BOB })], 5);
      await write.queueNews([news({ kind: 'live', amount: 9n })], 6);
      expect(await due(9)).toBeNull();
      const first = await due(10);
      expect(first).toMatchObject({ ...BOB, kind: 'tips', amount: 5n, count: 1, queuedAt: 5, tries: 0, text: null });
      expect(first?.uuid).toMatch(/^[0-9a-f-]{36}$/);
      await write.giveUpNotification({ id: first?.id ?? 0, state: 'dropped', error: null, now: 10 });
      expect(await due(10)).toBeNull();
      expect(await due(11)).toMatchObject(ALICE);
    });

    test('behavior: grow until they are tried, and are leased as they were read alone', async () => {
      await write.queueNews([news()], 5);
      const tips = { kind: 'tips', subjectId: gig.id } as const;
      const unsent = (account: AccountKey) => store.unsentNotifications([{ ...account, ...tips }]);
      const [row] = await unsent(ALICE);
      expect([await unsent(BOB), await store.unsentNotifications([{ ...ALICE, ...tips, subjectId: 0 }])]).toEqual([
        [],
        [],
      ]);
      const id = row?.id ?? 0;
      await write.growNotifications([{ id, reason: 'x', amount: 2n ** 200n, count: 3 }]);
      expect(await lease(id)).toBe(false);
      expect(await lease(id, { count: 3, tries: 1 })).toBe(false);
      expect(await lease(id, { count: 3 })).toBe(true);
      expect(await lease(id, { count: 3, tries: 1 })).toBe(false);
      await write.growNotifications([{ id, reason: 'y', amount: 1n, count: 9 }]);
      expect(await unsent(ALICE)).toEqual([]);
      expect(await due(39)).toBeNull();
      expect(await due(40)).toMatchObject({ amount: 2n ** 200n, count: 3, reason: 'x', tries: 1, text: TEXT });
    });

    test('behavior: end under their lease, or are tried again', async () => {
      await write.queueNews([news()], 5);
      const id = (await due(10))?.id ?? 0;
      await lease(id);
      const end = { id, state: 'sent', error: null, now: 12 } as const;
      expect(await write.endNotification({ ...end, lease: 'b' })).toBe(false);
      const back = { id, lease: 'a', retryAt: 20, error: 'it was slow', now: 12 };
      expect([await write.putNotificationBack(back), await write.putNotificationBack(back)]).toEqual([true, false]);
      expect(await due(20)).toMatchObject({ tries: 1, error: 'it was slow', triedAt: 12, text: TEXT });
      expect(await write.putNotificationOff(id, 25, 20)).toBe(true);
      expect([await due(24), await write.putNotificationOff(id, 30, 20)]).toEqual([null, false]);
      expect(await lease(id, { tries: 1, lease: 'c', now: 25, until: 55 })).toBe(true);
      expect(await write.endNotification({ ...end, lease: 'c' })).toBe(true);
      expect(await due(Number.MAX_SAFE_INTEGER)).toBeNull();
      const { counts, oldestAt, lastFailure } = await store.notificationSums(0);
      expect([counts, oldestAt, lastFailure]).toEqual([{ sent: 1, queued: 0 }, null, null]);
    });

    test('behavior: what became of them is summed from a time on, with the last failure', async () => {
      await write.queueNews([news(), news({ ...BOB }), news({ eventUid: 'evt_2', kind: 'live' })], 5);
      for (const error of ['first', 'second']) {
        const id = (await due(10))?.id ?? 0;
        await write.giveUpNotification({ id, state: 'failed', error, now: error === 'first' ? 20 : 30 });
      }
      expect(await store.notificationSums(0)).toEqual({
        counts: { failed: 2, queued: 1 },
        oldestAt: 5,
        lastFailure: { error: 'second', at: 30 },
      });
      expect(await store.notificationSums(31)).toMatchObject({ counts: { queued: 1 }, lastFailure: null });
      const forget = (before: number) => write.forgetNotifications(before, 9);
      expect([await forget(30), await forget(31)]).toEqual([1, 1]);
      expect(await store.notificationSums(0)).toMatchObject({ counts: {} });
    });

    test('behavior: all of an account that is due waits together, and what waits since long is forgotten', async () => {
      const later = news({ eventUid: 'evt_3', kind: 'ended', nextAt: 50 });
      await write.queueNews(
        [news(), news({ eventUid: 'evt_2', kind: 'live' }), later, news({ ...BOB, nextAt: 11 })],
        5,
      );
      await write.putAccountOff(ALICE, 40, 20);
      expect(await due(20)).toMatchObject(BOB);
      await write.giveUpNotification({ id: (await due(20))?.id ?? 0, state: 'dropped', error: null, now: 20 });
      expect([await due(39), (await due(40))?.kind]).toEqual([null, 'tips']);
      expect([await write.forgetNotifications(5, 9), await write.forgetNotifications(6, 2)]).toEqual([0, 2]);
      expect((await store.notificationSums(0)).counts.queued).toBe(1);
    });

    test('behavior: it is known when an account was notified, and when each topic was', async () => {
      const many = Array.from({ length: 101 }, (_, n) => news({ eventUid: `evt_${n}`, kind: 'live', subjectId: n }));
      await write.queueNews(many, 5);
      const topics = many.map(({ kind, subjectId }) => ({ ...ALICE, kind, subjectId }));
      expect(await store.waitingNotifications([...topics, { ...BOB, kind: 'live', subjectId: 0 }])).toEqual(
        new Map([[accountKeyText(ALICE), 101]]),
      );
      const unsent = await store.unsentNotifications(topics);
      for (const { id } of unsent.slice(0, 100)) await lease(id, { lease: `l${id}`, now: 100 + id });
      const base = unsent[0]?.id ?? 0;
      const times = (account: AccountKey, asked: object = {}) =>
        store.notifiedTimes(account, { since: 0, now: 1_000_000, most: 100, ...asked });
      expect(await times(ALICE)).toEqual({ lastAt: 199 + base, dayFullAt: 100 + base });
      expect(await times(ALICE, { most: 80 })).toEqual({ lastAt: 199 + base, dayFullAt: 120 + base });
      expect(await times(ALICE, { since: 100 + base })).toEqual({ lastAt: 199 + base, dayFullAt: null });
      expect(await times(ALICE, { now: 150 + base })).toEqual({ lastAt: 150 + base, dayFullAt: null });
      expect(await times(BOB)).toEqual({ lastAt: null, dayFullAt: null });
      const told = await store.topicsTold(topics, 197 + base, 199 + base);
      expect(await store.topicsTold(topics, 197 + base, 198 + base)).toHaveProperty('size', 1);
      const topic = (subjectId: number) => topicOf({ ...ALICE, kind: 'live', subjectId });
      expect([...told].sort(([, a], [, b]) => a - b)).toEqual([
        [topic(98), 198 + base],
        [topic(99), 199 + base],
      ]);
    });

    test('behavior: events are read on from where it began, by one process', async () => {
      expect(await store.newsPlace()).toBeNull();
      await write.beginNews(7);
      await write.beginNews(9);
      expect(await store.newsPlace()).toBe(7);
      expect([await write.moveNews(7, 8), await write.moveNews(7, 9), await store.newsPlace()]).toEqual([
        true,
        false,
        8,
      ]);
    });

    test('behavior: the tips of a batch are those of its gig alone, without void ones', async () => {
      const other = await seedGig(store, { live: true });
      const [first] = await seedTips(store, gig, [{ ...ALICE, amount: 3n }]);
      await seedTips(store, other, [{ ...ALICE, amount: 4n }]);
      const [last, beyond] = await seedTips(store, gig, [
        { ...BOB, amount: 5n },
        { ...BOB, amount: 6n },
      ]);
      const batch = { first: first?.id ?? 0, last: last?.id ?? 0 };
      expect(await store.tipsOfBatch(gig.id, batch)).toEqual([
        { ...ALICE, amount: 3n },
        { ...BOB, amount: 5n },
      ]);
      await write.voidTip(batch.first, { reason: 'test', now: 1 });
      expect(await store.tipsOfBatch(gig.id, batch)).toEqual([{ ...BOB, amount: 5n }]);
      expect(beyond?.id).toBeGreaterThan(batch.last);
    });

    test('behavior: an account is told nothing that has turned notifications off, or wants no replies', async () => {
      const all = [ALICE, BOB, sampleAccount(1003)];
      expect(await store.quietAccounts(all)).toEqual([]);
      const off = (isOff: boolean) => write.setNotificationsOff(ALICE, isOff, 5);
      expect([await off(true), await off(true), await store.hasNotificationsOff(ALICE)]).toEqual([true, false, true]);
      await write.setOptedOut(BOB, true, 5);
      expect(await store.quietAccounts(all)).toEqual([ALICE, BOB]);
      expect([await off(false), await off(false), await store.hasNotificationsOff(ALICE)]).toEqual([
        true,
        false,
        false,
      ]);
      expect(await store.quietAccounts(all)).toEqual([BOB]);
    });
  });
}
