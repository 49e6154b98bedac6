import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFarcasterNetwork, type FarcasterNetwork } from '../../../../sandbox/networks/farcaster.ts';
import { NETWORK_CREDENTIALS } from '../../../../sandbox/people.ts';
import { COMMAND_LINE } from '../../../../src/domain/operators/actor.ts';
import { awardTips } from '../../../../src/services/gigs/tips/award-tips.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { dieAtEveryCommit, wasKilled } from '../../../support/deaths.ts';
import type { NotifyOrder } from '../../../support/notify-child.ts';
import { run } from '../../../support/process.ts';
import { seedGig } from '../../../support/store.ts';

const PEOPLE = ['1001', '1002', '1003'];
const MOST_DEATHS = 60;
/** Longer than a lease, and than the network's pause for a person. */
const LATER_MS = 61_000;

let database: TestDatabase;
let network: FarcasterNetwork;
let aheadMs: number;
const clock = () => Date.now() + aheadMs;

beforeEach(async () => {
  aheadMs = 0;
  database = await createTestDatabase();
  network = createFarcasterNetwork({ ...NETWORK_CREDENTIALS.farcaster, clock });
  await network.start();
  for (const id of PEOPLE) network.addUser({ id, username: `user${id}` });
  // Where notifications are turned on, what happened before is no news.
  await wasKilled(start(null));
});
afterEach(async () => {
  await network.stop();
  await database.remove();
});

function start(dies: NotifyOrder['dies']) {
  const order: NotifyOrder = { url: database.url, network: network.url, aheadMs, dies };
  return run('test/support/notify-child.ts', { args: [JSON.stringify(order)] });
}

/** A gig that awards everybody a tip. */
async function award(): Promise<void> {
  const store = await database.open();
  const gig = await seedGig(store, { live: true, startTime: clock(), duration: 86_400_000 });
  const tips = PEOPLE.map((platformUserId) => {
    return { platform: 'farcaster', platformUserId, value: '1', username: null, userAddress: null };
  });
  const deed = { actor: COMMAND_LINE, now: clock() };
  await store.transaction((tx) => awardTips(tx, { gigId: gig.id, tips }, deed));
  await store.close();
}

/** How many each person was shown; none twice under one id. */
function shown(): number[] {
  const all = network.notifications.shown();
  expect(new Set(all.map(({ fid, uuid }) => `${fid} ${uuid}`)).size).toBe(all.length);
  return PEOPLE.map((id) => all.filter(({ fid }) => fid === id).length);
}

test('security: a process that is killed at any commit of a notification has it shown once', async () => {
  const deaths = await dieAtEveryCommit(MOST_DEATHS, async (before) => {
    await award();
    return {
      start(dies) {
        if (dies === null) aheadMs += LATER_MS;
        return start(dies);
      },
      async check() {
        expect([before, shown()]).toEqual([before, PEOPLE.map(() => before + 1)]);
        aheadMs += LATER_MS;
      },
    };
  });
  // A release, a read, and of each notification its lease and its end.
  expect(deaths).toBeGreaterThanOrEqual(2 * (2 + 2 * PEOPLE.length));
}, 600_000);

test('security: two processes, of which one is killed with a request under way, show each notification once', async () => {
  const ROUNDS = 6;
  for (let round = 1; round <= ROUNDS; round += 1) {
    await award();
    Object.assign(network.faults, {
      api: round % 2 === 0 ? 'drop_answer' : 'none',
      route: 'notification',
      remaining: 1,
    });
    const [one, two] = [start(null), start({ when: 'before', commit: 2 + round })];
    await Promise.all([one.ended, two.ended]);
    Object.assign(network.faults, { api: 'none', remaining: null });
    for (let again = 0; again < 2; again += 1) {
      aheadMs += LATER_MS;
      expect(await wasKilled(start(null))).toBe(false);
    }
    expect([round, shown()]).toEqual([round, PEOPLE.map(() => round)]);
    aheadMs += LATER_MS;
  }
}, 600_000);
