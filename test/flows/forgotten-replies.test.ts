import { afterEach, beforeEach, expect, test } from 'vitest';
import { PEOPLE } from '../../sandbox/people.ts';
import { seedGig, seedTips } from '../support/store.ts';
import { openWorld, type World } from '../support/world.ts';
import { PATIENCE_MS } from './posts.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld({ env: { MENTION_POLL_SECONDS: '1' } });
});
afterEach(() => world.close());

/** Puts the database back as it was before `work`, as a restored backup does. */
async function forget(work: () => Promise<void>): Promise<void> {
  await world.stop();
  const backup = await world.database.copy();
  await world.start();
  await work();
  await world.stop();
  await world.database.restore(backup);
}

const answerTo = async (network: 'farcaster' | 'x', id: string) =>
  (await world[network].waitForReply(id, PATIENCE_MS))?.id ?? null;

test('security: with an older backup in its place no mention is answered twice, and new ones are answered', async () => {
  const asked: ['farcaster' | 'x', string][] = [];
  const answers: (string | null)[] = [];
  await forget(async () => {
    // The answers are others than the backup's, so that X does not refuse them as duplicates.
    const { store } = world.runtime;
    const amount = 5n;
    const gig = await seedGig(store, { live: true });
    const accounts = PEOPLE.map(({ xUserId }) => ({ platform: 'twitter', platformUserId: xUserId, amount }) as const);
    await seedTips(store, gig, accounts);
    for (const author of ['alice', 'bob', 'carol']) {
      for (const network of ['x', 'farcaster'] as const) {
        const { id } = world[network].post({ author, text: '@gigclaim claims' });
        asked.push([network, id]);
        answers.push(await answerTo(network, id));
      }
    }
  });
  expect(answers).not.toContain(null);
  // Nobody heard this one while the service was down.
  const missed = world.x.post({ author: 'mallory', text: '@gigclaim claims' });
  await world.x.settled();
  await world.start();
  expect(await answerTo('x', missed.id)).not.toBeNull();
  for (const [place, [network, id]] of asked.entries()) {
    const platform = network === 'x' ? 'twitter' : network;
    const known = async () => {
      const mention = await world.runtime.store.mentionByPost(platform, id);
      const reply = mention === null ? null : await world.runtime.store.replyTo(mention.id);
      return [mention?.source, reply?.state, reply?.postId];
    };
    await expect.poll(known).toEqual(['poll', 'sent', answers[place]]);
    expect(world[network].repliesTo(id)).toHaveLength(1);
  }
});
