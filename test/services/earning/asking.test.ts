import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Target } from '../../../src/domain/earning/act.ts';
import type { Verifiers } from '../../../src/domain/earning/payouts/verifier.ts';
import { createAskingLanes } from '../../../src/services/earning/decide/asking-lanes.ts';
import { FARCASTER } from '../../platforms/setup.ts';
import { createEngine } from './engine.ts';
import { E18, MINUTE, START } from './gigs.ts';
import { type EarningWorld, openEarningWorld } from './world.ts';

const BOT: Target = { kind: 'account', accountId: String(FARCASTER.botFid) };
const URL_OF_VERIFIER = 'https://verifier.example/decide';

let world: EarningWorld;
beforeEach(async () => {
  world = await openEarningWorld();
});
afterEach(() => world.close());

test('behavior: a question that is not answered keeps no other gig waiting, and its origin gets no second one', async () => {
  for (const name of ['one', 'two', 'liker']) world.person(name);
  const { store, clock, reader, labels } = world;
  const answers: (() => void)[] = [];
  const verifiers: Verifiers = {
    urlOf: () => URL_OF_VERIFIER,
    ask: () => new Promise((resolve) => void answers.push(() => resolve([]))),
  };
  const asked: Promise<boolean>[] = [];
  const lanes = createAskingLanes({ lanes: 8, wake: () => void asked.push(lanes.askNext()) });
  const patient = createEngine({ store, clock, reader, labels, verifiers, lanes });
  for (const who of ['one', 'two']) {
    const terms = { gigType: 'custom_bounty', target: BOT, verifier: URL_OF_VERIFIER, holdMs: 0 } as const;
    const { id } = await world.gig({ ...terms, rule: { type: 'verifier', maxAmount: 40n * E18 } });
    const text = `@${FARCASTER.botUsername} submit ${id} my work with enough letters`;
    world.network.post({ author: who, text, at: clock.now });
  }
  const likes = await world.gig({ holdMs: 0 });
  world.act({ who: 'liker', kind: 'like', post: world.cast.id });
  // So long that the leases of the gigs of bounties are not over.
  await patient.until(START + MINUTE);
  await expect.poll(() => answers.length).toBe(1);
  expect(await world.outcome(likes)).toEqual({ liker: 'awarded' });
  answers[0]?.();
  await expect
    .poll(async () => {
      clock.now += 2_000;
      await patient.work();
      return answers.length;
    })
    .toBe(2);
  answers[1]?.();
  // Before the store is closed.
  expect(await Promise.all(asked)).toEqual([true, true]);
});
