import { afterEach, beforeEach, expect, test } from 'vitest';
import { NETWORK_CREDENTIALS } from '../../../sandbox/people.ts';
import type { Target } from '../../../src/domain/earning/act.ts';
import { openGig, START } from '../../services/earning/gigs.ts';
import { sampleAccount } from '../../support/earning.ts';
import { openWorld, type World } from '../../support/world.ts';

let world: World;
beforeEach(async () => {
  // No look comes while the test runs, but for the first one.
  const begun = Date.now();
  world = await openWorld({ clock: () => START + Date.now() - begun, env: { EARNING_LOOK_SECONDS: '86400' } });
});
afterEach(() => world.close());

test('behavior: a gig that starts is asked for at Neynar, and its webhook brings what looks would find later', async () => {
  const { store } = world.runtime;
  const cast = world.farcaster.post({ author: 'alice', text: 'Like this' });
  const target: Target = { kind: 'post', postId: cast.id, authorId: '1' };
  const gig = await openGig(store, { target });
  const [person] = world.farcaster.users();
  const who = person?.username ?? '';
  await expect.poll(async () => (await store.watch(gig.id))?.lookedAt).not.toBeNull();
  const listed = async () => {
    const headers = { 'x-api-key': NETWORK_CREDENTIALS.farcaster.apiKey };
    return await (await fetch(`${world.farcaster.url}/v2/farcaster/webhook/list`, { headers })).text();
  };
  await expect.poll(listed).toContain('reaction.created');
  world.farcaster.act({ who, kind: 'like', post: cast.id });
  const seen = async () =>
    (await store.observations(gig.id, sampleAccount(person?.id ?? ''))).map(({ source }) => source);
  await expect.poll(seen).toEqual(['webhook']);
});
