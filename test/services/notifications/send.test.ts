import { describe, expect, test } from 'vitest';
import type { Faults } from '../../../sandbox/networks/faults.ts';
import { endedEvent } from '../../../src/domain/events/event.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/domain/time.ts';
import { forgetNotifications } from '../../../src/services/notifications/send-notifications.ts';
import { sampleAccount } from '../../support/earning.ts';
import { perCase } from '../../support/per-case.ts';
import { seedGig } from '../../support/store.ts';
import { openNotified } from './world.ts';

const world = perCase(openNotified);

/** Tips of as many gigs, which are told one by one. @returns the ids of the gigs */
async function tell(times: number, fid = '1001'): Promise<number[]> {
  const ids: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const gig = await seedGig(world.store, { live: true, duration: 9 * DAY_MS });
    await world.award(gig.id, { [fid]: '1' });
    ids.push(gig.id);
  }
  await world.read();
  return ids;
}

const fail = (fault: Partial<Faults>) => Object.assign(world.network.faults, { route: 'notification', ...fault });

async function errorOf(): Promise<unknown> {
  return (await world.database.sql('select error from notifications order by id'))[0]?.['error'];
}

describe('what goes wrong', () => {
  test.each([
    ['rate_limited', 1, 'Neynar answered 429 to “send a notification”: Rate limit exceeded'],
    ['server_error', 2, 'Neynar answered 500 to “send a notification”: Internal server error'],
    ['html', 1, 'Neynar answered 502 to “send a notification”'],
    ['drop_answer', 1, null],
  ] as const)('error: %s waits, and the notification is shown once', async (api, remaining, error) => {
    await tell(1);
    fail({ api, remaining });
    await world.send();
    expect(await world.kept()).toEqual(['1001 tips queued 1']);
    if (error !== null) expect(await errorOf()).toMatch(error);
    await world.pass(120);
    expect(world.shown()).toHaveLength(1);
    expect(await world.kept()).toEqual([`1001 tips sent ${remaining + 1}`]);
    expect(await errorOf()).toBeNull();
  });

  test.each(['payment_required', 'unauthorized'] as const)('error: %s ends the notification', async (api) => {
    await tell(1);
    fail({ api, remaining: 1 });
    await world.pass(120);
    expect(await world.kept()).toEqual(['1001 tips failed 1']);
    expect(world.shown()).toEqual([]);
  });

  test('error: while the route fails, one notification is tried and no other, and replies do not wait', async () => {
    await tell(1, '1001');
    await tell(1, '1002');
    fail({ api: 'server_error', remaining: null });
    await world.pass(9);
    expect(await world.kept()).toEqual(['1001 tips queued 1', '1002 tips queued 0']);
    fail({ api: 'none' });
    await world.pass(60);
    expect(
      world
        .shown()
        .map((line) => line.slice(0, 4))
        .sort(),
    ).toEqual(['1001', '1002']);
  });

  test('behavior: an account that has not added the mini app is no failure, and neither is an unknown one', async () => {
    world.network.notifications.add('1001', false);
    await tell(1, '1001');
    await tell(1, '777');
    await world.pass(2);
    expect(await world.kept()).toEqual(['1001 tips unreached 1', '777 tips unreached 1']);
    expect(world.counter.tally()).toEqual({ delivered: 2, failed: 0, given_up: 0 });
  });

  test('error: what no client of the account takes ends, and holds up no other', async () => {
    world.network.notifications.broken.add('1001');
    await tell(1, '1001');
    await tell(1, '1002');
    await world.send();
    expect(await world.kept()).toEqual(['1001 tips failed 1', '1002 tips sent 1']);
    expect(await errorOf()).toBe('Neynar did not deliver a notification: no client of the account takes it');
  });

  test('error: what cannot be sent for 20 hours is given up, tried or not', async () => {
    await tell(2);
    fail({ api: 'server_error', remaining: null });
    for (let step = 0; step < 50; step += 1) {
      await world.send();
      world.advance(HOUR_MS / 2);
    }
    fail({ api: 'none' });
    await world.send();
    expect((await world.kept()).map((line) => line.split(' ')[2])).toEqual(['failed', 'failed']);
    expect(world.shown()).toEqual([]);
  });
});

