import { describe, expect, test } from 'vitest';
import { commandsFor, guideOf } from '../../../src/bot/commands/index.ts';
import { createAssets } from '../../../src/http/ui/assets.ts';
import { PAGES } from '../../support/store.ts';
import type { Service } from '../service.ts';
import { forThisTest, service, shareService } from '../service.ts';
import { refusal, told } from '../terms.ts';
import { open, openPages } from './scene.ts';

shareService(openPages);

test('behavior: the first page says what this is, leads on, and asks for an account without a script', async () => {
  const { status, page, text, response } = await open(service, '/');
  expect(status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('public, max-age=60');
  expect(text).toContain('Earn tokens on Farcaster and X Do what a gig asks, earn tips, and claim them with one post.');
  expect(page).toContain('<form class="look-up" action="/claim" method="get">');
  expect(page).toContain('<a href="/gigs">');
  expect(page).toContain('<a href="/api/docs">');
  expect(text).toContain('@gigclaim on Farcaster');
  for (const say of ['claims', 'claim my rewards', 'why 42']) expect(page).toContain(`<code>@gigclaim ${say}</code>`);
  expect(text).toContain('Earn now All gigs No gig is active right now.');
  expect(page).not.toContain('<script');
});

test('behavior: every public page leads to the commands, which are those of the bot’s help', async () => {
  for (const path of ['/', '/gigs', '/claim/x/bob', '/gigs/99', '/nowhere']) {
    const { page } = await open(service, path);
    if (page.includes('<nav')) expect(page).toContain('<a href="/commands">Commands</a>');
  }
  const { status, page, text } = await open(service, '/commands');
  expect(status).toBe(200);
  for (const { say, does } of guideOf(commandsFor([]), [])) {
    expect(page).toContain(`<code>@gigclaim ${say}</code>`);
    expect(text).toContain(does);
  }
});

describe('what a browser loads beside a page', () => {
  test('behavior: has an address that changes with its content, and may be kept for ever', async () => {
    const { page } = await open(service, '/');
    const address = /<link rel="stylesheet" href="([^"]+)">/.exec(page)?.[1] ?? '';
    expect(address).toMatch(/^\/assets\/style\.css\?v=[0-9a-f]{12}$/);
    const response = await service.app.request(address);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const text = await response.text();
    expect(text).toContain('prefers-color-scheme: dark');
    expect(text).not.toMatch(/https?:\/\/|@import/);
  });

  test.each([
    '/assets/none.css',
    '/assets/..%2Flayout.ts',
    '/assets/%2e%2e%2fpage.ts',
    '/assets/layout.ts',
    '/assets/',
  ])('security: nothing else is served: %s', async (path) => {
    expect((await service.app.request(path)).status).toBe(404);
  });

  test('error: a page that names an asset which is not there is a fault of ours', () => {
    const assets = createAssets({ folders: [`${PAGES}/assets`] });
    expect(() => assets.url('none.css')).toThrow('there is no asset none.css');
  });
});

test('behavior: pages count towards the limit of requests, and above it they are pages too', async () => {
  const narrow = await forThisTest(openPages({ config: { rateLimitPerMinute: 2 } }));
  expect((await open(narrow, '/gigs')).response.headers.get('ratelimit-remaining')).toBe('1');
  expect((await narrow.app.request('/api/gigs')).status).toBe(200);
  for (const path of ['/', '/gigs', '/gigs/1', '/claim/x/bob', '/claim/x/bob/image.png', '/claim']) {
    const { status, response, text } = await open(narrow, path);
    expect(status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('60');
    expect(text).toBe('Too many requests Too many requests: at most 2 a minute are allowed');
  }
  const { page } = await open(narrow, '/gigs');
  const style = /href="(\/assets\/style\.css[^"]*)"/.exec(page)?.[1] ?? '';
  expect((await narrow.app.request(style)).status).toBe(200);
});

test('behavior: pages are logged and measured by their route', async () => {
  await open(service, '/claim/x/measured');
  expect(service.lines).toContainEqual(expect.objectContaining({ path: '/claim/x/measured', status: 200 }));
  expect(await (await service.app.request('/metrics')).text()).toMatch(/route="\/claim\/:platform\/:id",status="200"/);
});

