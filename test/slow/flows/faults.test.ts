import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ApiFault } from '../../../sandbox/networks/faults.ts';
import { answerTo, ask, readReady } from '../../support/clients.ts';
import { openWorld, type World } from '../../support/world.ts';

let world: World;

beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

/** Waits until the first reply is recorded as sent. */
async function untilSent(): Promise<void> {
  const state = async () => (await world.runtime.store.replyTo(1))?.state;
  await expect.poll(state).toBe('sent');
}

describe.each(['farcaster', 'x'] as const)('a reply on %s', (name) => {
  test.each<ApiFault>(['drop_answer', 'server_error', 'html', 'unauthorized', 'payment_required'])(
    'behavior: is posted exactly once when the network fails with %s',
    async (fault) => {
      const network = world[name];
      Object.assign(network.faults, { api: fault, remaining: 2, route: 'reply' });
      const post = network.post({ author: 'alice', text: '@gigclaim claims' });
      await answerTo(network, post);
      await untilSent();
      // Everything due before this one has been dealt with.
      await ask(network, 'mallory', 'claims');
      expect(network.repliesTo(post.id)).toHaveLength(1);
      const reply = await world.runtime.store.replyTo(1);
      expect(reply?.postId).toBe(network.repliesTo(post.id)[0]?.id);
    },
  );

  test('behavior: sent by a service that stopped before it knew is found, not sent again', async () => {
    const network = world[name];
    Object.assign(network.faults, { api: 'drop_answer', remaining: 1, route: 'reply' });
    const post = network.post({ author: 'alice', text: '@gigclaim help' });
    await answerTo(network, post);
    await world.stop();
    await world.start();
    await untilSent();
    expect(network.repliesTo(post.id)).toHaveLength(1);
  });

  test('behavior: waits, and is not lost, while the account is refused; readiness and the log say why', async () => {
    const network = world[name];
    const platform = name === 'x' ? 'twitter' : 'farcaster';
    Object.assign(network.faults, { api: 'payment_required', remaining: null, route: 'reply' });
    const posts = ['alice', 'bob', 'carol'].map((author) => network.post({ author, text: '@gigclaim claims' }));
    const paused = async () =>
      (await readReady(world)).platforms.find((standing) => standing.platform === platform)?.paused;
    await expect.poll(paused).toMatchObject({ reason: expect.stringContaining('402') });
    expect(world.lines.join('')).toContain('platform paused; its queued work waits');
    expect(posts.flatMap((post) => network.repliesTo(post.id))).toEqual([]);
    network.faults.api = 'none';
    await world.stop();
    await world.start();
    for (const post of posts) {
      await answerTo(network, post);
      expect(network.repliesTo(post.id)).toHaveLength(1);
    }
  });

  test('behavior: to an event delivered twice at once is posted once', async () => {
    const network = world[name];
    network.faults.webhook = 'twice';
    const post = network.post({ author: 'alice', text: '@gigclaim claims' });
    await answerTo(network, post);
    await ask(network, 'mallory', 'claims');
    expect(network.repliesTo(post.id)).toHaveLength(1);
  });
});
