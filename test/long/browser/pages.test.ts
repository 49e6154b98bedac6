import { serve } from '@hono/node-server';
import type { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openScene } from '../../http/pages/scene.ts';
import { label, NOW, type Service } from '../../http/service.ts';
import { DESKTOP, findBarriers, openBrowser, PHONE, sidewaysOverflow } from '../../support/browser.ts';
import { seedGig, seedTips, seedToken } from '../../support/store.ts';

const NASTY = '<script>document.title="taken"</script><img src=x onerror=\'document.title="taken"\'>';

/** Serves an app on loopback. */
async function listen({ fetch }: Pick<Hono, 'fetch'>): Promise<{ url: string; close: () => void }> {
  return await new Promise((resolve) => {
    const server = serve({ fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
      resolve({ url: `http://127.0.0.1:${port}`, close: () => void server.close() }),
    );
  });
}

let service: Service;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let site: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => {
  service = await openScene();
  const { store } = service;
  const { id: tokenId } = await seedToken(store, { chainId: 10, name: NASTY, symbol: NASTY });
  const terms = {
    tokenId,
    live: true,
    startTime: NOW - 1_000,
    howToEarn: NASTY,
    externalUrl: `https://x.com/${NASTY}`,
  };
  const gig = await seedGig(store, terms);
  await label(store, 'farcaster', '666', NASTY);
  await seedTips(store, gig, [{ platform: 'farcaster', platformUserId: '666' }]);
  site = await listen(service.app);
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  site.close();
  await service.close();
});

/** Each layout once, and each of light and dark. */
const SCREENS = [
  ['on a phone', { viewport: PHONE, colorScheme: 'light' }],
  ['on a large screen in dark mode', { viewport: DESKTOP, colorScheme: 'dark' }],
] as const;

const PAGES = [
  ...[
    '/',
    '/claim/farcaster/1001',
    '/claim/x/bob',
    '/claim/x/nobody',
    '/gigs',
    '/gigs?status=created',
    '/gigs?status=ended',
  ],
  ...['/gigs/1', '/gigs/2', '/gigs/3'],
];

describe.each(SCREENS)('%s', (_, screen) => {
  test.each(PAGES)('behavior: %s fits, keeps nobody out and breaks no rule', async (path) => {
    const { page, problems, close } = await browser.tab(screen);
    await page.goto(site.url + path);
    expect(await findBarriers(page)).toEqual([]);
    expect(await sidewaysOverflow(page)).toBe(0);
    expect(problems).toEqual([]);
    await close();
  });
});

test('behavior: the error page keeps nobody out either', async () => {
  const { page, problems, close } = await browser.tab({ viewport: PHONE });
  await page.goto(`${site.url}/gigs/99`);
  expect(await page.locator('h1').innerText()).toBe('Not found');
  expect(await findBarriers(page)).toEqual([]);
  expect(problems).toEqual([expect.stringContaining('404')]);
  await close();
});

test('behavior: a person looks an account up with the keyboard alone', async () => {
  const { page, problems, close } = await browser.tab();
  await page.goto(site.url);
  await page.keyboard.press('Tab');
  expect(await page.locator(':focus').innerText()).toBe('Skip to content');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.locator(':focus').getAttribute('id')).toBe('platform');
  await page.keyboard.type('X');
  await page.keyboard.press('Tab');
  await page.keyboard.type('@bob');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${site.url}/claim/x/%40bob`);
  expect(await page.locator('h1').innerText()).toBe('@Bob');
  expect(await page.locator('article h3').innerText()).toBe('5 DEGEN');
  expect(problems).toEqual([]);
  await close();
});

describe('the text to post', () => {
  test('behavior: goes to the clipboard by a button, which says so', async () => {
    const { page, problems, close } = await browser.tab({
      viewport: PHONE,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.goto(`${site.url}/claim/farcaster/1001`);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('@gigclaim claim my rewards');
    await page.getByRole('button', { name: 'Copy', exact: true }).waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  test('behavior: is selected instead where the clipboard is out of reach', async () => {
    const { page, close } = await browser.tab();
    await page.addInitScript('delete Navigator.prototype.clipboard');
    await page.goto(`${site.url}/claim/farcaster/1001`);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Selected' }).waitFor();
    expect(await page.evaluate('getSelection().toString()')).toBe('@gigclaim claim my rewards');
    await close();
  });

  test('behavior: is there without any script, and no button that does nothing', async () => {
    const { page, problems, close } = await browser.tab({ javaScriptEnabled: false });
    await page.goto(`${site.url}/claim/farcaster/1001`);
    expect(await page.locator('#claim-text').innerText()).toBe('@gigclaim claim my rewards');
    expect(await page.getByRole('button').count()).toBe(0);
    expect(await page.locator('article h3').allInnerTexts()).toEqual(['7.5 DEGEN', '0.123456789012345678 ETH']);
    expect(problems).toEqual([]);
    await close();
  });
});

test.each(['/claim/farcaster/666', '/gigs', '/gigs/4'])(
  'security: nothing that others wrote runs on %s',
  async (path) => {
    const { page, problems, close } = await browser.tab();
    await page.goto(site.url + path);
    await page.waitForLoadState('networkidle');
    expect(await page.locator('main').innerText()).toContain('<script>document.title="taken"</script>');
    expect(await page.title()).not.toBe('taken');
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(problems).toEqual([]);
    await close();
  },
);

describe('as a mini app', () => {
  test('behavior: tells the client around it that it is there', async () => {
    const { page, problems, close } = await browser.tab({ viewport: PHONE });
    await page.addInitScript('ReactNativeWebView = { postMessage: (text) => { said = JSON.parse(text); } }');
    await page.goto(`${site.url}/claim/farcaster/1001`);
    expect(await page.evaluate('said')).toEqual({
      id: expect.stringMatching(/.+/),
      type: 'APPLY',
      path: ['ready'],
      argumentList: [{ type: 'RAW', value: {} }],
    });
    expect(problems).toEqual([]);
    await close();
  });

  /** Opens a page of another origin that shows the claim page, as others reach it, in a frame. */
  async function openFrame(origin: string) {
    const { page, problems, close } = await browser.tab();
    const body = `<script>said = null; addEventListener('message', ({ data }) => { said = data.path; });</script>
      <iframe src="https://gigclaim.test/claim/farcaster/1001"></iframe>`;
    await page.route(`${origin}/`, (route) => route.fulfill({ contentType: 'text/html', body }));
    await page.route('https://gigclaim.test/**', async (route) => {
      const { pathname, search } = new URL(route.request().url());
      const answered = await service.app.request(pathname + search);
      const headers = Object.fromEntries(answered.headers);
      await route.fulfill({ status: answered.status, headers, body: Buffer.from(await answered.arrayBuffer()) });
    });
    await page.goto(`${origin}/`);
    return { page, problems, close };
  }

  test('behavior: a client of mini apps may show it in a frame', async () => {
    const { page, close } = await openFrame('https://farcaster.xyz');
    await page.waitForFunction('said !== null');
    expect(await page.evaluate('said')).toEqual(['ready']);
    expect(await page.frameLocator('iframe').locator('h1').innerText()).toBe('@alice');
    await close();
  });

  test('security: nobody else may', async () => {
    const { page, problems, close } = await openFrame('https://gigclaim.example');
    await expect.poll(() => problems).toContainEqual(expect.stringContaining('frame-ancestors'));
    expect(await page.evaluate('said')).toBeNull();
    await close();
  });
});
