import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Gig, gigPhase } from '../../../src/domain/gigs/gig.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { prepareEnd } from '../../../src/services/ends/end-gig.ts';
import { settleDueGigs } from '../../../src/services/ends/settle-due-gigs.ts';
import { startGig } from '../../../src/services/gigs/start-gig.ts';
import { awardTips } from '../../../src/services/gigs/tips/award-tips.ts';
import { carryOut } from '../../../src/services/prepared.ts';
import { perCase } from '../../support/per-case.ts';
import { type GigSeed, seedGig } from '../../support/store.ts';
import { keepSteps } from '../fakes.ts';
import { createWorld, HOUR } from '../world.ts';

const DAY = 24 * HOUR;

const world = perCase(createWorld);

/** A gig that is funded and started now. */
async function startNow(terms: GigSeed = {}): Promise<Gig> {
  const { store, ledger, clock } = world;
  const gig = await seedGig(store, { startTime: clock() - DAY, duration: 3 * DAY, ...terms });
  ledger.fund(gig.walletAddress, gig.rewardAmount + gig.feeAmount);
  const deps = { store, chains: ledger.chains, payers: null, treasury: null, clock, randomBytes };
  return await startGig(deps, { gigId: gig.id, holder: 'start', actor: COMMAND_LINE });
}

function award({ id: gigId }: Gig) {
  const tips = [{ platform: 'farcaster', platformUserId: '7', username: null, value: '1', userAddress: null }] as const;
  return world.store.transaction((tx) => awardTips(tx, { gigId, tips }, { actor: COMMAND_LINE, now: world.clock() }));
}

const stop = ({ id: gigId }: Gig) =>
  carryOut(world, prepareEnd({ gigId, ending: 'stop', actor: COMMAND_LINE, holder: 'stop' }));

const active = async () => {
  const found = await world.store.gigs({ phase: 'active', now: world.clock(), limit: 10 });
  return found.map(({ id }) => id);
};

test('behavior: a gig that was started before the clock was set back two hours takes awards and is active', async () => {
  const gig = await startNow();
  world.advance(-2 * HOUR);
  expect(gigPhase(gig, world.clock())).toBe('live');
  expect(await active()).toEqual([gig.id]);
  expect((await award(gig)).tips).toHaveLength(1);
});

test('behavior: a gig whose window is still to come waits for it, wherever the clock was', async () => {
  const gig = await startNow({ startTime: world.clock() + HOUR });
  await expect(award(gig)).rejects.toMatchObject({ refusal: { code: 'gig_not_running', phase: 'scheduled' } });
  world.advance(-2 * HOUR);
  await expect(award(gig)).rejects.toMatchObject({ refusal: { code: 'gig_not_running', phase: 'scheduled' } });
  expect(await active()).toEqual([]);
});

test('behavior: a stop after the clock was set back ends the gig at its start, and never before', async () => {
  const gig = await startNow();
  world.advance(-2 * HOUR);
  const stopped = await stop(gig);
  expect(stopped).toMatchObject({ startTime: gig.startTime, endTime: gig.startTime, stoppedAt: gig.startTime });
  expect(await world.store.gig(gig.id)).toEqual(stopped);
  expect(gigPhase(stopped, world.clock())).toBe('ended');
});

test('behavior: a stop before the window leaves an empty window at the stop, and nothing waits for the planned start', async () => {
  const gig = await startNow({ startTime: world.clock() + 30 * DAY, awardDays: 0 });
  const now = world.clock();
  const stopped = await stop(gig);
  expect(stopped).toMatchObject({ startTime: now, endTime: now, stoppedAt: now });
  await settleDueGigs({ ...world, ...keepSteps() });
  expect(await world.store.gig(gig.id)).toMatchObject({ startTime: now, endTime: now, settledAt: now });
});