describe('the limits of the platform', () => {
  test('behavior: a person is shown at most one in 30 seconds and 100 a day, and the network refuses none', async () => {
    const start = async (gigs: number) => {
      for (let gig = 0; gig < gigs; gig += 1) {
        const { id } = await seedGig(world.store, { live: true, duration: 9 * DAY_MS, owners: [sampleAccount(1001)] });
        await world.store.transaction((tx) => tx.insertEvents([endedEvent(id, world.clock())]));
      }
      await world.read();
    };
    await start(60);
    for (let step = 0; step < 103 * 3; step += 1) {
      if (step === 60) await start(43);
      await world.send();
      world.advance(10_000);
    }
    expect(world.shown()).toHaveLength(100);
    const times = world.network.notifications.shown().map(({ at }) => at);
    expect(Math.min(...times.slice(1).map((at, index) => at - (times[index] ?? 0)))).toBeGreaterThanOrEqual(30_000);
    expect(world.counter.tally()).toEqual({ delivered: 100, failed: 0, given_up: 0 });
    // The rest is no news once there would be room.
    expect((await world.kept()).filter((line) => line.includes('failed 0'))).toHaveLength(3);
  });

  test('behavior: what a client refuses for now is told once it takes it', async () => {
    // Another program of the operator has just notified the account.
    await fetch(`${world.network.url}/v2/farcaster/frame/notifications`, {
      method: 'POST',
      headers: { 'x-api-key': 'fake-neynar-api-key', 'content-type': 'application/json' },
      body: JSON.stringify({ target_fids: [1001], notification: { title: 'a', body: 'b', target_url: 'https://a.b' } }),
    });
    await tell(1);
    await world.send();
    expect(await world.kept()).toEqual(['1001 tips queued 1']);
    await world.pass(60);
    expect(world.shown()).toHaveLength(2);
    expect(await world.kept()).toEqual(['1001 tips sent 2']);
  });
});

describe('who wants none', () => {
  test.each([
    [
      'notify off',
      (off: boolean) => world.store.transaction((tx) => tx.setNotificationsOff(sampleAccount(1001), off, 1)),
    ],
    ['stop', (off: boolean) => world.store.transaction((tx) => tx.setOptedOut(sampleAccount(1001), off, 1))],
  ])('behavior: after “%s” what waits is not sent', async (_, turn) => {
    await tell(2);
    await world.send();
    await turn(true);
    await world.pass(40);
    expect(await world.kept()).toEqual(['1001 tips sent 1', '1001 tips dropped 0']);
    expect(world.shown()).toHaveLength(1);
    await turn(false);
    await world.pass(40);
    expect(world.shown()).toHaveLength(1);
  });
});

test('behavior: it is sent with the page that it is about, and the log names no words', async () => {
  const [gigId = 0] = await tell(1);
  await world.store.transaction((tx) =>
    tx.insertEvents([
      {
        type: 'accounts.refused',
        at: world.clock(),
        gigId,
        facts: { refusals: [{ account: 'farcaster:1002', reason: 'not_drawn' }] },
      },
    ]),
  );
  await world.pass(2);
  expect(world.network.notifications.shown().map(({ url }) => url)).toEqual([
    'https://gigs.example/claim/farcaster/1001',
    `https://gigs.example/gigs/${gigId}`,
  ]);
  expect(world.lines.map(({ msg, kind, platformUserId }) => [msg, kind, platformUserId])).toEqual([
    ['notification delivered', 'tips', '1001'],
    ['notification delivered', 'not_drawn', '1002'],
  ]);
});

test('behavior: notifications are forgotten a month after they have ended, and no other', async () => {
  await tell(2);
  await world.send();
  const deps = { store: world.store, clock: world.clock };
  world.advance(9 * DAY_MS - MINUTE_MS);
  await world.send();
  expect(await world.kept()).toEqual(['1001 tips sent 1', '1001 tips failed 0']);
  world.advance(21 * DAY_MS);
  await forgetNotifications(deps);
  expect(await world.kept()).toHaveLength(2);
  world.advance(2 * MINUTE_MS);
  await forgetNotifications(deps);
  expect(await world.kept()).toEqual(['1001 tips failed 0']);
});

test('behavior: when the clock is set back, what waits is sent after the wait that is left', async () => {
  await tell(2);
  await world.send();
  world.advance(1_000);
  await world.send();
  world.advance(-3 * HOUR_MS);
  await world.store.transaction((tx) => tx.endWaits({ now: world.clock(), leaseMs: 30_000 }));
  await world.send();
  expect(await world.kept()).toEqual([
    expect.stringMatching(/^1001 tips sent/),
    expect.stringMatching(/^1001 tips (sent|queued)/),
  ]);
});
