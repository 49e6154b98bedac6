import { describe, expect, test } from 'vitest';
import type { Platform } from '../../../src/domain/account.ts';
import type { Subject } from './subject.ts';

const ALICE = { platform: 'twitter', platformUserId: '100' } as const;
const BOB = { platform: 'twitter', platformUserId: '200' } as const;

export function describeAccounts({ store, change, write }: Subject): void {
  function label(platformUserId: string, username: string | null, platform: Platform = 'twitter') {
    return write.setUsername({ platform, platformUserId, username }, 1);
  }

  const suggest = (platformUserId: string, username: string | null) =>
    write.suggestUsernames([{ platform: 'twitter', platformUserId, username }], 3);
  const holderOf = async (handle: string) => (await store.accountByHandle('twitter', handle))?.platformUserId ?? null;

  describe('accounts', () => {
    test('behavior: an account nobody has seen is null', async () => {
      expect(await store.account(ALICE)).toBeNull();
    });

    test.each([
      ['under its newest label', 'Alice_Cooper'],
      ['in the case that was given last', 'ALICE'],
    ])('behavior: an account is known %s', async (_what, username) => {
      await label('100', 'alice');
      await label('100', username);
      expect(await store.account(ALICE)).toEqual({ ...ALICE, username });
    });

    test('behavior: an unknown username leaves the label as it was', async () => {
      await label('100', 'alice');
      await label('100', null);
      await label('200', null);
      expect(await store.account(ALICE)).toEqual({ ...ALICE, username: 'alice' });
      expect(await store.account(BOB)).toEqual({ ...BOB, username: null });
    });

    test('security: a handle that changes hands leaves its former holder', async () => {
      await label('100', 'TheHandle');
      await label('200', 'thehandle');
      expect(await store.account(ALICE)).toEqual({ ...ALICE, username: null });
      expect(await store.account(BOB)).toEqual({ ...BOB, username: 'thehandle' });
    });

    test('security: a handle stays where the platform has shown it later', async () => {
      const say = (platformUserId: string, username: string, seenAt?: number) => {
        const account = { platform: 'twitter', platformUserId, username } as const;
        return write.setUsername(account, 9, seenAt);
      };
      await say('100', 'handle', 5);
      await say('200', 'handle', 4);
      expect(await holderOf('handle')).toBe('100');
      await say('200', 'handle', 6);
      expect(await holderOf('handle')).toBe('200');
      // Nothing is seen later than now.
      await say('200', 'handle', 20);
      await say('100', 'handle');
      expect(await holderOf('handle')).toBe('100');
    });

    test('behavior: two accounts can swap their handles', async () => {
      await label('100', 'one');
      await label('200', 'two');
      await change(async (tx) => {
        await tx.setUsername({ ...ALICE, username: 'two' }, 2);
        await tx.setUsername({ ...BOB, username: 'one' }, 2);
      });
      expect(await store.account(ALICE)).toEqual({ ...ALICE, username: 'two' });
      expect(await store.account(BOB)).toEqual({ ...BOB, username: 'one' });
    });

    test('behavior: the same handle on the other platform is somebody else’s', async () => {
      await label('100', 'same', 'twitter');
      await label('100', 'same', 'farcaster');
      expect(await store.account(ALICE)).toEqual({ ...ALICE, username: 'same' });
    });

    test('behavior: a handle finds its holder, compared without case, on its platform alone', async () => {
      await label('100', 'Alice_Cooper');
      const expected = { ...ALICE, username: 'Alice_Cooper' };
      for (const handle of ['Alice_Cooper', 'alice_cooper', 'ALICE_COOPER']) {
        expect(await store.accountByHandle('twitter', handle)).toEqual(expected);
      }
      expect(await store.accountByHandle('farcaster', 'alice_cooper')).toBeNull();
      expect(await store.accountByHandle('twitter', 'alice')).toBeNull();
      expect(await store.accountByHandle('twitter', '')).toBeNull();
    });

    test('security: a handle finds who holds it now, and nobody once it was given up', async () => {
      await label('100', 'TheHandle');
      await label('200', 'thehandle');
      expect(await store.accountByHandle('twitter', 'THEHANDLE')).toEqual({ ...BOB, username: 'thehandle' });
      await label('200', 'another');
      expect(await store.accountByHandle('twitter', 'thehandle')).toBeNull();
    });

    test('security: a client labels an account without a label, and moves no handle, of a platform or another client', async () => {
      await label('100', 'alice');
      expect([await suggest('666', 'Alice'), await suggest('100', 'mallory')]).toEqual([0, 0]);
      expect([await holderOf('alice'), await holderOf('mallory')]).toEqual(['100', null]);
      expect([await suggest('200', 'bob'), await suggest('666', 'BOB')]).toEqual([1, 0]);
      expect([await suggest('200', 'robert'), await suggest('300', null)]).toEqual([0, 0]);
      expect([await holderOf('bob'), await holderOf('robert')]).toEqual(['200', null]);
      expect(await store.account({ platform: 'twitter', platformUserId: '666' })).toBeNull();
    });

    test('security: of many labels that a client says at once, those count that it may say', async () => {
      await label('100', 'alice');
      await label('200', 'bob');
      const said = [
        { platform: 'twitter', platformUserId: '900', username: 'carol' },
        { platform: 'twitter', platformUserId: '666', username: 'ALICE' },
        { platform: 'farcaster', platformUserId: '666', username: 'Alice' },
        { platform: 'twitter', platformUserId: '200', username: 'robert' },
        { platform: 'twitter', platformUserId: '300', username: null },
        { platform: 'twitter', platformUserId: '400', username: 'Dave' },
      ];
      expect(await write.suggestUsernames(said, 3)).toBe(3);
      const labels = await Promise.all(said.map((account) => store.account(account)));
      expect(labels.map((account) => account?.username ?? null)).toEqual(['carol', null, 'Alice', 'bob', null, 'Dave']);
      expect(await holderOf('alice')).toBe('100');
      expect(await write.suggestUsernames([], 3)).toBe(0);
    });

    test('security: the platform’s own word moves a handle, whoever said it before', async () => {
      await suggest('666', 'alice');
      const before = await holderOf('alice');
      await label('100', 'alice');
      expect([before, await holderOf('alice')]).toEqual(['666', '100']);
      await suggest('200', 'bob');
      await label('200', 'bob');
      await label('300', 'bob');
      expect(await holderOf('bob')).toBe('300');
      expect(await suggest('200', 'bob')).toBe(0);
      expect(await holderOf('bob')).toBe('300');
    });

    test('security: a letter that only looks like another, or becomes it in lower case, is not that letter', async () => {
      await label('100', 'kim');
      const kelvin = '\u212aim';
      expect(await store.accountByHandle('twitter', kelvin)).toBeNull();
      await label('200', kelvin);
      expect(await store.account(ALICE)).toEqual({ ...ALICE, username: 'kim' });
      expect(await store.accountByHandle('twitter', 'KIM')).toEqual({ ...ALICE, username: 'kim' });
    });

    test('error: an id that is not canonical decimal text is refused', async () => {
      for (const id of ['007', 'alice', '']) await expect(label(id, 'bond'), id).rejects.toThrow();
    });

    test('behavior: opting out and in again', async () => {
      const set = (optedOut: boolean) => write.setOptedOut(ALICE, optedOut, 5);
      expect(await store.hasOptedOut(ALICE)).toBe(false);
      await set(true);
      await set(true);
      expect([await store.hasOptedOut(ALICE), await store.hasOptedOut(BOB)]).toEqual([true, false]);
      await label('100', 'alice');
      expect(await store.hasOptedOut(ALICE)).toBe(true);
      await set(false);
      expect(await store.hasOptedOut(ALICE)).toBe(false);
    });

    test('behavior: an account that opts out before it is ever seen stays out', async () => {
      await write.setOptedOut(BOB, true, 5);
      expect(await store.hasOptedOut(BOB)).toBe(true);
      expect(await store.account(BOB)).toEqual({ ...BOB, username: null });
    });
  });

  describe('poll cursors', () => {
    test('behavior: each platform has its own, null until it is set', async () => {
      const set = (platform: Platform, cursor: string | null) => write.setPollCursor(platform, cursor, 1);
      expect(await store.pollCursor('twitter')).toBeNull();
      await set('twitter', 'c1');
      await set('twitter', 'c2');
      expect([await store.pollCursor('twitter'), await store.pollCursor('farcaster')]).toEqual(['c2', null]);
      await set('twitter', null);
      expect(await store.pollCursor('twitter')).toBeNull();
    });
  });
}
