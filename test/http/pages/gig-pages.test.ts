import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fundToken, type TestToken } from '../../support/anvil.ts';
import { seedGig, seedToken } from '../../support/store.ts';
import { forThisTest, NOW, type Service } from '../service.ts';
import { open, openPages, openScene } from './scene.ts';

const DAY = 86_400_000;

let service: Service;

describe('the page of a gig', () => {
  let token: TestToken;
  beforeAll(async () => {
    const scene = await openScene();
    service = scene;
    token = scene.token;
  });
  afterAll(() => service.close());

  /** Sends the gig that much more of its token; the page may keep what it saw for three seconds. */
  async function fund(amount: bigint): Promise<void> {
    const gig = await service.store.gig(1);
    if (gig === null) throw new Error('there is no gig 1');
    await fundToken(token, gig.walletAddress, amount);
    service.time.now += 3_000;
  }

  test('behavior: of one not started shows what it needs, what it holds, and where to send the rest', async () => {
    const wallet = JSON.parse(await (await service.app.request('/api/gigs/1')).text()).data.gig_address;
    const { status, text, page } = await open(service, '/gigs/1');
    expect(status).toBe(200);
    expect(text).toMatch(
      /^Mention on Farcaster gig 1 Not started Mention on Farcaster How to earn What to do .* Unawarded funds .* Funding Not funded yet: send 45 TEST more\. .* Addresses Token /,
    );
    expect(text).toContain('Expected 105 TEST (100 TEST reward, 5 TEST fee) In the wallet 60 TEST');
    expect(text).toContain('Send 45 TEST on Anvil (chain id 31337) Copy amount');
    expect(page).toContain('<code id="missing">45</code>');
    expect(page).toContain('data-copies="missing"');
    expect(page).toContain(`<code id="wallet">${wallet}</code>`);
    expect(page).toContain(`role="img" aria-label="QR code of a payment of 45 TEST to ${wallet}"`);
    expect(text).toContain('Planned: 21 Nov 2026, 10:30 UTC to 22 Nov 2026, 10:30 UTC');
    expect(text).not.toContain('Money');
  });

  test('behavior: of one that was planned for a time that is past says how long it is live once it starts', async () => {
    service.time.now = Date.UTC(2026, 10, 21, 10, 30);
    expect((await open(service, '/gigs/1')).text).toContain('When Planned: 1 day from its start');
    expect((await open(service, '/gigs?status=created')).text).toContain('Planned: 1 day from its start');
  });

  test('behavior: says when the wallet holds too much, or exactly what is needed', async () => {
    await fund(46n * 10n ** 18n);
    expect((await open(service, '/gigs/1')).text).toContain('The wallet holds 1 TEST too much.');
    await service.app.request('/api/gigs/1', {
      method: 'PATCH',
      headers: { 'x-api-key': service.key },
      body: JSON.stringify({ amount: 101 }),
    });
    // 101 and 5 in a hundred of it, which is 106.05.
    expect((await open(service, '/gigs/1')).text).toContain('send 0.05 TEST more');
    await fund(5n * 10n ** 16n);
    expect((await open(service, '/gigs/1')).text).toContain('holds exactly what the gig needs: it can be started.');
  });

  test('behavior: of a live one shows its terms and what was paid of its reward', async () => {
    const { text, page } = await open(service, '/gigs/2');
    expect(text).toMatch(
      /^Say something kind. Tag a friend gig 2 Live Mention on Farcaster How to earn What to do .* Money Where the money of the gig is /,
    );
    expect(text).toContain('Paid 12 DEGEN To claim 12.5 DEGEN Left: not awarded 75.5 DEGEN Fee 5 DEGEN In 105 DEGEN');
    expect(text).toContain(
      '1 payment in 30 equal parts of the time from 21 Nov 2026, 08:30 UTC to 22 Nov 2026, 08:30 UTC',
    );
    expect(text).toContain(
      'What to do Say something kind. Tag a friend. When 21 Nov 2026, 08:30 UTC to 22 Nov 2026, 08:30 UTC (ends in 21 h 59 min ) Reward 100 DEGEN Who earns The organizer decides who earns.',
    );
    // The values and dates of the chart, and the same as a table.
    expect(text).toContain('12 DEGEN 6 DEGEN 0 ');
    expect(text).toContain('21 Nov 2026 21 Nov 2026 22 Nov 2026');
    expect(text).toContain('Payments over time From Paid 21 Nov 2026, 09:18 UTC 12 DEGEN');
    expect(page).toContain('<rect class="owed" x="114" width="119" height="24"/>');
    // Fifty minutes into a day of thirty parts is the second of them.
    expect(page.match(/<rect class="paid" x="[0-9]+" y="0"/g)).toEqual(['<rect class="paid" x="11" y="0"']);
    expect(page.match(/<rect class="none"/g)).toHaveLength(29);
    expect(page).toContain('href="https://basescan.org/address/0x0000000000000000000000000000000000000002"');
    expect(text).not.toContain('Funding');
    expect((await open(service, '/gigs/3')).text).toContain('No tips have been paid yet.');
  });

  test.each([
    ['/gigs/99', 404, 'Not found Gig with id 99 not found'],
    ['/gigs/first', 400, 'The gig id in the path must be a positive whole number of at most 15 digits'],
    ['/gigs/0', 400, 'The gig id in the path must be a positive whole number of at most 15 digits'],
    ['/gigs/1/more', 404, 'Not found'],
    ['/gigs?status=odd', 400, 'status must be one of active, created, live, ended, cancelled, all'],
    ['/gigs?cursor=-1', 400, 'cursor must be the next_cursor of the previous page'],
  ])('error: %s is a page with status %i', async (path, status, words) => {
    const answered = await open(service, path);
    expect(answered.status).toBe(status);
    expect(answered.response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answered.response.headers.get('cache-control')).toBe('no-store');
    expect(answered.text).toContain(words);
  });

  test('security: pages may be kept for seconds, and gigs alone be framed, by clients that open mini apps', async () => {
    for (const path of ['/gigs', '/gigs/2']) {
      const { headers } = (await open(service, path)).response;
      expect(headers.get('content-security-policy')).toMatch(/; frame-ancestors https:\/\/farcaster\.xyz /);
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
    }
    for (const path of ['/', '/commands']) {
      const { headers } = (await open(service, path)).response;
      expect(headers.get('content-security-policy')).toMatch(/; frame-ancestors 'none'$/);
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect((await open(service, '/gigs')).response.headers.get('cache-control')).toBe('public, max-age=3');
  });
});

test('behavior: a gig is called by its title wherever it is named, with its number beside it', async () => {
  const titled = await forThisTest(openPages());
  const token = await seedToken(titled.store);
  await seedGig(titled.store, { live: true, startTime: NOW, title: 'Launch week', tokenId: token.id });
  for (const path of ['/gigs/1', '/gigs', '/gigs/1/report']) {
    expect((await open(titled, path)).text).toContain('Launch week gig 1');
  }
  expect((await open(titled, '/gigs/1')).page).toContain('<title>Launch week · gig 1: 100 DEGEN · gigclaim</title>');
  const record = JSON.parse(await (await titled.app.request('/api/gigs/1')).text());
  expect(record.data).toMatchObject({ title: 'Launch week', name: 'Launch week' });
});

test('error: a chain that does not answer leaves the page, which says so', async () => {
  const lost = await forThisTest(openPages({ rpcUrl: 'http://127.0.0.1:9' }));
  await seedGig(lost.store, { startTime: NOW });
  const { status, text } = await open(lost, '/gigs/1');
  expect(status).toBe(200);
  expect(text).toContain('Expected 105 DEGEN (100 DEGEN reward, 5 DEGEN fee) In the wallet could not be read just now');
  expect(lost.lines).toContainEqual(expect.objectContaining({ gigId: 1, msg: 'cannot read gig funding for its page' }));
});

test('behavior: a gig whose payments are frozen says so on its page and in the list, but not why', async () => {
  const opened = await forThisTest(openPages());
  const { id } = await seedGig(opened.store, { live: true, startTime: NOW - DAY / 2 });
  await seedGig(opened.store, { live: true, startTime: NOW - DAY / 2 });
  const freeze = (reason: string | null) => opened.store.transaction((tx) => tx.freezeGig(id, { reason, now: NOW }));
  await freeze('a secret of the operator');
  const frozen = await open(opened, '/gigs/1');
  expect(frozen.text).toMatch(
    /^Mention on Farcaster gig 1 Live Frozen Mention on Farcaster The operator has frozen the payments of gig 1 for now\. Nothing is lost\. /,
  );
  const list = await open(opened, '/gigs');
  expect(list.text).toMatch(/gig 2 Live 100 DEGEN .* gig 1 Live Frozen 100 DEGEN/);
  for (const { page } of [frozen, list]) expect(page).not.toContain('a secret of the operator');
  await freeze(null);
  for (const path of ['/gigs/1', '/gigs']) expect((await open(opened, path)).text).not.toMatch(/frozen/i);
});

describe('the list of gigs', () => {
  beforeAll(async () => {
    service = await openPages();
    const { store } = service;
    await seedGig(store, { startTime: NOW + DAY });
    await seedGig(store, { live: true, startTime: NOW - 3 * DAY });
    await seedGig(store, { live: true, startTime: NOW + DAY });
    for (let count = 0; count < 25; count += 1) await seedGig(store, { live: true, startTime: NOW - DAY / 2 });
  });
  afterAll(() => service.close());

  const shown = async (path: string) =>
    [...(await open(service, path)).page.matchAll(/<h2><a href="\/gigs\/(\d+)">/g)].map(([, id]) => Number(id));

  test('behavior: shows the active gigs, newest first, in pages', async () => {
    const first = await open(service, '/gigs');
    expect(await shown('/gigs')).toEqual(Array.from({ length: 24 }, (_, index) => 28 - index));
    expect(first.text).toContain(
      'Mention on Farcaster gig 28 Live 100 DEGEN Mention on Farcaster · paid on Base Ask the organizer which account to mention.',
    );
    expect(first.page).toContain('<a href="/gigs?status=active&amp;cursor=5">Older gigs</a>');
    expect(await shown('/gigs?status=active&cursor=5')).toEqual([4]);
    expect((await open(service, '/gigs?cursor=5')).page).not.toContain('Older gigs');
  });

  test('behavior: can be narrowed to those not started and those that ended', async () => {
    expect(await shown('/gigs?status=created')).toEqual([1]);
    expect(await shown('/gigs?status=ended')).toEqual([2]);
    expect(await shown('/gigs?status=live&cursor=5')).toEqual([4, 3]);
    expect((await open(service, '/gigs?status=ended')).text).toContain('gig 2 Ended');
    expect((await open(service, '/gigs/3')).text).toMatch(/^Mention on Farcaster gig 3 Live, starts 22 Nov 2026 /);
    const { page } = await open(service, '/gigs?status=ended');
    expect(page).toContain('<a href="/gigs?status=ended" aria-current="page">Ended</a>');
  });

  test('behavior: says when there is none', async () => {
    service.time.now += 40 * DAY;
    expect((await open(service, '/gigs')).text).toContain('No gig is active right now.');
    service.time.now = NOW;
  });
});
