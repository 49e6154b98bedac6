import { expect, test } from 'vitest';
import type { Verifiers } from '../../../src/domain/earning/payouts/verifier.ts';
import { createAskingLanes } from '../../../src/services/earning/decide/asking-lanes.ts';
import { createEngine } from './engine.ts';
import { MINUTE, START } from './gigs.ts';
import { openForEachTest, world } from './world.ts';

const URL_OF_VERIFIER = 'https://verifier.example/decide';

openForEachTest();

test('behavior: a question that is not answered keeps no other gig waiting, and its origin gets no second one', async () => {
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
    world.submit(who, await world.bounty({ verifier: URL_OF_VERIFIER }));
  }
  const likes = await world.gig({ holdMs: 0 });
  world.like('liker');
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
