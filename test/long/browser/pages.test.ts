import { createAdaptorServer } from '@hono/node-server';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { TANK } from '../../http/gas-tank.ts';
import { BOB_ON_X, openScene } from '../../http/pages/scene.ts';
import { label, NOW, openService, type Service } from '../../http/service.ts';
import {
  DESKTOP,
  findBarriers,
  findFaults,
  findOddLayout,
  LARGE_PHONE,
  openBrowser,
  PHONE,
  TABLET,
  type Tab,
  type TestBrowser,
} from '../../support/browser.ts';
import { decideAs, sampleAccount, sampleAct, seedActs, seedGigWithRules } from '../../support/earning.ts';
import { type Listening, listen } from '../../support/listen.ts';
import { seedGig, seedMention, seedTips, seedToken } from '../../support/store.ts';

const NASTY = '<script>document.title="taken"</script><img src=x onerror=\'document.title="taken"\'>';

/** Serves a service on loopback. */
const serve = ({ app }: Service) => listen(createAdaptorServer({ fetch: app.fetch }));

/** Gig 5, which pays likes: one account is held, one accepted. */
async function seedWatched(): Promise<void> {
  const { store } = service;
  const gig = await seedGigWithRules(store, { startTime: NOW - 1_000 });
  await seedActs(store, gig, [sampleAct(1), sampleAct(2)]);
  await store.transaction((tx) => decideAs(tx, gig, sampleAccount(2)));
}

/** Two replies to bob on X that wait for room. */
async function seedHeldReplies(): Promise<void> {
  for (const postId of ['71', '72']) {
    const post = { platform: 'twitter', postId, authorId: BOB_ON_X.platformUserId } as const;
    const mentionId = await seedMention(service.store, post, NOW - 1_000);
    await service.store.transaction(async (tx) => {
      const id = await tx.queueReply({ mentionId, kind: 'answer', text: `Gig ${postId} is live.` }, NOW - 1_000);
      await tx.leaseReply('twitter', { lease: 'test', now: NOW, until: NOW + 1 });
      await tx.holdReply(id, { lease: 'test', heldFor: 'author', until: NOW + 1, reason: 'held until there is room' });
    });
  }
}

let service: Service;
let browser: TestBrowser;
let site: Listening;
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
  await seedWatched();
  await seedHeldReplies();
  site = await serve(service);
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await site.close();
  await service.close();
});

let tab: Tab;
/** Opens a page of the site in a new tab, after this was done to it. */
async function visit(
  path: string,
  options: BrowserContextOptions = {},
  prepare: (page: Page) => Promise<unknown> = async () => undefined,
): Promise<Page> {
  tab = await browser.tab(options);
  await prepare(tab.page);
  await tab.page.goto(new URL(path, site.url).href);
  return tab.page;
}
afterEach(async () => {
  expect(tab.problems).toEqual([]);
  await tab.close();
});

/** Each layout once, and each of light and dark. */
const SCREENS = [
  ['on a small phone', { viewport: PHONE, colorScheme: 'light' }],
  ['on a phone in dark mode', { viewport: LARGE_PHONE, colorScheme: 'dark' }],
  ['on a tablet', { viewport: TABLET, colorScheme: 'light' }],
  ['on a large screen in dark mode', { viewport: DESKTOP, colorScheme: 'dark' }],
] as const;

const PAGES = [
  ...['/', '/claim/farcaster/1001', '/claim/x/bob', '/claim/x/nobody', '/gigs'],
  ...['/gigs?status=created', '/gigs?status=ended'],
  ...['/gigs/1', '/gigs/2', '/gigs/3', '/gigs/3/report', '/gigs/5', '/gigs/5?account=1'],
];

describe.each(SCREENS)('%s', (_, screen) => {
  test.each(PAGES)('behavior: %s fits, keeps nobody out and breaks no rule', async (path) => {
    expect(await findFaults(await visit(path, screen))).toEqual([]);
  });
});

/** The box of what is there once. */
async function boxOf(where: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await where.boundingBox();
  if (box === null) throw new Error('it is not shown');
  return box;
}