test('error: what fails within is told without a word of why', async () => {
  const wrap = (store: Service['store']) => ({
    ...store,
    gigs: () => Promise.reject(new Error('secret path /var/lib/gigs')),
  });
  const broken = await forThisTest(openPages({ wrap }));
  const { status, text } = await open(broken, '/gigs');
  expect(status).toBe(500);
  expect(text).toBe('Something went wrong Internal server error');
});

describe('a path that nothing serves', () => {
  const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

  test.each(['/nothing', '/gig/1', '/apis', '/claims/x', '/webhooks-of-old'])(
    'behavior: a browser gets a page at %s',
    async (path) => {
      const { status, response, text, page } = await open(service, path, { headers: BROWSER });
      expect(status).toBe(404);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('vary')).toBe('accept');
      expect(text).toBe('There is no such page Not found');
      expect(page).toContain('<a href="/gigs">');
      const served = await open(service, '/');
      for (const name of ['content-security-policy', 'x-frame-options']) {
        expect(response.headers.get(name)).toBe(served.response.headers.get(name));
      }
    },
  );

  test.each([
    '/api',
    '/api/nothing',
    '/api/gigs/abc',
    '/webhooks/nothing',
    '/health/nothing',
    '/ready/nothing',
    '/metrics/nothing',
    '/assets/nothing',
  ])('behavior: programs get JSON at %s, whatever they accept', async (path) => {
    const response = await service.app.request(path, { headers: BROWSER });
    expect(await told(response)).toEqual(refusal(404, 'Not found'));
  });

  test('behavior: a form that is sent nowhere gets JSON', async () => {
    const response = await service.app.request('/nothing', { method: 'POST', headers: BROWSER });
    expect(await told(response)).toEqual(refusal(404, 'Not found'));
  });

  test('behavior: a browser gets a page at the operators’ path on the public port, too', async () => {
    const apart = await forThisTest(openPages({ config: { adminPort: 3001 } }));
    const { status, text } = await open(apart, '/admin', { headers: BROWSER });
    expect([status, text]).toEqual([404, 'There is no such page Not found']);
  });
});

test('behavior: everything else that nobody serves is answered as before', async () => {
  const response = await service.app.request('/nothing');
  expect(await told(response)).toEqual(refusal(404, 'Not found'));
});

test.each([
  ['/gigs/', '/gigs'],
  ['/gigs/?status=ended', '/gigs?status=ended'],
  ['/gigs/1/', '/gigs/1'],
  ['/admin/', '/admin'],
  ['/admin/replies/', '/admin/replies'],
  ['/claim/x/bob/', '/claim/x/bob'],
  ['/claim/x/%40bob/', '/claim/x/%40bob'],
])('behavior: %s leads to the page without the slash', async (path, location) => {
  for (const [publicUrl, root] of [
    ['https://gigclaim.test', ''],
    ['https://host.test/below', '/below'],
  ] as const) {
    const at = await forThisTest(openPages({ config: { publicUrl } }));
    const response = await at.app.request(path);
    expect([response.status, response.headers.get('location')]).toEqual([308, `${root}${location}`]);
  }
});

test('security: a slash at the end leads to no other host, and no form elsewhere', async () => {
  for (const path of ['//evil.example/', '/gigs//evil.example/', '/%2Fevil.example/']) {
    const location = (await service.app.request(path)).headers.get('location') ?? '/gigs';
    expect([path, new URL(location, 'https://gigclaim.test').host]).toEqual([path, 'gigclaim.test']);
  }
  expect((await service.app.request('/admin/session/', { method: 'POST' })).status).toBe(404);
});

test('behavior: what is asked for without a link is there: an icon, and which pages programs may read', async () => {
  const icon = await service.app.request('/favicon.ico');
  expect(icon.status).toBe(200);
  expect(icon.headers.get('content-type')).toBe('image/svg+xml');
  expect(icon.headers.get('cache-control')).toBe('public, max-age=86400');
  expect(await icon.text()).toMatch(/^<svg /);
  const robots = await service.app.request('/robots.txt');
  expect(robots.status).toBe(200);
  expect(robots.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(await robots.text()).toBe('User-agent: *\nAllow: /\nDisallow: /admin\nDisallow: /my\n');
});
