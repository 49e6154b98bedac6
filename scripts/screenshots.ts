import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { openBrowser } from '../test/support/browser.ts';
import { type Sandbox, startSandbox } from '../test/support/sandbox.ts';

const FOLDER = resolve(import.meta.dirname, '../.github/images');
const WIDTH = 1280;
const PHONE_WIDTH = 390;
/** Three casts stand beside each other. */
const FEED_WIDTH = 1440;
/** For one step: the service looks once a minute whether a gig is funded. */
const STEP_MS = 120_000;
/** Of WebP, in the order in which they are tried. Text is crisp with the first ones. */
const QUALITIES = [80, 65, 50, 40, 30, 20];
/** So that a document's pictures are there at once, also on a phone. */
const MAX_BYTES = 60_000;
const STEPS = ['look-up', 'refused', 'accepted', 'payout', 'crash', 'restore'];

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What the window shows as WebP, which only the browser's own protocol knows; of a box, that alone. */
async function capture(page: Page, quality: number, box: Box | null): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const shown = box === null ? {} : { clip: { ...box, scale: 1 }, captureBeyondViewport: true };
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality, ...shown });
  return Buffer.from(data, 'base64');
}

/** Writes what the window shows, `height` pixels of it, as `<name>.webp`; of an element, it and nothing around it. */
async function shoot(page: Page, name: string, height: number, { width = WIDTH, of = 'html' } = {}): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.evaluate('document.fonts.ready');
  const box = await page.locator(of).boundingBox();
  if (box === null) throw new Error(`${name}: the page shows no ${of}`);
  const clip = of === 'html' ? null : box;
  for (const quality of QUALITIES) {
    const picture = await capture(page, quality, clip);
    if (picture.byteLength > MAX_BYTES) continue;
    await writeFile(join(FOLDER, `${name}.webp`), picture);
    return console.log(`${name}.webp: ${Math.round(picture.byteLength / 1_000)} kB at quality ${quality}`);
  }
  throw new Error(`${name}: no quality makes it ${MAX_BYTES} bytes small: show less`);
}

/** Presses the buttons, one after the other, and waits until each has shown what it is for. */
async function takeSteps(page: Page, steps: readonly string[]): Promise<void> {
  for (const step of steps) {
    await page.locator(`#try-${step}`).click();
    await page.locator(`#step-${step}.done`).waitFor({ timeout: STEP_MS });
  }
  await page.locator('#service').getByText('nothing waits').waitFor();
}

/** Signs the browser in at the service, by the button of the sandbox's page. */
async function signIn(page: Page, sandbox: Sandbox, button: string): Promise<void> {
  await page.goto(sandbox.page);
  await page.getByRole('button', { name: button }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** The pages of owners and earners, as bob and alice see them; bob's own gig is made by its button first. */
async function shootOwnPages(page: Page, sandbox: Sandbox): Promise<void> {
  const { service } = sandbox;
  await takeSteps(page, ['owner']);
  const told = (await page.locator('#step-owner .result').textContent()) ?? '';
  const [, gigId = ''] = /gig ([0-9]+)/.exec(told) ?? [];
  await page.goto(`${service}/my/sign-in`);
  await shoot(page, 'sign-in', 780);
  await signIn(page, sandbox, 'Sign in as bob with the wallet');
  await page.goto(`${service}/my/gigs/new`);
  await shoot(page, 'my-new-gig', 1_150);
  await page.goto(`${service}/my/gigs/${gigId}`);
  await shoot(page, 'my-gig', 960);
  await page.goto(`${service}/my/gigs/${gigId}/award`);
  await page.getByLabel('Paste a list').fill('@alice,0.1\nfarcaster:1002,0.05\n@nobody-here,5');
  await page.getByRole('button', { name: 'Preview the awards' }).click();
  await page.getByRole('table').waitFor();
  await shoot(page, 'my-award', 820);
  await signIn(page, sandbox, 'Sign in as alice with Farcaster');
  await page.goto(`${service}/my/rewards`);
  await shoot(page, 'my-rewards', 960);
}

/** A paid account earns again, so that a claim page has both. */
async function tipAgain({ service, apiKey }: Sandbox): Promise<void> {
  const answer = await fetch(`${service}/api/gigs/1/tips`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey },
    body: JSON.stringify({ tips: [{ platform: 'farcaster', platform_user_id: '1001', username: 'alice', value: 25 }] }),
  });
  if (!answer.ok) throw new Error(`tipping was answered ${answer.status}: ${await answer.text()}`);
}

