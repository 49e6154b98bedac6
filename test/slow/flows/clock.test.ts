import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { createLoginLink, openSessionByLink } from '../../../src/services/operators/sessions.ts';
import { readReady } from '../../support/clients.ts';
import { seedGig, seedToken } from '../../support/store.ts';
import { openWorld, type World } from '../../support/world.ts';

const MINUTE = 60_000;

let world: World;
let offset = 0;
beforeEach(async () => {
  offset = 0;
  world = await openWorld({ clock: () => Date.now() + offset });
});
afterEach(() => world.close());

const reasons = async () => (await readReady(world)).reasons;

async function restartAt(change: number): Promise<void> {
  await world.stop();
  offset = change;
  await world.start();
}

test('error: that a clock was set back holds through further starts until the clock is where it stood', async () => {
  const setBack = expect.objectContaining({ kind: 'clock_off', subject: 'clock' });
  for (const minutes of [-120, -119, -60]) {
    await restartAt(minutes * MINUTE);
    expect([await reasons(), minutes]).toEqual([expect.arrayContaining([setBack]), minutes]);
  }
  // Nor does it look like an old ledger, at any time.
  await restartAt(MINUTE);
  expect(await reasons()).not.toContainEqual(setBack);
  expect(await world.runtime.store.idSkips(1)).toEqual([]);
});

test('security: a start by a clock that was set back since the last beat says so, and no expired link works', async () => {
  const { store } = world.runtime;
  expect((await store.ledgerState()).beatAt).not.toBeNull();
  // It expired a minute ago.
  const elevenMinutesAgo = () => Date.now() - 11 * MINUTE;
  const made = { store, clock: elevenMinutesAgo, randomBytes };
  const { token: link } = await createLoginLink(made, { actor: COMMAND_LINE });
  await restartAt(-5 * MINUTE);
  const setBack = expect.objectContaining({
    kind: 'clock_off',
    subject: 'clock',
    text: expect.stringMatching(/^The clock was set back by [45] minutes\. Until /),
  });
  expect(await reasons()).toContainEqual(setBack);
  const deps = { store: world.runtime.store, clock: () => Date.now() + offset, randomBytes };
  expect(await openSessionByLink(deps, { link, requestId: null })).toBeNull();
});

test('security: after a jump ahead no gig that it makes due is settled, until ten minutes have passed', async () => {
  await world.stop();
  let passed = 0;
  const elapsed = () => performance.now() + passed;
  const other = await openWorld({ clock: () => Date.now() + offset, elapsed });
  onTestFinished(() => other.close());
  const { store } = other.runtime;
  const startTime = Date.now() - 60 * MINUTE;
  // Settling asks the chain first.
  const { id: tokenId } = await seedToken(store, { chainId: 31337 });
  const gig = await seedGig(store, { live: true, startTime, tokenId });
  offset = 30 * 24 * 60 * MINUTE;
  const settledAt = async (id: number) => (await store.gig(id))?.settledAt ?? null;
  const jumped = () => other.lines.some((line) => line.includes('system clock jumped ahead'));
  await expect.poll(jumped).toBe(true);
  // Longer than the jobs wait between two looks.
  await wait(6_000);
  expect(await settledAt(gig.id)).toBeNull();
  passed = 10 * MINUTE;
  await expect.poll(() => settledAt(gig.id)).not.toBeNull();
});
