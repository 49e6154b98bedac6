import { expect, inject, test } from 'vitest';
import { createNetwork } from '../../services/fakes.ts';
import { seedGig } from '../../support/store.ts';
import { NOW, service, setUp } from '../service.ts';
import { openWatchedService } from '../watched.ts';
import { browserOf, hidden, walletOn } from './browser.ts';

const OWNER = 'farcaster:1003';
const MINUTE = 60_000;

/** What a preview would award. */
const listOf = ({ text }: { text: string }) => /<textarea name="list" hidden>([^<]*)</.exec(text)?.[1];

test('security: platforms are asked about at most 2,000 ids of an owner an hour', async () => {
  let known = 0;
  const { network } = createNetwork('farcaster');
  const acts = {
    bulk: 100,
    readAccounts: async (ids: readonly string[]) => {
      known += ids.length;
      return new Map(ids.map((id) => [id, null]));
    },
  };
  // Of its acts an award list reads accounts alone.
  const watching = { ...network, acts } as unknown as typeof network;
  await setUp({ signIn: walletOn(inject('anvilUrl')), platforms: new Map([['farcaster', watching]]) });
  const owner = await browserOf(service, OWNER, { at: NOW - 60 * MINUTE });
  const { id } = await seedGig(service.store, { client: `owner:${OWNER}`, live: true, startTime: NOW - 1_000 });
  const list = Array.from({ length: 500 }, (_, n) => `farcaster:${n + 5_000},0.01`).join('\n');
  for (let count = 0; count < 6; count += 1)
    expect((await owner.submit('/my', `/my/gigs/${id}/award`, { list })).status).toBe(200);
  expect(known).toBe(2_000);
  await service.close();
});

test('behavior: an account that its platform does not know is left out unless it is ticked', async () => {
  const watched = await openWatchedService({ signIn: walletOn(inject('anvilUrl')) });
  const { id } = await seedGig(watched.service.store, { client: `owner:${OWNER}`, live: true, startTime: NOW - 1_000 });
  const browser = await browserOf(watched.service, OWNER, { at: NOW - 60 * MINUTE });
  const list = 'farcaster:1001,1\nfarcaster:4242,1\nx:4242,1';
  const shown = () => browser.submit('/my', `/my/gigs/${id}/award`, { list });
  expect(listOf(await shown())).toBe('farcaster:1001,1\ntwitter:4242,1');
  expect((await shown()).text).toContain('Farcaster does not know it');
  // Silence says nothing about an account.
  await watched.farcaster.stop();
  expect(listOf(await shown())).toBe('farcaster:1001,1\nfarcaster:4242,1\ntwitter:4242,1');
  await watched.service.close();
});

test('error: why nothing was awarded is said, although the list names too many handles to be shown anew', async () => {
  await setUp({ signIn: walletOn(inject('anvilUrl')) });
  const owner = await browserOf(service, OWNER, { at: NOW - 60 * MINUTE });
  const { id } = await seedGig(service.store, { client: `owner:${OWNER}`, live: true, startTime: NOW - 1_000 });
  const path = `/my/gigs/${id}/award`;
  const list = 'farcaster:1001,1';
  const [first, second] = [1, 2].map(() => owner.submit('/my', path, { list }));
  const confirm = async (shown: typeof first, written: string) =>
    await owner.submit('/my', `${path}/confirm`, { list, key: hidden((await shown) ?? { text: '' }, 'key'), written });
  expect((await confirm(first, list)).status).toBe(303);
  const handles = Array.from({ length: 51 }, (_, n) => `@u${n},1`).join('\n');
  const refused = await confirm(second, handles);
  expect([refused.status, refused.text.includes('awarded by this gig since you saw')]).toEqual([409, true]);
  await service.close();
});
