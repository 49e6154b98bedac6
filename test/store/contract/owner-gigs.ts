import { describe, expect, test } from 'vitest';
import { seedWatchedGig } from '../../support/earning.ts';
import { sendPayments } from '../../support/payments.ts';
import { sampleAttempt, seedFee, seedGig } from '../../support/store.ts';
import type { Subject } from './subject.ts';

const ALICE = 'owner:farcaster:1003';
const BOB = 'owner:farcaster:1004';
const DAY = 86_400_000;

export function describeOwnerGigs({ store, write }: Subject): void {
  describe('gigs that owners have created', () => {
    test('behavior: open ones are counted for an owner, and waiting ones for all owners', async () => {
      const past = { live: true, startTime: 0, duration: DAY } as const;
      for (const seed of [{}, { live: true, startTime: DAY }, past]) await seedGig(store, { client: ALICE, ...seed });
      for (const client of [BOB, 'acme', 'owners:x', null]) await seedGig(store, { client });
      const stopped = await seedGig(store, { client: ALICE, live: true, startTime: DAY });
      const cancelled = await seedGig(store, { client: BOB });
      await store.transaction(async (tx) => {
        await tx.stopGig(stopped.id, { now: DAY + 1, dueBy: DAY + 1 });
        await tx.lockGig(cancelled.id, { holder: 'x', now: 1, until: 2 });
        await tx.cancelGig(cancelled.id, { holder: 'x', now: 1 });
      });
      expect(await store.openOwnerGigs(ALICE, DAY + 1)).toEqual({ own: 2, waiting: 2, watched: 0 });
      expect(await store.openOwnerGigs(ALICE, 3 * DAY)).toEqual({ own: 1, waiting: 2, watched: 0 });
      expect(await store.openOwnerGigs('owner:farcaster:9', 0)).toEqual({ own: 0, waiting: 2, watched: 0 });
    });

    test('security: those of owners whom the operator allowed are counted apart: what waits, and what is watched', async () => {
      await write.allowOwner('farcaster:1003', 1);
      for (const client of [ALICE, ALICE, BOB, 'acme']) {
        await seedGig(store, { client });
        await seedWatchedGig(store, { client });
        await seedGig(store, { client, live: true });
      }
      const counts = async (client: string) => {
        const { waiting, watched } = await store.openOwnerGigs(client, 0);
        return [waiting, watched];
      };
      expect(await counts(ALICE)).toEqual([2, 2]);
      expect([await counts(BOB), await counts('owner:farcaster:9')]).toEqual(Array(2).fill([1, 1]));
      await write.disallowOwner('farcaster:1003');
      expect([await counts(ALICE), await counts(BOB)]).toEqual(Array(2).fill([3, 3]));
    });

    test('behavior: those that wait since a time are listed by pages', async () => {
      const ids: number[] = [];
      for (const createdAt of [5, 6, 7]) ids.push((await seedGig(store, { client: ALICE, createdAt })).id);
      await seedGig(store, { client: 'acme', createdAt: 5 });
      await seedGig(store, { client: ALICE, createdAt: 5, live: true });
      const [first = 0, second = 0] = ids;
      const due = (after: number, limit: number) =>
        store.waitingOwnerGigs({ createdBy: 6, scarce: { createdBy: 0, places: 0 }, after, limit });
      expect(await due(0, 9)).toEqual([first, second]);
      expect(await due(0, 1)).toEqual([first]);
      expect(await due(first, 9)).toEqual([second]);
    });

    test('security: where more wait than so many, later ones are listed as well, but for those of allowed owners', async () => {
      await write.allowOwner('farcaster:1004', 1);
      const ids: number[] = [];
      const seeds = [...[5, 7].map((createdAt) => ({ createdAt, client: ALICE })), { createdAt: 7, client: BOB }];
      for (const seed of [...seeds, { createdAt: 8, client: ALICE }, { createdAt: 7, client: 'acme' }])
        ids.push((await seedGig(store, seed)).id);
      const due = (places: number) =>
        store.waitingOwnerGigs({ createdBy: 5, scarce: { createdBy: 7, places }, after: 0, limit: 9 });
      expect([await due(3), await due(2)]).toEqual([ids.slice(0, 1), ids.slice(0, 2)]);
    });

    test('behavior: the gas of the gigs of all owners together', async () => {
      for (const [index, client] of [ALICE, BOB, 'acme'].entries()) {
        const { id } = await seedFee(store, await seedGig(store, { client, live: true }));
        await sendPayments(store, [id], { attempt: sampleAttempt(index + 1), now: 10 * (index + 1) });
      }
      const gas = async (since: number) => await store.gasOfOwners(since);
      expect([await gas(0), await gas(11), await gas(21)]).toEqual([
        { claims: 0n, fees: 200n },
        { claims: 0n, fees: 100n },
        { claims: 0n, fees: 0n },
      ]);
    });

    test('behavior: labels of several accounts', async () => {
      const accounts = ['1', '2'].map((platformUserId) => ({ platform: 'farcaster', platformUserId }));
      await write.setUsername({ platform: 'farcaster', platformUserId: '1', username: 'alice' }, 1);
      const labels = Object.fromEntries(await store.accountLabels(accounts));
      expect(labels).toEqual({ 'farcaster:1': 'alice', 'farcaster:2': null });
      expect(await store.accountLabels([])).toEqual(new Map());
    });
  });
}
