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
    ['a desktop', DESKTOP],
    ['a phone', LARGE_PHONE],
  ])('behavior: on %s it shows every operation, is open to everybody and asks no other host', async (_, viewport) => {
    const tab = await browser.tab({ viewport });
    await tab.page.goto(`${service.origin}/api/docs`);
    await tab.page.getByRole('heading', { name: 'Award tips from a live gig' }).waitFor();
    expect(await tab.page.locator('html').getAttribute('lang')).toBe('en');
    expect(await tab.page.locator('[id^="tag/"][id*="/operation/"]').count()).toBe(operations);
    expect(await findBarriers(tab.page)).toEqual([]);
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