test('behavior: a form has as many columns as fields: where there is one, it takes what its button leaves', async () => {
  const page = await visit('/gigs/5');
  const form = page.locator('form.look-up');
  const [field, button] = [await boxOf(form.getByRole('textbox')), await boxOf(form.getByRole('button'))];
  expect(button.width).toBeLessThan(120);
  // Between them is the gap of 12 pixels.
  expect(field.width + 12 + button.width).toBeCloseTo((await boxOf(form)).width, 0);
  await page.setViewportSize(TABLET);
  await page.goto(site.url);
  const [choice, name] = [await boxOf(form.getByRole('combobox')), await boxOf(form.getByRole('textbox'))];
  expect(choice.width).toBe(160);
  expect(name.width).toBeGreaterThan(choice.width);
});

test.each([
  ['a phone', LARGE_PHONE],
  ['a large screen', DESKTOP],
])(
  'behavior: on %s the first screen says how to earn and what three gigs pay, and asks for an account',
  async (_, viewport) => {
    const page = await visit('/', { viewport });
    const offers = page.getByRole('region', { name: 'Earn now' }).getByRole('listitem');
    expect(await offers.count()).toBe(3);
    expect(await offers.first().innerText()).toMatch(
      /^Like the cast gig 5\s+Each account that likes the cast gets 2 DEGEN, first come, until the reward is used up\.\s+100 DEGEN on Base, until /,
    );
    expect(await page.locator('h1 + .lead').innerText()).toBe(
      'Do what a gig asks, earn tips, and claim them with one post.',
    );
    const { y, height } = await boxOf(page.getByRole('textbox', { name: 'Username, id or profile link' }));
    expect(y + height).toBeLessThanOrEqual(viewport.height);
  },
);

test.each([
  ['a phone', LARGE_PHONE],
  ['a tablet', TABLET],
  ['a large screen', DESKTOP],
])('behavior: on %s the gas tank is read whole, in few digits', async (_, viewport) => {
  const other = await openService({ gasTank: TANK });
  const desk = await serve(other);
  const page = await visit(`${desk.url}/admin`, { viewport });
  await page.getByLabel('API key').fill(other.key);
  await page.getByRole('button', { name: 'Log in' }).click();
  const table = page.getByRole('table', { name: 'Gas tank' });
  const amount = table.getByTitle('0.015123456789 ETH');
  expect(await amount.innerText()).toBe('0.0151234 ETH');
  const [card, box] = [await boxOf(page.locator('.card', { has: table })), await boxOf(amount)];
  expect(box.x + box.width).toBeLessThanOrEqual(card.x + card.width);
  expect(await findOddLayout(page)).toEqual([]);
  await desk.close();
  await other.close();
});

test('behavior: replies that wait are read without bullets and without the mark that X needs', async () => {
  const page = await visit('/claim/x/bob', { viewport: LARGE_PHONE });
  const replies = page.locator('[aria-labelledby="unposted"] li');
  expect(await replies.allInnerTexts()).toEqual([
    expect.stringMatching(/Waiting to be posted\s+Gig 72 is live\.$/),
    expect.stringMatching(/Waiting to be posted\s+Gig 71 is live\.$/),
  ]);
  const markers = "getComputedStyle(document.querySelector('[aria-labelledby=unposted] li')).listStyleType";
  expect(await page.evaluate(markers)).toBe('none');
});

test('behavior: the error page keeps nobody out either', async () => {
  const page = await visit('/gigs/99', { viewport: PHONE });
  expect(await page.locator('h1').innerText()).toBe('Not found');
  expect(await findBarriers(page)).toEqual([]);
  expect(tab.problems.splice(0)).toEqual([expect.stringContaining('404')]);
});

