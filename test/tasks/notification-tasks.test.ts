import { expect, test } from 'vitest';
import { DAY_MS } from '../../src/domain/time.ts';
import { createNotificationTasks } from '../../src/tasks/notification-tasks.ts';
import { openNotified } from '../services/notifications/world.ts';
import { perCase } from '../support/per-case.ts';
import { seedGig } from '../support/store.ts';

const world = perCase(openNotified);

const tasksWith = (notifications: string | null) =>
  createNotificationTasks({
    ...world.contexts,
    config: { notifications, publicUrl: 'https://gigs.example' },
    timing: { tell: { leaseMs: 30_000, backoffMs: 10_000 } },
    hasJumped: () => false,
    elapsed: () => 0,
    sleep: async () => true,
  });

test('behavior: once notifications are turned off, what is left of them is forgotten after a month', async () => {
  const [one, two] = [await seedGig(world.store, { live: true }), await seedGig(world.store, { live: true })];
  await world.award(one.id, { 1001: '1' });
  await world.award(two.id, { 1001: '1' });
  await world.pass(1);
  expect(await world.kept()).toEqual(['1001 tips sent 1', '1001 tips queued 0']);
  world.advance(31 * DAY_MS);
  for (const { run } of tasksWith(null))
    await run(
      () => undefined,
      async (work) => void (await work),
    );
  expect(await world.kept()).toEqual([]);
  expect(tasksWith('https://api.neynar.com/f/app/1/event').map(({ name }) => name)).toEqual([
    ...['read news', 'notify', 'forget notifications'],
  ]);
});
