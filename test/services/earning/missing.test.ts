import { expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { findOwnEarning } from '../../../src/services/gigs/show/show-earnings.ts';
import { HOUR, START } from './gigs.ts';
import { openForEachTest, world } from './world.ts';

openForEachTest();

async function missing(gig: Gig, id: string) {
  return (await findOwnEarning(world, { gigId: gig.id, viewer: world.account(id) })).missing;
}

test('behavior: a held like that was taken back is told to be missing until it is there again', async () => {
  const gig = await world.gig();
  const { engine } = world;
  const [ann, ben] = [world.person('ann'), world.person('ben')];
  world.likes('ann', 'ben');
  await engine.until(START + HOUR);
  expect([await missing(gig, ann), await missing(gig, ben)]).toEqual([null, null]);
  world.unlike('ben');
  expect(await missing(gig, ben)).toBeNull();
  await engine.until(START + 2 * HOUR);
  expect([await missing(gig, ann), await missing(gig, ben)]).toEqual([null, 'like']);
  world.like('ben');
  await engine.until(START + 3 * HOUR);
  expect(await missing(gig, ben)).toBeNull();
});

test('behavior: a boost whose recast was taken back and whose quote stands is not missing', async () => {
  const gig = await world.gig({ gigType: 'boost' });
  const { engine } = world;
  const ann = world.person('ann');
  for (const who of ['ann', 'ben']) world.recast(who);
  world.quote('ann', 'Look at this, it is a great thing');
  await engine.until(START + HOUR);
  world.unrecast('ann');
  await engine.until(START + 2 * HOUR);
  expect(await missing(gig, ann)).toBeNull();
});
