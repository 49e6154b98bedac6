import { expect, test } from 'vitest';
import { endedEvent } from '../../../src/domain/events/event.ts';
import { DAY_MS, HOUR_MS } from '../../../src/domain/time.ts';
import { sampleAccount } from '../../support/earning.ts';
import { perCase } from '../../support/per-case.ts';
import { seedGig } from '../../support/store.ts';
import { openNotified } from './world.ts';

const world = perCase(openNotified);
const DAYS = { live: true, duration: 9 * DAY_MS } as const;

/** Awards one tip of a new gig. @returns how many notifications are looked at until its account is shown it */
async function looksUntilShown(fid: string): Promise<number> {
  const gig = await seedGig(world.store, DAYS);
  await world.award(gig.id, { [fid]: '1' });
  await world.read();
  const isShown = () => world.shown().some((line) => line.startsWith(`${fid} `));
  for (let looks = 0; looks < 400; looks += 1) {
    if (isShown()) return looks;
    await world.notifier.sendNext();
    world.advance(200);
  }
  throw new Error('it is not shown');
}

test('security: an account with many notifications that wait holds up no other account', async () => {
  for (let gigs = 0; gigs < 70; gigs += 1) {
    const gig = await seedGig(world.store, { ...DAYS, owners: [sampleAccount(1003)] });
    await world.store.transaction((tx) => tx.insertEvents([endedEvent(gig.id, world.clock())]));
  }
  await world.read();
  await world.send();
  expect(world.shown()).toHaveLength(1);
  world.advance(30_000);
  expect(await looksUntilShown('1001')).toBeLessThanOrEqual(5);
});

test('security: a gig with many earners holds up no other gig', async () => {
  const gig = await seedGig(world.store, { ...DAYS, rewardAmount: 10n ** 24n });
  for (let batch = 0; batch < 3; batch += 1) {
    const ids = Array.from({ length: 200 }, (_, index) => String(20_000 + 200 * batch + index));
    await world.award(gig.id, Object.fromEntries(ids.map((id) => [id, '1'])));
  }
  await world.read();
  world.advance(30_000);
  // Twice as many as the gig was allowed at once, and in these 30 seconds.
  expect(await looksUntilShown('1001')).toBeLessThanOrEqual(200);
  // Once what was due is sent, at once.
  await world.send();
  expect(await looksUntilShown('1002')).toBeLessThanOrEqual(5);
  expect(await world.kept()).toHaveLength(602);
});

test('security: what strangers cause takes neither the day nor the queue of an account from what it waits for', async () => {
  for (let gigs = 0; gigs < 120; gigs += 1) {
    const gig = await seedGig(world.store, DAYS);
    await world.award(gig.id, { 1001: '0.000001' });
  }
  await world.read();
  expect(await world.kept()).toHaveLength(80);
  for (let step = 0; step < 84; step += 1) {
    await world.send();
    world.advance(30_000);
  }
  expect(world.shown()).toHaveLength(80);
  const more = await seedGig(world.store, { ...DAYS, owners: [sampleAccount(1001)] });
  await world.award(more.id, { 1001: '1' });
  await world.store.transaction((tx) => tx.insertEvents([endedEvent(more.id, world.clock())]));
  await world.pass(2);
  expect(world.shown().at(-1)).toMatch(/^1001 Gig 121 ended/);
  expect(world.shown()).toHaveLength(81);
});

test('security: an account has at most 100 that wait, of however many gigs', async () => {
  for (let gigs = 0; gigs < 110; gigs += 1) {
    const gig = await seedGig(world.store, { ...DAYS, owners: [sampleAccount(1003)] });
    await world.store.transaction((tx) => tx.insertEvents([endedEvent(gig.id, world.clock())]));
  }
  await world.read();
  expect(await world.kept()).toHaveLength(100);
});

test('behavior: while the clock is behind that of the last notifications, an account still gets one in 30 seconds', async () => {
  const gigs = [];
  for (let count = 0; count < 4; count += 1) gigs.push(await seedGig(world.store, DAYS));
  const [first, ...rest] = gigs;
  world.advance(3 * HOUR_MS);
  await world.award(first?.id ?? 0, { 1001: '1' });
  await world.pass(1);
  world.advance(-2 * HOUR_MS);
  await world.store.transaction((tx) => tx.endWaits({ now: world.clock(), leaseMs: 30_000 }));
  // The clients of people have clocks of their own.
  world.network.notifications.forget();
  for (const { id } of rest) await world.award(id, { 1001: '1' });
  await world.pass(29);
  expect(world.shown()).toHaveLength(1);
  await world.pass(32);
  expect(world.shown()).toHaveLength(3);
  await world.award(rest[0]?.id ?? 0, { 1001: '1' });
  await world.pass(100);
  // Once more of a gig within the hour: not yet.
  expect(world.shown()).toHaveLength(3);
});
