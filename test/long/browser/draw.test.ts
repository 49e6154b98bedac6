import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DESKTOP, findFaults, LARGE_PHONE, openBrowser, TABLET, type TestBrowser } from '../../support/browser.ts';
import { type Sandbox, startSandbox } from '../../support/sandbox.ts';

const PATIENCE_MS = 120_000;

let sandbox: Sandbox;
let browser: TestBrowser;
/** The address of the draw of a raffle. */
let draw: string;

beforeAll(async () => {
  sandbox = await startSandbox();
  browser = await openBrowser();
  const { page, close } = await browser.tab();
  await page.goto(sandbox.page);
  await page.locator('#try-raffle').click();
  await page.locator('#step-raffle.done').waitFor({ timeout: PATIENCE_MS });
  draw = (await page.getByRole('link', { name: 'The draw and its proof' }).getAttribute('href')) ?? '';
  await close();
});

afterAll(async () => {
  await browser.close();
  await sandbox.stop();
});

async function topOf(where: Locator): Promise<number> {
  return (await where.boundingBox())?.y ?? Number.NaN;
}

test.each([
  ['a large screen', { viewport: DESKTOP, colorScheme: 'light' }],
  ['a tablet', { viewport: TABLET, colorScheme: 'dark' }],
  ['a phone', { viewport: LARGE_PHONE, colorScheme: 'light' }],
] as const)('behavior: on %s the draw shows the winner by name, above what proves it', async (_, screen) => {
  const { page, problems, close } = await browser.tab(screen);
  await page.goto(draw);
  const winner = page.getByRole('link', { name: /^@(alice|bob|carol)$/ });
  expect(await winner.count()).toBe(1);
  expect(await topOf(winner)).toBeLessThan(await topOf(page.locator('code.hex').first()));
  expect(await findFaults(page)).toEqual([]);
  expect(problems).toEqual([]);
  await close();
});
