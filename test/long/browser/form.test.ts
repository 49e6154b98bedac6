import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { walletOn } from '../../http/my/browser.ts';
import { openService, seedLocalGig } from '../../http/service.ts';
import { deployToken } from '../../support/anvil.ts';
import type { Tab } from '../../support/browser.ts';
import { seedGig } from '../../support/store.ts';
import { useServed } from './served.ts';

const OWNER = 'farcaster:1003';

const served = useServed(() =>
  openService({ signIn: walletOn(inject('anvilUrl')), config: { ownerCreate: 'anybody' } }),
);
let tab: Tab;
let page: Page;

beforeEach(async () => {
  tab = await served.browser.tab();
  ({ page } = tab);
  await served.enter(page, OWNER);
});
afterEach(() => tab.close());

const title = () => page.getByLabel('Title');

test('security: what was typed comes back to its owner alone, and over no copy of a gig', async () => {
  const { id } = await seedGig(served.service.store, { client: `owner:${OWNER}`, title: 'Old birds' });
  await page.goto(`${served.url}/my/gigs/new`);
  await title().fill('Birds');
  await page.reload();
  expect(await title().inputValue()).toBe('Birds');
  await page.goto(`${served.url}/my/gigs/new?from=${id}`);
  expect(await title().inputValue()).toBe('Old birds');
  await served.enter(page, 'farcaster:1004');
  await page.goto(`${served.url}/my/gigs/new`);
  expect(await title().inputValue()).toBe('');
});

test('security: a draft of a gig’s form is not put over terms that were changed since', async () => {
  const token = await deployToken({ decimals: 18, symbol: 'DEGEN' });
  const gig = await seedLocalGig(served.service.store, token, {
    client: `owner:${OWNER}`,
    startTime: served.service.time.now,
  });
  await page.goto(`${served.url}/my/gigs/${gig.id}/edit`);
  await title().fill('Mine');
  await page.reload();
  expect(await title().inputValue()).toBe('Mine');
  const terms = { ...gig, title: 'Theirs', tokenId: gig.token.id };
  await served.service.store.transaction((tx) => tx.changeTerms(gig.id, { terms, now: served.service.time.now }));
  await page.reload();
  expect(await title().inputValue()).toBe('Theirs');
});