test('behavior: a person looks an account up with the keyboard alone', async () => {
  const page = await visit('/');
  await page.keyboard.press('Tab');
  expect(await page.locator(':focus').innerText()).toBe('Skip to content');
  await page.keyboard.press('Enter');
  // The links of the gigs stand before the form.
  do await page.keyboard.press('Tab');
  while ((await page.locator('main a:focus').count()) > 0);
  expect(await page.locator(':focus').getAttribute('id')).toBe('platform');
  await page.keyboard.type('X');
  await page.keyboard.press('Tab');
  await page.keyboard.type('@bob');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${site.url}/claim/x/%40bob`);
  expect(await page.locator('h1').innerText()).toBe('@Bob');
  expect(await page.locator('article h3').innerText()).toBe('5 DEGEN');
});

describe('the text to post', () => {
  test('behavior: goes to the clipboard by a button, which says so', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const page = await visit('/claim/farcaster/1001', { viewport: PHONE, permissions });
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('@gigclaim claim my rewards');
    await page.getByRole('button', { name: 'Copy', exact: true }).waitFor();
  });

  test('behavior: is selected instead where the clipboard is out of reach', async () => {
    const without = (page: Page) => page.addInitScript('delete Navigator.prototype.clipboard');
    const page = await visit('/claim/farcaster/1001', {}, without);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Selected' }).waitFor();
    expect(await page.evaluate('getSelection().toString()')).toBe('@gigclaim claim my rewards');
  });

  test('behavior: is there without any script, and no button that does nothing', async () => {
    const page = await visit('/claim/farcaster/1001', { javaScriptEnabled: false });
    expect(await page.locator('#claim-text').innerText()).toBe('@gigclaim claim my rewards');
    expect(await page.getByRole('button').count()).toBe(0);
    expect(await page.locator('article h3').allInnerTexts()).toEqual(['7.5 DEGEN', '0.123456789012345678 ETH']);
  });
});

test.each(['/claim/farcaster/666', '/gigs', '/gigs/4'])(
  'security: nothing that others wrote runs on %s',
  async (path) => {
    const page = await visit(path);
    await page.waitForLoadState('networkidle');
    expect(await page.locator('main').innerText()).toContain('<script>document.title="taken"</script>');
    expect(await page.title()).not.toBe('taken');
    expect(await page.locator('main img, main script').count()).toBe(0);
  },
);

describe('as a mini app', () => {
  test('behavior: tells the client around it that it is there', async () => {
    const client = 'ReactNativeWebView = { postMessage: (text) => { said = JSON.parse(text); } }';
    const page = await visit('/claim/farcaster/1001', { viewport: PHONE }, (frame) => frame.addInitScript(client));
    expect(await page.evaluate('said')).toEqual({
      id: expect.stringMatching(/.+/),
      type: 'APPLY',
      path: ['ready'],
      argumentList: [{ type: 'RAW', value: {} }],
    });
  });

  /** Opens a page of another origin, which is a problem, that shows the claim page, as others reach it, in a frame. */
  async function openFrame(origin: string): Promise<Page> {
    const body = `<script>said = null; addEventListener('message', ({ data }) => { said = data.path; });</script>
      <iframe src="https://gigclaim.test/claim/farcaster/1001"></iframe>`;
    return await visit(`${origin}/`, {}, async (page) => {
      await page.route(`${origin}/`, (route) => route.fulfill({ contentType: 'text/html', body }));
      await page.route('https://gigclaim.test/**', async (route) => {
        const { pathname, search } = new URL(route.request().url());
        const answered = await service.app.request(pathname + search);
        const headers = Object.fromEntries(answered.headers);
        await route.fulfill({ status: answered.status, headers, body: Buffer.from(await answered.arrayBuffer()) });
      });
    });
  }

  test('behavior: a client of mini apps may show it in a frame', async () => {
    const page = await openFrame('https://farcaster.xyz');
    await page.waitForFunction('said !== null');
    expect(await page.evaluate('said')).toEqual(['ready']);
    expect(await page.frameLocator('iframe').locator('h1').innerText()).toBe('@alice');
    tab.problems.length = 0;
  });

  test('security: nobody else may', async () => {
    const page = await openFrame('https://gigclaim.example');
    await expect.poll(() => tab.problems).toContainEqual(expect.stringContaining('frame-ancestors'));
    expect(await page.evaluate('said')).toBeNull();
    tab.problems.length = 0;
  });
});
