import { expect, test } from 'vitest';
import type { News } from '../../../src/domain/notifications/notification.ts';
import { SEEDED_AT, seedGig } from '../../support/store.ts';
import { desk, useDesk } from '../admin.ts';
import { checkOf } from './setup.ts';

useDesk(() => ({
  NEYNAR_API_KEY: 'fake-key',
  NEYNAR_SIGNER_UUID: '00000000-0000-4000-8000-000000000001',
  NEYNAR_WEBHOOK_SECRETS: 'fake-secret',
  NEYNAR_BASE_URL: 'http://127.0.0.1:9',
  FARCASTER_BOT_FID: '9001',
  FARCASTER_BOT_USERNAME: 'gigclaim',
}));

const ON = { NOTIFICATIONS: 'true', NOTIFICATIONS_WEBHOOK_URL: 'https://api.neynar.com/f/app/1/event' };
const MANIFEST = { FARCASTER_MANIFEST_HEADER: 'a', FARCASTER_MANIFEST_PAYLOAD: 'b', FARCASTER_MANIFEST_SIGNATURE: 'c' };

const check = (env: Record<string, string>) => checkOf('notifications', env);

test('behavior: doctor says whether the mini app notifies, and what it lacks', async () => {
  expect(await check({})).toMatchObject({ mark: 'off', detail: 'Off: the mini app notifies nobody' });
  expect(await check(ON)).toMatchObject({ mark: 'failed', remedy: 'Set the three FARCASTER_MANIFEST settings.' });
  expect(await check({ ...ON, ...MANIFEST })).toMatchObject({
    mark: 'passed',
    detail: 'In the last day 0 sent, 0 to accounts that take none, 0 not wanted any more, 0 failed; 0 wait',
  });
});

test('error: doctor says what was sent, what failed and why', async () => {
  const gig = await seedGig(desk.store, { live: true });
  const now = SEEDED_AT - 3_600_000;
  const ends = ['sent', 'unreached', 'dropped', 'failed', 'queued'] as const;
  await desk.store.transaction(async (tx) => {
    for (const [place, state] of ends.entries()) {
      const account = { platform: 'farcaster', platformUserId: String(1_001 + place) };
      const what = { kind: 'live', gigId: gig.id, subjectId: gig.id, reason: null, amount: 0n, count: 1 } as const;
      const news: News = { ...account, ...what, eventUid: 'evt_1' };
      await tx.queueNews([{ ...news, nextAt: now }], now);
      const [row] = await tx.unsentNotifications([news]);
      const error = state === 'failed' ? 'Neynar answered 402: no credits' : null;
      if (state !== 'queued') await tx.giveUpNotification({ id: row?.id ?? 0, state, error, now });
    }
  });
  expect(await check({ ...ON, ...MANIFEST })).toMatchObject({
    mark: 'warning',
    detail:
      'In the last day 1 sent, 1 to accounts that take none, 1 not wanted any more, 1 failed; 1 wait, the oldest since 1 h ago',
    remedy: 'The last one failed 1 h ago: Neynar answered 402: no credits',
  });
});
