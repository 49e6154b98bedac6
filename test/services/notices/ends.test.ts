import { expect, test } from 'vitest';
import { perCase } from '../../support/per-case.ts';
import { sampleAttempt, seedConfirmed, seedFee, seedHash, seedSent } from '../../support/store.ts';
import { ALICE, DAY, openScene, startByClient, UNIT } from './scene.ts';

const scene = perCase(openScene);

/** The refund of what the gig has not awarded, confirmed on the chain. */
async function refund(amount: bigint): Promise<void> {
  await scene.store.transaction((tx) => tx.markRefunded(1, scene.clock()));
  const { id } = await seedFee(scene.store, scene.gig, { kind: 'refund', amount });
  await seedSent(scene.store, [id], { nonce: 0, attempt: sampleAttempt(1) });
  await seedConfirmed(scene.store, id, { hash: seedHash(0xab) });
}

test('behavior: an owner is told that its gig is settled, and what was refunded in which transaction', async () => {
  const asked = await scene.say('notify gig 1');
  await startByClient(scene, scene.gig);
  await scene.tell();
  scene.advance(DAY);
  await scene.award(25n * UNIT);
  await scene.tell();
  await scene.store.transaction((tx) => tx.settleGig(1, scene.clock()));
  await scene.tell();
  await refund(75n * UNIT);
  await scene.tell();
  await scene.tell();
  expect(scene.under(asked).slice(2)).toEqual([
    'Gig 1 ended at 2 Jan 2026, 00:00 UTC. Awarded: 25 of 100 DEGEN.',
    'Gig 1 is settled: no more tips are awarded. Awarded: 25 of 100 DEGEN.',
    'Gig 1 is refunded: 75 DEGEN (tx 0x0000000000…).',
  ]);
  expect(await scene.store.telling(1, ALICE)).toMatchObject({ state: 'over' });
});

test('behavior: what an owner ends is in the answer, and not told again', async () => {
  const asked = await scene.say('notify gig 1');
  await startByClient(scene, scene.gig);
  await scene.tell();
  const stop = await scene.say('stop gig 1');
  await scene.tell();
  expect(scene.under(asked)).toHaveLength(2);
  expect(scene.under(stop)).toHaveLength(1);
  expect(await scene.store.telling(1, ALICE)).toMatchObject({ told: ['funded', 'live', 'ended'] });
});

test('behavior: an owner is told that another has cancelled its gig', async () => {
  const asked = await scene.say('notify gig 1');
  const lock = { holder: 'api', now: scene.clock(), until: scene.clock() + 60_000 };
  await scene.store.transaction(async (tx) => {
    await tx.lockGig(1, lock);
    await tx.cancelGig(1, lock);
  });
  scene.fund();
  await scene.tell();
  expect(scene.under(asked).slice(1)).toEqual(['Gig 1 is cancelled and will not start.']);
});
