import { createAdaptorServer } from '@hono/node-server';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { browserOf, walletOn } from '../../http/my/browser.ts';
import { openService, type Service, seedLocalGig } from '../../http/service.ts';
import { deployToken } from '../../support/anvil.ts';
import { openBrowser, type Tab, type TestBrowser } from '../../support/browser.ts';
import { listen } from '../../support/listen.ts';
import { seedGig } from '../../support/store.ts';

const OWNER = 'farcaster:1003';

let service: Service;
let url: string;
let stop: () => Promise<void>;
let browser: TestBrowser;
let tab: Tab;
let page: Page;

beforeAll(async () => {
  service = await openService({ signIn: walletOn(inject('anvilUrl')), config: { ownerCreate: 'anybody' } });
  ({ url, close: stop } = await listen(createAdaptorServer({ fetch: service.app.fetch })));
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await stop();
  await service.close();
});
beforeEach(async () => {
  tab = await browser.tab();
  ({ page } = tab);
  await enter(OWNER);
});
afterEach(() => tab.close());

/** Signs another owner in, in the same tab. */
async function enter(owner: string): Promise<void> {
  const [[name, value] = ['', '']] = [...(await browserOf(service, owner)).cookies];
  await page.context().addCookies([{ name, value, url }]);
}

const title = () => page.getByLabel('Title');

test('security: what was typed comes back to its owner alone, and over no copy of a gig', async () => {
  const { id } = await seedGig(service.store, { client: `owner:${OWNER}`, title: 'Old birds' });
  await page.goto(`${url}/my/gigs/new`);
  await title().fill('Birds');
  await page.reload();
  expect(await title().inputValue()).toBe('Birds');
  await page.goto(`${url}/my/gigs/new?from=${id}`);
  expect(await title().inputValue()).toBe('Old birds');
  await enter('farcaster:1004');
  await page.goto(`${url}/my/gigs/new`);
  expect(await title().inputValue()).toBe('');
});

test('security: a draft of a gig’s form is not put over terms that were changed since', async () => {
  const token = await deployToken({ decimals: 18, symbol: 'DEGEN' });
  const gig = await seedLocalGig(service.store, token, { client: `owner:${OWNER}`, startTime: service.time.now });
  await page.goto(`${url}/my/gigs/${gig.id}/edit`);
  await title().fill('Mine');
  await page.reload();
  expect(await title().inputValue()).toBe('Mine');
  const terms = { ...gig, title: 'Theirs', tokenId: gig.token.id };
  await service.store.transaction((tx) => tx.changeTerms(gig.id, { terms, now: service.time.now }));
  await page.reload();
  expect(await title().inputValue()).toBe('Theirs');
});
