import { afterEach, beforeEach, expect, test } from 'vitest';
import { CROWD_ACCOUNT, CROWD_POST } from '../services/earning/crowd.ts';
import { openGig } from '../services/earning/gigs.ts';
import { HELD, holdRule } from '../services/earning/holders.ts';
import { ask, createWorld, HOUR, type World } from '../services/world.ts';

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

const openHold = (more: object = {}) =>
  openGig(world.store, {
    gigType: 'hold',
    target: CROWD_ACCOUNT,
    rule: holdRule({ type: 'split', roundMs: HOUR, maxAmount: 10n ** 18n }),
    holdMs: 2 * HOUR,
    startTime: world.clock(),
    ...more,
  });

const say = (text: string, platform: 'farcaster' | 'twitter' = 'farcaster') =>
  ask(world, { platform, authorId: '1001', text: `@gigclaim ${text}` });

test('behavior: a mention enters its author, who is told what to hold and for how long; again it is told how it stands', async () => {
  const { id } = await openHold();
  expect(await say(`join ${id}`)).toContain(
    `You entered gig ${id}. Hold 100 ${HELD.symbol} now and for 1 hour. To see the result, mention me with "why ${id}".`,
  );
  expect(await world.store.entry(id, { platform: 'farcaster', platformUserId: '1001' })).toMatchObject({
    state: 'joined',
  });
  expect(await say(`enter gig #${id}, please`)).toMatch(new RegExp(`^You entered gig ${id} before\\. Held`));
  expect(await say(`gig ${id}`)).toContain(`To enter, mention me with "join ${id}".`);
});

test('error: nobody enters a gig that is earned by acts, that is elsewhere, not live or unknown', async () => {
  const like = await openGig(world.store, { target: CROWD_POST });
  const later = await openHold({ startTime: world.clock() + HOUR });
  const onX = await openHold({ platform: 'twitter' });
  expect(await say(`join ${like.id}`)).toContain(`Gig ${like.id} takes no entries.`);
  expect(await say(`join ${later.id}`)).toContain(`You can enter gig ${later.id} from `);
  expect(await say(`join ${onX.id}`)).toContain(`Gig ${onX.id} is on X: enter there.`);
  expect(await say('join 77')).toContain('77');
});

test('security: on X no post enters, so that nothing is paid for posting, and the reply has no link', async () => {
  const { id } = await openHold({ platform: 'twitter' });
  const reply = await say(`join ${id}`, 'twitter');
  expect(reply).toContain('On X nobody is paid for a post. To enter, sign in to My rewards with your linked wallet.');
  expect(await world.store.earnings({ gigId: id, limit: 9 })).toEqual([]);
});
