import { brotliCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { seedGigWithRules } from '../../support/earning.ts';
import { seedGig, seedToken } from '../../support/store.ts';
import { NOW, type Service, service, useService } from '../service.ts';
import { open, openPages } from './scene.ts';

/** How often the list of gigs was read. */
let looks = 0;
const wrap = (store: Service['store']): Service['store'] => ({
  ...store,
  gigs: (query) => {
    looks += 1;
    return store.gigs(query);
  },
});

useService(() => openPages({ wrap }));

const started = { startTime: NOW - 1_000 };
const live = { live: true, ...started };

test('behavior: the first page says what each of the three newest gigs pays a person, in the words of its rules', async () => {
  const { store } = service;
  const { id: tokenId } = await seedToken(store);
  await seedGig(store, { ...live, tokenId, title: 'The oldest' });
  await seedGig(store, { ...live, tokenId, title: 'By hand' });
  await seedGig(store, { ...live, tokenId, earningCriteria: 'The <b>best</b>\u202e three.', title: 'The best' });
  await seedGigWithRules(store, { ...started, tokenId, rules: { rule: { type: 'raffle', winners: 2 } } });
  await seedGig(store, { tokenId, title: 'Not started' });
  const { text, page } = await open(service, '/');
  const offers = [
    'Like the cast gig 4 After the end 2 of the accounts that like the cast are drawn and get 1/2 each of what is left of the reward.',
    'The best gig 3 The <b>best</b>\ufffd three.',
    'By hand gig 2 The organizer decides who earns.',
  ].map((words) => `${words} 100 DEGEN on Base, until 22 Nov 2026`);
  expect(text).toContain(`Earn now All gigs ${offers.join(' ')} Look up an account Platform Farcaster X Username`);
  expect(page).toMatch(/<time datetime="2026-11-22T\S+Z" title="22 Nov 2026, \d\d:\d\d UTC">/);
});

test('security: a crowd that opens it costs one look at the gigs in three seconds', async () => {
  looks = 0;
  await Promise.all(Array.from({ length: 20 }, () => open(service, '/')));
  service.time.now += 2_999;
  await open(service, '/');
  expect(looks).toBe(1);
  service.time.now += 1;
  await open(service, '/');
  expect(looks).toBe(2);
});

test('behavior: it and all that it loads stay below 15 kB, compressed', async () => {
  const { store } = service;
  for (let gig = 0; gig < 3; gig += 1)
    await seedGigWithRules(store, { ...started, title: `${gig} `.repeat(30).trim() });
  const { page } = await open(service, '/');
  const assets = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  expect(assets).toHaveLength(2);
  const loaded = assets.map(async (path) => await (await service.app.request(path)).text());
  const sizes = [page, ...(await Promise.all(loaded))].map((text) => brotliCompressSync(text).length);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(15_000);
});
