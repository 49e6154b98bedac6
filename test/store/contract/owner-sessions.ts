import { describe, expect, test } from 'vitest';
import { seedGig } from '../../support/store.ts';
import type { Subject } from './subject.ts';

const HASH = 'c'.repeat(64);
const OTHER = 'd'.repeat(64);
const BROWSER = 'b'.repeat(64);
const ALICE = { platform: 'farcaster', platformUserId: '1003' };

export function describeOwnerSessions({ store, write }: Subject): void {
  const begin = (hash: string, createdAt: number, expiresAt: number) =>
    write.insertSignIn({ hash, browser: BROWSER, way: 'wallet', createdAt, expiresAt });
  const use = (hash: string, browser: string, now: number) => write.useSignIn(hash, { browser, now });
  const open = (hash: string, owner: string, createdAt: number, expiresAt: number) =>
    write.insertOwnerSession({ hash, owner, label: owner, createdAt, expiresAt });

  describe('sign-ins', () => {
    test('security: one is used once, in its browser, before its time is over', async () => {
      await begin(HASH, 10, 20);
      const told = { hash: HASH, browser: BROWSER, way: 'wallet', createdAt: 10, expiresAt: 20 };
      expect(await store.openSignIn(HASH, { browser: BROWSER, now: 19 })).toEqual(told);
      expect(await store.openSignIn(HASH, { browser: OTHER, now: 19 })).toBeNull();
      expect(await store.openSignIn(HASH, { browser: BROWSER, now: 20 })).toBeNull();
      expect([await use(OTHER, BROWSER, 15), await use(HASH, OTHER, 15)]).toEqual([false, false]);
      expect(await use(HASH, BROWSER, 20)).toBe(false);
      const tries = [use(HASH, BROWSER, 19), use(HASH, BROWSER, 19), use(HASH, BROWSER, 19)];
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
      expect(await store.openSignIn(HASH, { browser: BROWSER, now: 19 })).toBeNull();
    });

    test('security: only hashes are taken, each once', async () => {
      await begin(HASH, 10, 20);
      await expect(begin(HASH, 11, 21)).rejects.toThrow();
      await expect(begin('the-nonce-itself', 10, 20)).rejects.toThrow();
    });
  });

  describe('sessions of owners', () => {
    test('behavior: are found by their hash and their owner, until one or all are deleted', async () => {
      await open(HASH, 'farcaster:1', 10, 20);
      await open(OTHER, 'farcaster:1', 11, 30);
      await open('e'.repeat(64), 'farcaster:10', 12, 30);
      expect(await store.ownerSessionByHash(HASH)).toEqual({
        hash: HASH,
        owner: 'farcaster:1',
        label: 'farcaster:1',
        createdAt: 10,
        expiresAt: 20,
      });
      const hashes = async (now: number) => (await store.openOwnerSessions('farcaster:1', now)).map(({ hash }) => hash);
      expect(await hashes(19)).toEqual([OTHER, HASH]);
      expect(await hashes(20)).toEqual([OTHER]);
      const end = (owner: string, hash: string) => write.deleteOwnerSession(owner, hash);
      expect(await end('farcaster:10', HASH)).toBe(false);
      expect([await end('farcaster:1', HASH), await end('farcaster:1', HASH)]).toEqual([true, false]);
      expect(await write.deleteOwnerSessions('farcaster:1')).toBe(1);
      expect(await store.ownerSessionByHash('e'.repeat(64))).not.toBeNull();
    });

    test('behavior: those that were over when another one was made are forgotten', async () => {
      await open(HASH, 'farcaster:1', 10, 20);
      await open(OTHER, 'farcaster:2', 20, 40);
      expect(await store.ownerSessionByHash(HASH)).toBeNull();
      await expect(open('the-token-itself', 'farcaster:2', 20, 40)).rejects.toThrow();
    });

    test('security: after the clock was set back, what was over stays over, and the rest does not last longer', async () => {
      await begin(HASH, 100, 110);
      await open(HASH, 'farcaster:1', 100, 110);
      await open(OTHER, 'farcaster:1', 100, 150);
      await write.markExpired({ before: 120, keysBefore: 120, now: 20 });
      expect(await use(HASH, BROWSER, 20)).toBe(false);
      expect((await store.ownerSessionByHash(HASH))?.expiresAt).toBe(20);
      expect((await store.ownerSessionByHash(OTHER))?.expiresAt).toBe(50);
    });
  });

  describe('the gigs of an owner', () => {
    test('behavior: are those of its client and those that list an account, each once, newest first', async () => {
      const listed = await seedGig(store, { owners: [ALICE] });
      await seedGig(store, {
        owners: [{ platform: 'farcaster', platformUserId: '100' }],
        client: 'owner:farcaster:100',
      });
      const own = await seedGig(store, { client: 'owner:farcaster:1003' });
      const both = await seedGig(store, { client: 'owner:farcaster:1003', owners: [ALICE] });
      const find = async (accounts: readonly (typeof ALICE)[], page: { limit: number; before?: number }) =>
        (await store.gigsOfOwner({ client: 'owner:farcaster:1003', accounts }, page)).map(({ id }) => id);
      expect(await find([ALICE], { limit: 9 })).toEqual([both.id, own.id, listed.id]);
      expect(await find([], { limit: 9 })).toEqual([both.id, own.id]);
      expect(await find([ALICE], { limit: 2 })).toEqual([both.id, own.id]);
      expect(await find([ALICE], { limit: 2, before: own.id })).toEqual([listed.id]);
    });
  });
}