/** Casts with the cards of gigs: one as it is, and two that bob taps. */
async function shootFeed(page: Page, { page: url, service, farcaster }: Sandbox): Promise<void> {
  await page.goto(url);
  await page.locator('#connection.ok').waitFor();
  await takeSteps(page, ['tap']);
  const casts = [
    { author: 'carol', text: 'Paid at once, and I never left my feed.', gig: 7, button: 'Claim', shows: 'Paid' },
    { author: 'alice', text: 'What has it paid you?', gig: 2, button: 'What have I earned?', shows: 'You can claim' },
    { author: 'acme', text: 'Boost our launch and earn DEGEN.', gig: 1, button: null, shows: 'gig 1' },
  ];
  for (const { author, text, gig } of casts) {
    const body = JSON.stringify({ author, text, embeds: [`${service}/gigs/${gig}`] });
    const answer = await fetch(`${farcaster}/sandbox/posts`, { method: 'POST', body });
    if (!answer.ok) throw new Error(`casting was answered ${answer.status}: ${await answer.text()}`);
  }
  await page.goto(`${url}/feed?as=bob`);
  // What bob has claimed is told no more, and of his own gig he was told within the 30 seconds before.
  await page.locator('#told').getByText('You earned').first().waitFor({ timeout: STEP_MS });
  for (const { text, button, shows } of casts.toReversed()) {
    const cast = page.locator('.casts > li').filter({ hasText: text });
    if (button !== null) await cast.getByRole('button', { name: button, exact: true }).click();
    await cast.locator('.snap').getByText(shows).first().waitFor();
  }
  await page.evaluate('document.activeElement.blur(), scrollTo(0, 0)');
  await shoot(page, 'cards', 740, { width: FEED_WIDTH });
}

async function shootAll(page: Page, sandbox: Sandbox): Promise<void> {
  await page.goto(sandbox.page);
  await page.locator('#connection.ok').waitFor();
  await takeSteps(page, STEPS);
  // From the top, without what was pointed at; a reload would keep the place.
  await page.goto('about:blank');
  await page.goto(sandbox.page);
  await page.locator('#connection.ok').waitFor();
  await shoot(page, 'sandbox', 640);

  await tipAgain(sandbox);
  await page.goto(`${sandbox.service}/claim/farcaster/1001`);
  await shoot(page, 'claim', 960);
  await page.goto(`${sandbox.service}/gigs/1`);
  await shoot(page, 'gig', 800);
  await shoot(page, 'gig-on-a-phone', 844, { width: PHONE_WIDTH });
  await shoot(page, 'gig-money', 780, { of: 'section[aria-labelledby="payments"]' });

  await page.goto(`${sandbox.service}/admin`);
  await page.getByLabel('API key').fill(sandbox.apiKey);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Log out' }).waitFor();
  await shoot(page, 'operator', 1_010);

  await page.goto(sandbox.page);
  await page.locator('#connection.ok').waitFor();
  await shootOwnPages(page, sandbox);
  await shootFeed(page, sandbox);
}

await mkdir(FOLDER, { recursive: true });
const sandbox = await startSandbox();
const browser = await openBrowser();
try {
  const { page } = await browser.tab({ colorScheme: 'light', reducedMotion: 'reduce' });
  await shootAll(page, sandbox);
} finally {
  await browser.close();
  await sandbox.stop();
}
