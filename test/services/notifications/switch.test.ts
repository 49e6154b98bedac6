import { beforeEach, expect, test } from 'vitest';
import { sampleAccount } from '../../support/earning.ts';
import { perCase } from '../../support/per-case.ts';
import { ask, createWorld } from '../world.ts';

const world = perCase(() => createWorld({ offered: ['notifications'] }));
const ALICE = sampleAccount(1001);

beforeEach(() => {
  Object.assign(world.farcaster.network, { notify: async () => 'sent' });
});

const say = (text: string) => ask(world, { text: `@gigclaim ${text}` });
const acts = async () =>
  (await world.store.auditEvents({ limit: 9 })).map(({ action, subjectId }) => [action, subjectId]);

test('behavior: an account turns notifications off and on by a mention, and each change is on record once', async () => {
  expect(await say('notify off')).toBe(
    'You\'ll get no more notifications from my mini app. To get them again, send "notify on".',
  );
  expect(await world.store.quietAccounts([ALICE])).toEqual([ALICE]);
  await say('Notifications off!');
  expect(await say('notify on')).toBe(
    'You\'ll get notifications once you have added my mini app. To stop, send "notify off".',
  );
  expect(await world.store.quietAccounts([ALICE])).toEqual([]);
  expect(await acts()).toEqual([
    ['notifications.on', 'farcaster:1001'],
    ['notifications.off', 'farcaster:1001'],
  ]);
});

test('behavior: on a platform without notifications it says so, and changes nothing', async () => {
  const reply = await ask(world, { platform: 'twitter', text: '@gigclaim notify off' });
  expect(reply).toContain('I send no notifications on X.');
  expect(await acts()).toEqual([]);
});

test('behavior: "unsubscribe" stops notifications as it stops replies, and "unstop" brings both back', async () => {
  await say('unsubscribe');
  expect(await world.store.quietAccounts([ALICE])).toEqual([ALICE]);
  await say('unstop');
  expect(await world.store.quietAccounts([ALICE])).toEqual([]);
});
