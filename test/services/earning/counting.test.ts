import { expect, test } from 'vitest';
import { advanceNextWatch } from '../../../src/services/earning/advance-watch.ts';
import { createEarningCounter } from '../../../src/services/earning/tally.ts';
import { DAY, END } from './gigs.ts';
import { openForEachTest, world } from './world.ts';

openForEachTest();

test('behavior: new acts, looks, complete sweeps and settled gigs are counted, failed steps are not', async () => {
  const counter = createEarningCounter();
  const work = async () => {
    while (await advanceNextWatch({ ...world.engine.deps, counter }, 'farcaster'));
  };
  await world.gig({ holdMs: 0 });
  world.likes('ann', 'ben');
  world.network.faults.api = 'server_error';
  await work();
  expect(counter.tally()).toMatchObject({ looks: 0, sweeps: 0 });
  world.network.faults.api = 'none';
  world.clock.now += 60_000;
  await work();
  expect(counter.tally()).toEqual({
    observations: { webhook: 0, look: 0, sweep: 2, start: 0 },
    looks: 0,
    sweeps: 1,
    settled: 0,
    verifier: { answered: 0, failed: 0 },
  });
  // The sweep that had failed began before they were seen: another one judges them.
  world.clock.now += 600_000;
  await work();
  expect(counter.tally()).toMatchObject({ looks: 0, sweeps: 2 });
  world.clock.now += 600_000;
  await work();
  expect(counter.tally()).toMatchObject({ looks: 1, sweeps: 2 });
  world.clock.now = END + DAY;
  await work();
  expect(counter.tally()).toMatchObject({ settled: 1, sweeps: 3 });
});
