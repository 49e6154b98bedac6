import { expect, test } from 'vitest';
import type { Account, Platform } from '../../../src/domain/account.ts';
import { createHandleResolver } from '../../../src/services/claims/resolve-handle.ts';
import { createClock, createNetwork, fault } from '../fakes.ts';

const MINUTE = 60_000;

/** A resolver whose platforms know the account `alice`, and what they were asked. */
function open(...on: readonly Platform[]) {
  const { clock, advance } = createClock();
  const asked: string[] = [];
  const failures: Error[] = [];
  const platforms = new Map(
    on.map((platform) => {
      const resolveAccount = async ({ username }: { username: string }): Promise<Account | null> => {
        asked.push(`${platform} ${username}`);
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
        return /^alice$/i.test(username) ? { platform, platformUserId: '7', username: 'alice' } : null;
      };
      return [platform, { ...createNetwork(platform).network, resolveAccount }] as const;
    }),
  );
  return { resolve: createHandleResolver({ platforms, clock }), asked, advance, failures };
}

test('behavior: an answer of a platform is kept for ten minutes, in any case of the handle', async () => {
  const { resolve, asked, advance } = open('farcaster', 'twitter');
  const alice = { platform: 'farcaster', platformUserId: '7', username: 'alice' };
  expect(await resolve('farcaster', 'alice')).toEqual(alice);
  expect(await resolve('farcaster', 'Alice')).toEqual(alice);
  expect(await resolve('twitter', 'alice')).toEqual({ ...alice, platform: 'twitter' });
  advance(10 * MINUTE - 1);
  await resolve('farcaster', 'alice');
  expect(asked).toEqual(['farcaster alice', 'twitter alice']);
  advance(2);
  await resolve('farcaster', 'ALICE');
  expect(asked).toEqual(['farcaster alice', 'twitter alice', 'farcaster ALICE']);
});

test('error: a handle that nobody has is kept too, and one that cannot be one is not asked about', async () => {
  const { resolve, asked } = open('farcaster');
  const missing = (username: string) => ({ refusal: { code: 'account_not_found', platform: 'farcaster', username } });
  for (const username of ['bob', 'Bob', 'no handle']) {
    await expect(resolve('farcaster', username)).rejects.toMatchObject(missing(username));
  }
  expect(asked).toEqual(['farcaster bob']);
});

test('error: a platform that is off is named, and a failure is not kept', async () => {
  const { resolve, asked, failures } = open('farcaster');
  const off = { refusal: { code: 'platform_off', platform: 'twitter' } };
  await expect(resolve('twitter', 'alice')).rejects.toMatchObject(off);
  failures.push(fault('timeout', 'safe'));
  await expect(resolve('farcaster', 'alice')).rejects.toMatchObject({ reason: 'timeout' });
  expect((await resolve('farcaster', 'alice')).platformUserId).toBe('7');
  expect(asked).toEqual(['farcaster alice', 'farcaster alice']);
});
