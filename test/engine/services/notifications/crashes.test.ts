import { describe, expect, test } from 'vitest';
import type { Store } from '../../../../src/store/port/index.ts';
import { openNotified, PEOPLE } from '../../../services/notifications/world.ts';
import { isOnPostgres } from '../../../support/database.ts';
import { perCase } from '../../../support/per-case.ts';
import { seedGig } from '../../../support/store.ts';

const world = perCase(openNotified);

class Killed extends Error {
  override readonly name = 'Killed';
}

interface KillPoint {
  /** Which of its commits is the last thing that the process does. */
  readonly at: number;
  readonly when: 'before the commit' | 'after the commit';
}

/** The store of a process that is killed there; nothing of it is done afterwards. */
function mortal({ at, when }: KillPoint): { readonly store: Store; readonly commits: () => number } {
  let commits = 0;
  const transaction: Store['transaction'] = async (run, options) => {
    commits += 1;
    if (commits > at || (commits === at && when === 'before the commit')) throw new Killed('killed');
    const result = await world.store.transaction(run, options);
    if (commits === at) throw new Killed('killed');
    return result;
  };
  return { store: { ...world.store, transaction }, commits: () => commits };
}

/** Tips to everybody from two gigs: eight notifications. */
async function cause(): Promise<void> {
  for (let gigs = 0; gigs < 2; gigs += 1) {
    const gig = await seedGig(world.store, { live: true, rewardAmount: 10n ** 24n, duration: 100 * 86_400_000 });
    await world.award(gig.id, Object.fromEntries(PEOPLE.map((fid) => [fid, '1'])));
  }
}

const TOLD = 2 * PEOPLE.length;

/** Reads and sends until nothing is left; the limits of a person put the second one off. */
async function live({ read, send }: { read(): Promise<void>; send(): Promise<void> }): Promise<void> {
  await read();
  await send();
  world.advance(31_000);
  await send();
}

async function liveAndDie(point: KillPoint): Promise<number> {
  const dying = mortal(point);
  await live(world.processOf('dying', dying.store)).catch((error: unknown) => {
    if (!(error instanceof Killed)) throw error;
  });
  return dying.commits();
}

/** What each person was shown since: how many, each with an id of its own. */
function shownSince(before: number): number[] {
  const shown = world.network.notifications.shown().slice(before);
  expect(new Set(shown.map(({ uuid, fid }) => `${fid} ${uuid}`)).size).toBe(shown.length);
  return PEOPLE.map((fid) => shown.filter((each) => each.fid === fid).length);
}

async function endAll(): Promise<void> {
  // The leases of the dead process end, by the clock where others may live.
  await world.store.begin();
  world.advance(isOnPostgres() ? 60_000 : 31_000);
  await live(world.processOf('after'));
  world.advance(31_000);
  await world.send();
  expect((await world.kept()).filter((line) => !line.includes('tips sent'))).toEqual([]);
}

describe('a process that is killed', () => {
  test('security: at any commit: everybody is shown each notification once, under one id', async () => {
    await cause();
    const commits = await liveAndDie({ at: Number.MAX_SAFE_INTEGER, when: 'after the commit' });
    expect(shownSince(0)).toEqual(PEOPLE.map(() => 2));
    for (let at = 1; at <= commits; at += 1) {
      for (const when of ['before the commit', 'after the commit'] as const) {
        world.advance(3_700_000);
        const before = world.network.notifications.shown().length;
        await cause();
        await liveAndDie({ at, when });
        await endAll();
        expect([at, when, shownSince(before)]).toEqual([at, when, PEOPLE.map(() => 2)]);
      }
    }
    expect(commits).toBeGreaterThan(2 * TOLD);
  });

  test('security: with its answers lost: the same', async () => {
    await cause();
    for (let lost = 1; lost <= TOLD + 2; lost += 1) {
      Object.assign(world.network.faults, { api: 'drop_answer', route: 'notification', remaining: 1 });
      await live(world.processOf(`lost ${lost}`));
      await world.store.begin();
      world.advance(31_000);
    }
    await endAll();
    expect(shownSince(0)).toEqual(PEOPLE.map(() => 2));
  });
});

test('security: two processes at the same time show everybody each notification once, and keep the limits', async () => {
  await cause();
  const [one, two] = [world.processOf('one'), world.processOf('two')];
  await Promise.all([one.read(), two.read()]);
  for (let step = 0; step < 8; step += 1) {
    await Promise.all([one.send(), two.send(), one.send(), two.send()]);
    world.advance(10_000);
  }
  await endAll();
  expect(shownSince(0)).toEqual(PEOPLE.map(() => 2));
  const failed = [one, two].map(({ counter }) => counter.tally().failed);
  expect(failed).toEqual([0, 0]);
});
