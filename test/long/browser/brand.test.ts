import { createAdaptorServer } from '@hono/node-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { openScene } from '../../http/pages/scene.ts';
import type { Service } from '../../http/service.ts';
import { DESKTOP, findFaults, LARGE_PHONE, openBrowser, type TestBrowser } from '../../support/browser.ts';
import { type Listening, listen } from '../../support/listen.ts';
import { SVG_LOGO } from '../../support/logos.ts';

const { brand } = loadConfig({
  // As long as a name may be, and as bright as an accent may be.
  SITE_NAME: 'The Worldwide Guild of Gig Folks',
  SITE_ACCENT: '#ae510f',
  OPERATOR_CONTACT: 'ops@gigs.example',
  SITE_TERMS_URL: 'https://gigs.example/terms',
});

let service: Service;
let browser: TestBrowser;
let site: Listening;
beforeAll(async () => {
  service = await openScene({ config: { brand }, logo: SVG_LOGO });
  site = await listen(createAdaptorServer({ fetch: service.app.fetch }));
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await site.close();
  await service.close();
});

test.each([
  ['a phone', { viewport: LARGE_PHONE, colorScheme: 'light' }],
  ['a phone in dark mode', { viewport: LARGE_PHONE, colorScheme: 'dark' }],
  ['a desktop in dark mode', { viewport: DESKTOP, colorScheme: 'dark' }],
] as const)(
  'behavior: on %s pages in the operator’s color fit, keep nobody out and break no rule',
  async (_, screen) => {
    for (const path of ['/', '/gigs/2', '/claim/farcaster/1001', '/admin']) {
      const tab = await browser.tab(screen);
      await tab.page.goto(new URL(path, site.url).href);
      expect([path, await findFaults(tab.page)]).toEqual([path, []]);
      const logo = tab.page.locator('.wordmark img');
      expect(await logo.evaluate((image: { naturalWidth?: number }) => image.naturalWidth)).toBeGreaterThan(0);
      expect(tab.problems.filter((problem) => !problem.includes('401'))).toEqual([]);
      await tab.close();
    }
  },
);
