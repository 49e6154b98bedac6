import { describe, expect, test } from 'vitest';
import { SEEDED_AT } from '../../support/store.ts';
import { desk, output, outputRows, refusal, useDesk } from '../admin.ts';

const MALLORY = { platform: 'farcaster', platformUserId: '666' } as const;

useDesk();

const account = (...args: string[]) => desk.admin(['account', ...args]);

describe('account block, unblock and list', () => {
  test('behavior: blocks and unblocks an account, lists the blocked ones, and records both', async () => {
    expect((await account('list')).out).toBe('No account is blocked.\n');
    await desk.store.transaction((tx) => tx.setUsername({ ...MALLORY, username: 'mallory' }, SEEDED_AT));
    expect(await output(account('block', 'farcaster', '666', '--reason', ' sells likes '))).toBe(
      'farcaster:666 earns nothing from watched gigs until account unblock.\n',
    );
    expect(await desk.store.isBlocked(MALLORY)).toBe(true);
    expect(await desk.json('account', 'list')).toEqual([
      {
        id: 1,
        platform: 'farcaster',
        platform_user_id: '666',
        username: 'mallory',
        blocked_at: '2026-01-01T00:00:00.000Z',
        reason: 'sells likes',
      },
    ]);
    expect(await outputRows(account('list'))).toEqual([
      'id|account|blocked|reason',
      '1|farcaster:666 (@mallory)|2026-01-01T00:00:00.000Z|sells likes',
    ]);
    expect((await account('unblock', 'farcaster', '666')).out).toBe(
      'farcaster:666 can earn again. Earlier refusals stay.\n',
    );
    expect(await desk.store.isBlocked(MALLORY)).toBe(false);
    const subject = { actor: 'operator', name: 'command line', subject: 'account', subject_id: 'farcaster:666' };
    expect(await desk.json('audit', 'list')).toMatchObject([
      { ...subject, action: 'account.unblock', detail: {} },
      { ...subject, action: 'account.block', detail: { reason: 'sells likes' } },
    ]);
  });

  test('behavior: lists page by page, newest block first', async () => {
    for (const id of ['1', '2', '3']) await account('block', 'farcaster', id, '--reason', 'farm');
    const ids = (...args: string[]) => desk.column('platform_user_id', 'account', 'list', ...args);
    expect(await ids('--limit', '2')).toEqual(['3', '2']);
    expect(await ids('--before', '2')).toEqual(['1']);
  });

  test('error: a second block, an unblock of one that is not blocked and an empty reason change nothing', async () => {
    await account('block', 'farcaster', '666', '--reason', 'first');
    const twice = await account('block', 'farcaster', '666', '--reason', 'second');
    expect(twice).toEqual({ code: 1, out: '', err: 'farcaster:666 is blocked already.\n' });
    expect((await account('unblock', 'farcaster', '7')).err).toBe('farcaster:7 is not blocked.\n');
    const empty = await account('block', 'farcaster', '7', '--reason', ' ');
    expect(empty.err).toBe('reason must have 1 to 500 characters\n');
    expect(await desk.json('audit', 'list')).toHaveLength(1);
    expect(await desk.json('account', 'list')).toMatchObject([{ platform_user_id: '666', reason: 'first' }]);
  });

  test('error: wrong usage is said', async () => {
    expect((await account('block', 'farcaster', '666')).err).toContain("required option '--reason <text>'");
    const named = await account('block', 'farcaster', 'mallory', '--reason', 'x');
    expect([named.code, named.err]).toEqual([
      2,
      expect.stringContaining('must be a Farcaster FID or an X user id: a positive whole number of at most 20 digits'),
    ]);
    expect(await refusal(account('block', 'x', '666', '--reason', 'x'))).toBe(
      'Nothing is watched on X: a block would change nothing. Tips there are awarded only by request.\n',
    );
    expect((await account('block', 'myspace', '666', '--reason', 'x')).code).toBe(2);
  });
});
