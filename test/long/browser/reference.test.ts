import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDocument } from '../../http/document.ts';
import { type ServedService, serveService } from '../../http/serve.ts';
import { DESKTOP, findBarriers, LARGE_PHONE, openBrowser, type TestBrowser } from '../../support/browser.ts';

let service: ServedService;
let operations: number;
let browser: TestBrowser;
beforeAll(async () => {
  service = await serveService();
  const { document } = await readDocument(service);
  operations = Object.values(document.paths).flatMap((methods) => Object.keys(methods)).length;
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await service.close();
});

describe('the API reference', () => {
  test.each([
    ['a desktop', { viewport: DESKTOP, colorScheme: 'light' }],
    ['a phone in dark mode', { viewport: LARGE_PHONE, colorScheme: 'dark' }],
  ] as const)(
    'behavior: on %s it shows every operation, is open to everybody and asks no other host',
    async (_, screen) => {
      const tab = await browser.tab(screen);
      await tab.page.goto(`${service.origin}/api/docs`);
      await tab.page.getByRole('heading', { name: 'Award tips from a live gig' }).waitFor();
      expect(await tab.page.locator('html').getAttribute('lang')).toBe('en');
      expect(await tab.page.locator('[id^="tag/"][id*="/operation/"]').count()).toBe(operations);
      expect(await findBarriers(tab.page)).toEqual([]);
      expect(tab.problems).toEqual([]);
      await tab.close();
    },
  );

  test('behavior: follows the color scheme, in which all that opens can be read, and leads back to the first page', async () => {
    const tab = await browser.tab({ colorScheme: 'light' });
    const { page } = tab;
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    await page.goto(`${service.origin}/api/docs`);
    await page.getByRole('heading', { name: 'Award tips from a live gig' }).waitFor();
    expect(await ground()).toBe('rgba(0, 0, 0, 0)');
    await page.getByRole('link', { name: '← gigclaim' }).click();
    await page.waitForURL(`${service.origin}/`);
    await page.goto(`${service.origin}/api/docs`);
    await Promise.all([page.waitForEvent('load'), page.emulateMedia({ colorScheme: 'dark' })]);
    await page.getByRole('heading', { name: 'Award tips from a live gig' }).waitFor();
    expect(await ground()).toBe('rgb(18, 20, 22)');
    await page.evaluate(`for (const button of document.querySelectorAll('#reference td button')) button.click()`);
    expect((await findBarriers(page)).filter((barrier) => barrier.startsWith('color-contrast'))).toEqual([]);
    expect(tab.problems).toEqual([]);
    await tab.close();
  });

  test('behavior: a search finds an operation by its words', async () => {
    const tab = await browser.tab();
    await tab.page.goto(`${service.origin}/api/docs`);
    await tab.page.getByRole('textbox').first().fill('raffle');
    await tab.page.getByRole('menuitem', { name: /draw/i }).first().waitFor();
    expect(tab.problems).toEqual([]);
    await tab.close();
  });
});
