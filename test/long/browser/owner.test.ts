import type { Page } from 'playwright-core';
import { beforeAll, expect, inject, test } from 'vitest';
import { walletOn } from '../../http/my/browser.ts';
import { openService } from '../../http/service.ts';
import { DESKTOP, findFaults, LARGE_PHONE } from '../../support/browser.ts';
import { useServed } from './served.ts';
import { AT_ONCE, connect, createWallet, type TestWallet } from './wallet.ts';

const REFUSED_REQUEST = /^error: Failed to load resource: the server responded with a status of 4/;

const served = useServed(() =>
  openService({ signIn: walletOn(inject('anvilUrl')), config: { ownerCreate: 'anybody' } }),
);
let wallet: TestWallet;
let account: TestWallet['account'];

beforeAll(async () => {
  wallet = await createWallet();
  ({ account } = wallet);
});

/** Nothing keeps anybody out of this page, on a screen and a phone, in light and dark. */
async function look(page: Page): Promise<void> {
  for (const viewport of [DESKTOP, LARGE_PHONE]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      expect(await findFaults(page), `${page.url()} ${viewport.width} ${colorScheme}`).toEqual([]);
    }
  }
  await page.setViewportSize(DESKTOP);
}

test('behavior: an owner signs in with a wallet, creates a gig, pays it, awards a list and reads who earned', async () => {
  // Without motion a change of colours is done at once, so nothing is looked at half way.
  const { page, problems, close } = await served.browser.tab({ reducedMotion: 'reduce' });
  await connect(page.context(), wallet);
  await page.addInitScript(AT_ONCE);
  await page.goto(`${served.url}/my/sign-in`);
  await page.getByRole('button', { name: 'Continue with Test Wallet' }).waitFor();
  await look(page);
  await page.getByRole('button', { name: 'Continue with Test Wallet' }).click();
  await page.getByRole('button', { name: 'Sign with Test Wallet' }).click();
  await page.getByRole('link', { name: 'Create a gig' }).click();
  await look(page);

  await page.getByLabel('Like', { exact: true }).check();
  await page.getByLabel('Post or profile').fill('https://farcaster.xyz/alice/0x1234abcd');
  await page.getByLabel('I award from a list').check();
  await page.getByLabel('When I start it').check();
  await page.getByLabel('Reward').fill('nothing');
  expect(await page.getByLabel('Refund address').inputValue()).toBe(account.address);
  await page.getByRole('button', { name: 'Create the gig' }).click();
  await page.locator('#amount-problem').waitFor();
  await look(page);
  await page.getByLabel('Reward').fill('0.5');
  await page.getByText('You pay 0.525 ETH').waitFor();
  await page.getByRole('button', { name: 'Create the gig' }).click();

  const pay = page.getByRole('button', { name: 'Pay with Test Wallet' });
  await pay.waitFor();
  await look(page);
  wallet.onSend = 'declines';
  await pay.click();
  await page.getByText('You declined in your wallet. Nothing was sent.').waitFor();
  wallet.onSend = 'sends';
  await pay.click();
  // The page follows the payment by itself.
  served.service.time.now += 3_000;
  await page.getByText('The wallet holds exactly what the gig needs').waitFor();
  await page.getByRole('button', { name: 'Start', exact: true }).click();

  await page.getByRole('link', { name: 'Award from a list' }).click();
  await look(page);
  await page.getByLabel('Paste a list').fill('account,amount\nfarcaster:1001,0.1\n1002,0.1\nx:2222,0.2');
  await page.getByRole('button', { name: 'Preview the awards' }).click();
  await page.getByText('1 line has an error and will be skipped.').waitFor();
  await look(page);
  await page.getByRole('button', { name: 'Award 2 accounts 0.3 ETH' }).click();
  await page.getByRole('heading', { name: 'Earners of gig' }).waitFor();
  await look(page);
  const earners = page.locator('table').first().locator('tbody th');
  expect(await earners.allInnerTexts()).toEqual(['X 2222', 'Farcaster 1001']);
  await page.getByRole('link', { name: 'Show the oldest first' }).press('Enter');
  await page.getByRole('link', { name: 'Show the newest first' }).waitFor();
  expect(await earners.allInnerTexts()).toEqual(['Farcaster 1001', 'X 2222']);
  await page.getByLabel('to, UTC').fill('2026-01-01');
  await page.getByRole('button', { name: 'Show' }).click();
  await page.getByText('No account is found here.').waitFor();
  await look(page);
  await page.goto(`${served.url}/my`);
  await look(page);

  await page.goto(`${served.url}/my/gigs/1`);
  await page.getByRole('link', { name: 'Stop' }).click();
  await look(page);
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('listitem').filter({ hasText: 'Ended' }).and(page.locator('[aria-current="step"]')).waitFor();
  await look(page);
  expect(problems.filter((problem) => !REFUSED_REQUEST.test(problem))).toEqual([]);
  await close();
});
