import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { findOwnEarning } from '../../../src/services/gigs/show/show-earnings.ts';
import { HOUR, START } from './gigs.ts';
import { type EarningWorld, openEarningWorld } from './world.ts';

let world: EarningWorld;
beforeEach(async () => {
  world = await openEarningWorld();
});
afterEach(() => world.close());

async function missing(gig: Gig, id: string) {
  return (await findOwnEarning(world, { gigId: gig.id, viewer: world.account(id) })).missing;
}

test('behavior: a held like that was taken back is told to be missing until it is there again', async () => {
  const gig = await world.gig();
  const { engine, cast } = world;
  const [ann, ben] = [world.person('ann'), world.person('ben')];
  const like = { kind: 'like', post: cast.id } as const;
  for (const who of ['ann', 'ben']) world.act({ ...like, who });
  await engine.until(START + HOUR);
  expect([await missing(gig, ann), await missing(gig, ben)]).toEqual([null, null]);
  world.act({ kind: 'unlike', who: 'ben', post: cast.id });
  expect(await missing(gig, ben)).toBeNull();
  await engine.until(START + 2 * HOUR);
  expect([await missing(gig, ann), await missing(gig, ben)]).toEqual([null, 'like']);
  world.act({ ...like, who: 'ben' });
  await engine.until(START + 3 * HOUR);
  expect(await missing(gig, ben)).toBeNull();
});

test('behavior: a boost whose recast was taken back and whose quote stands is not missing', async () => {
  const gig = await world.gig({ gigType: 'boost' });
  const { engine, cast } = world;
  const ann = world.person('ann');
  world.person('ben');
  for (const who of ['ann', 'ben']) world.act({ kind: 'recast', who, post: cast.id });
  world.act({ kind: 'quote', who: 'ann', post: cast.id, text: 'Look at this, it is a great thing' });
  await engine.until(START + HOUR);
  world.act({ kind: 'unrecast', who: 'ann', post: cast.id });
  await engine.until(START + 2 * HOUR);
  expect(await missing(gig, ann)).toBeNull();
});
