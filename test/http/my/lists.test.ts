import { expect, test } from 'vitest';
import { sampleAct, seedActs, seedGigWithRules } from '../../support/earning.ts';
import { seedTips } from '../../support/store.ts';
import { NOW, service } from '../service.ts';
import { ALICE, alice, listed, MINUTE, textOf, useAlice } from './alice.ts';

useAlice();

test('behavior: an owner’s gigs are 50 a page, from either end, of one state and of some days, with their sums and bars', async () => {
  const DAY = 1_440 * MINUTE;
  const ended = await listed({ live: true, startTime: NOW - 3 * DAY, createdAt: NOW - 4 * DAY });
  await seedTips(service.store, ended, [{ ...ALICE, amount: 40n * 10n ** 18n }]);
  for (let count = 1; count < 50; count += 1) await listed({ createdAt: NOW - 2 * DAY });
  expect((await alice.get('/my')).text).not.toContain('aria-label="Pages"');
  for (let count = 50; count < 52; count += 1) await listed({ createdAt: NOW });
  const shown = async (path: string) => {
    const { text } = await alice.get(path);
    return [...text.matchAll(/id="gig-(\d+)"/g)].map(([, id]) => Number(id));
  };
  const first = await shown('/my');
  expect([first.length, first[0], first.at(-1)]).toEqual([50, 52, 3]);
  expect((await alice.get('/my')).text).toContain('href="/my?before=3"');
  expect(await shown('/my?before=3')).toEqual([2, 1]);
  const oldest = await alice.get('/my?sort=oldest');
  expect(oldest.text).toContain('href="/my?sort=oldest&amp;after=50"');
  expect(await shown('/my?sort=oldest&after=50')).toEqual([51, 52]);
  expect(await shown('/my?from=2026-11-21&to=2026-11-21')).toEqual([52, 51]);
  expect(await shown('/my?to=2026-11-17&sort=oldest')).toEqual([1]);
  expect(await shown('/my?state=ended')).toEqual([1]);
  const { text } = await alice.get('/my?state=ended');
  expect(text.match(/class="shares"/g)).toHaveLength(1);
  const said = await textOf(alice, '/my?state=ended');
  for (const part of ['Ended ended 2 d ago', '40 DEGEN awarded, 60 DEGEN left', 'Sum of 1 started gig'])
    expect(said).toContain(part);
  expect(said).toContain('DEGEN on Base 1 100 DEGEN 40 DEGEN 60 DEGEN');
  expect(await textOf(alice, '/my?state=live')).toContain('None of your gigs are found here.');
  for (const query of ['before=x', 'state=odd', 'from=2026-02-30', 'sort=amount'])
    expect([query, (await alice.get(`/my?${query}`)).status]).toEqual([query, 400]);
});

test('behavior: the report of a gig is 50 tips a page, from either end, of one state and of some days, with sums', async () => {
  const gig = await listed({ live: true, startTime: NOW - MINUTE });
  const UNIT = 10n ** 18n;
  await seedTips(
    service.store,
    gig,
    Array.from({ length: 52 }, (_, index) => ({ ...ALICE, platformUserId: String(5000 + index), amount: UNIT })),
  );
  await service.store.transaction((tx) => tx.voidTip(1, { reason: 'a mistake', now: NOW }));
  const path = `/my/gigs/${gig.id}/report`;
  const accounts = async (query: string) =>
    [...(await textOf(alice, path + query)).matchAll(/Farcaster (5\d{3})/g)].map(([, id]) => Number(id));
  const first = await accounts('');
  expect([first.length, first[0], first.at(-1)]).toEqual([50, 5051, 5002]);
  const oldest = await accounts('?sort=oldest');
  expect([oldest.length, oldest[0], oldest.at(-1)]).toEqual([50, 5000, 5049]);
  const [, next = ''] =
    /href="[^"]*(\?sort=oldest&amp;after=\d+)"/.exec((await alice.get(`${path}?sort=oldest`)).text) ?? [];
  expect(await accounts(next.replaceAll('&amp;', '&'))).toEqual([5050, 5051]);
  expect(await accounts('?state=void')).toEqual([5000]);
  expect(await accounts('?from=2026-11-21')).toEqual([]);
  expect((await accounts('?to=2026-01-01')).length).toBe(50);
  expect(await textOf(alice, path)).toContain(
    'Sum of the whole gig Token Awarded Paid To claim DEGEN on Base 51 DEGEN 0 DEGEN 51 DEGEN',
  );
  expect(await textOf(alice, `${path}?state=void`)).toContain(
    'Sum of 1 tip Token Number Amount DEGEN on Base 1 1 DEGEN',
  );
  expect(await textOf(alice, `${path}?state=refused`)).toContain('No account is found here.');
});

test('behavior: accounts without a tip are listed whatever days were chosen for tips', async () => {
  const gig = await seedGigWithRules(service.store, { client: 'acme', owners: [ALICE] });
  await seedActs(service.store, gig, [sampleAct(5001), sampleAct(5002)]);
  const path = `/my/gigs/${gig.id}/report`;
  const tab = /href="([^"]*state=held[^"]*)"/.exec((await alice.get(`${path}?to=2026-11-20`)).text)?.[1] ?? '';
  for (const address of [tab.replaceAll('&amp;', '&'), `${path}?state=held&from=2026-11-20&sort=oldest`]) {
    const shown = await textOf(alice, address);
    expect([address, shown.match(/Farcaster 500[12]/g)]).toEqual([address, expect.any(Array)]);
    expect(shown).not.toContain('All days');
  }
});
