import { expect, inject, test } from 'vitest';
import { openService, service, useService } from '../service.ts';
import { browserOf, walletOn } from './browser.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1003' } as const;
const PATH = '/my/rewards/farcaster/1003';
const notifications = 'https://api.neynar.com/f/app/1/event';

useService(() => openService({ signIn: walletOn(inject('anvilUrl')), config: { notifications } }));

test('behavior: an account turns notifications off and on at its rewards, once or twice', async () => {
  const browser = await browserOf(service, 'farcaster:1003');
  expect((await browser.get(PATH)).text).toContain('On, once you have added the mini app.');
  for (const off of ['true', 'true', 'false']) {
    const { status } = await browser.submit(PATH, `${PATH}/notifications`, { off });
    expect([off, status, await service.store.hasNotificationsOff(ALICE)]).toEqual([off, 303, off === 'true']);
    const words = off === 'true' ? 'Notifications are off.' : 'On, once you have added';
    expect((await browser.get(PATH)).text).toContain(words);
  }
  const events = await service.store.auditEvents({ limit: 3 });
  expect(events.map(({ action, actorName }) => [action, actorName]).slice(0, 2)).toEqual([
    ['notifications.on', 'farcaster:1003'],
    ['notifications.off', 'farcaster:1003'],
  ]);
});

test('security: nobody turns off those of another account', async () => {
  const browser = await browserOf(service, 'farcaster:777');
  expect((await browser.submit('/my/rewards', `${PATH}/notifications`, { off: 'true' })).status).toBe(404);
  expect(await service.store.hasNotificationsOff(ALICE)).toBe(false);
});

test('error: on a platform that sends none there is nothing to turn off', async () => {
  const browser = await browserOf(service, 'twitter:22');
  const { status } = await browser.submit('/my/rewards', '/my/rewards/x/22/notifications', { off: 'true' });
  expect(status).toBe(404);
  expect(await service.store.auditEvents({ limit: 1 })).not.toMatchObject([{ action: 'notifications.off' }]);
});
