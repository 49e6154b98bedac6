import { beforeEach, expect, test } from 'vitest';
import type { Platform } from '../../../../src/domain/account.ts';
import type { SocialPlatform } from '../../../../src/domain/mentions/mention.ts';
import { createNetwork } from '../../../services/fakes.ts';
import { seedGig, seedMention, seedTips } from '../../../support/store.ts';
import { NOW, openService, service, useService } from '../../service.ts';
import { create, knowDegen } from '../../terms.ts';

const ALICE = { platform: 'twitter', platformUserId: '100' } as const;
const FINNEY = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

useService(() => {
  const post = {
    platform: 'twitter',
    postId: '9001',
    authorId: '300',
    authorUsername: 'alice',
    text: `claim my rewards ${FINNEY}`,
    postedAt: NOW,
  } as const;
  const lookUpPost = async (url: string) => (url.endsWith('/9001') ? post : null);
  const platforms = new Map<Platform, SocialPlatform>([
    ['twitter', { ...createNetwork('twitter').network, lookUpPost }],
  ]);
  return openService({ platforms });
});
beforeEach(() => knowDegen(service));

/** The ids of the accounts whose tips a look-up of a handle shows. */
async function shown(handle: string): Promise<string[]> {
  const response = await service.app.request(`/api/claim?identifiers=${handle}`);
  const { data } = (await response.json()) as { data: Record<string, { tips: { platform_user_id: string }[] }> };
  return Object.values(data).flatMap(({ tips }) => tips.map((tip) => tip.platform_user_id));
}

/** Alice has mentioned the bot on X, and a tip waits for her. */
async function tipAlice(): Promise<void> {
  await seedMention(service.store, { platform: 'twitter', postId: '1', authorId: '100', authorUsername: 'alice' }, NOW);
  await seedTips(service.store, await seedGig(service.store, { live: true }), [ALICE]);
}

test('security: an owner’s label in a new gig takes no handle away that its platform has told', async () => {
  await tipAlice();
  expect(await shown('alice')).toEqual(['100']);
  await create(service, { owners: [{ platform: 'x', platform_user_id: '666', username: 'alice' }] });
  expect(await shown('alice')).toEqual(['100']);
  await create(service, { owners: [{ platform: 'x', platform_user_id: '100', username: 'mallory' }] });
  expect([await shown('alice'), await shown('mallory')]).toEqual([['100'], []]);
});

test('security: neither does an owner that is added, nor a tip, and what is answered is the label that counts', async () => {
  await tipAlice();
  const gig = await create(service);
  const owner = { platform: 'x', platform_user_id: '666', username: 'Alice' };
  const added = await service.send('POST', `/api/gigs/${gig.gig_id}/owners`, owner);
  expect(await added.json()).toMatchObject({ data: { platform_user_id: '666', username: null } });
  const live = await seedGig(service.store, { live: true, startTime: NOW - 1_000 });
  const tips = [{ platform: 'x', platform_user_id: '777', username: 'alice', value: 1 }];
  const awarded = await service.send('POST', `/api/gigs/${live.id}/tips`, { tips });
  expect(await awarded.json()).toMatchObject({ data: [{ platform_user_id: '777', username: null }] });
  expect(await shown('alice')).toEqual(['100']);
});

test('behavior: a client labels an account that nobody has labelled, the first one for good, until the platform speaks', async () => {
  const live = await seedGig(service.store, { live: true, startTime: NOW - 1_000 });
  const tip = (platformUserId: string) =>
    service.send('POST', `/api/gigs/${live.id}/tips`, {
      tips: [{ platform: 'x', platform_user_id: platformUserId, username: 'alice', value: 1 }],
    });
  expect((await tip('666')).status).toBe(201);
  expect((await tip('100')).status).toBe(201);
  expect(await shown('alice')).toEqual(['666']);
  await seedMention(service.store, { platform: 'twitter', postId: '2', authorId: '100', authorUsername: 'alice' }, NOW);
  expect(await shown('alice')).toEqual(['100']);
});

test('behavior: the author of a post that was looked up for a claim holds the handle from then on', async () => {
  await tipAlice();
  await seedTips(service.store, await seedGig(service.store, { live: true }), [
    { platform: 'twitter', platformUserId: '300' },
  ]);
  const url = 'https://x.com/alice/status/9001';
  const claimed = await service.send('POST', '/api/claim', { url });
  expect(claimed.status).toBe(200);
  expect(await shown('alice')).toEqual(['300']);
});
