import type { Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { walletOn } from '../../http/my/browser.ts';
import { NOW, openService, seedLocalGig } from '../../http/service.ts';
import { deployToken, fundToken, type TestToken, tokenBalance } from '../../support/anvil.ts';
import type { Tab } from '../../support/browser.ts';
import { seedGig } from '../../support/store.ts';
import { useServed } from './served.ts';
import { AT_ONCE, connect, createWallet, LOST, PROVIDER, sends, type TestWallet } from './wallet.ts';

const OWNER = 'farcaster:1003';

const served = useServed(() => openService({ signIn: walletOn(inject('anvilUrl')) }));
let token: TestToken;
let gig: Gig;
let tab: Tab;
let page: Page;
let wallet: TestWallet;

beforeAll(async () => {
  token = await deployToken({ decimals: 18, symbol: 'DEGEN' });
});

beforeEach(async () => {
  wallet = await createWallet();
  gig = await seedLocalGig(served.service.store, token, { client: `owner:${OWNER}`, startTime: NOW });
  await fundToken(token, wallet.account.address, 105n * 10n ** 18n);
  tab = await served.browser.tab();
  ({ page } = tab);
  await served.enter(page, OWNER);
  await connect(page.context(), wallet);
});
afterEach(() => tab.close());

const path = () => `/my/gigs/${gig.id}`;
const pay = () => page.getByRole('button', { name: 'Pay with' });
const balance = () => tokenBalance(token, gig.walletAddress);
/** Until the page has asked so many times how its payment stands, and has read the answers. */
async function look(times: number): Promise<void> {
  for (let count = 0; count <= times; count += 1)
    await page.waitForResponse((response) => response.url().endsWith('/missing'));
}
/** A transfer that the wallet's owner makes elsewhere. */
const sendElsewhere = (amount: bigint) => fundToken(token, gig.walletAddress, amount);

async function open(script = AT_ONCE): Promise<void> {
  await page.addInitScript(script);
  await page.goto(served.url + path());
}

const ONCE: readonly [name: string, Partial<typeof wallet>][] = [
  ['is there already', {}],
  ['moves to the chain', { chain: '0x1' }],
  ['cannot switch and is there already', { onSwitch: 'cannot' }],
  ['does not know the chain', { chain: '0x1', onSwitch: 'does not know it' }],
  ['wraps that it does not know the chain', { chain: '0x1', onSwitch: 'hides that' }],
];
test.each(ONCE)(
  'behavior: a wallet that %s pays once, and the page follows it until the gig is funded',
  async (_, behaves) => {
    Object.assign(wallet, behaves);
    await open();
    await pay().click();
    await page.getByText('The wallet holds exactly what the gig needs').waitFor();
    expect([sends(wallet), await balance()]).toEqual([1, 105n * 10n ** 18n]);
    expect(await pay().count()).toBe(0);
  },
);

test.each([
  ['stays where it is', 'stays'],
  ['cannot switch', 'cannot'],
] as const)('error: a wallet on another chain that %s sends nothing', async (_, onSwitch) => {
  Object.assign(wallet, { chain: '0x1', onSwitch });
  await open();
  await pay().click();
  await page.getByText('Switch it to Anvil, then try again').waitFor();
  expect([sends(wallet), await pay().isEnabled()]).toEqual([0, true]);
});

test('error: who declines may pay again', async () => {
  wallet.onSend = 'declines';
  await open();
  await pay().click();
  await page.getByText('You declined in your wallet. Nothing was sent.').waitFor();
  expect(await pay().isEnabled()).toBe(true);
});

test.each(['expires', 'names nothing'] as const)(
  'security: a payment of which the wallet does not say whether it was sent is not offered again, in no tab (%s)',
  async (onSend) => {
    wallet.onSend = onSend;
    await open();
    await pay().click();
    await page.getByText('It may have been sent').waitFor();
    expect(await pay().isDisabled()).toBe(true);
    const second = await page.context().newPage();
    await second.addInitScript(AT_ONCE);
    await second.goto(served.url + path());
    await second.getByText('Check there whether it was sent.').waitFor();
    expect(await second.getByRole('button', { name: 'Pay with' }).isDisabled()).toBe(true);
    // It was sent later after all, and then nothing is offered.
    await sendElsewhere(105n * 10n ** 18n);
    served.service.time.now += 3_000;
    await page.reload();
    await page.getByText('The wallet holds exactly what the gig needs').waitFor();
    expect([await pay().count(), sends(wallet)]).toEqual([0, 1]);
  },
);

test('security: a wallet that is disconnected while it is asked may have sent, and an unread chain forgets no payment', async () => {
  wallet.onSend = 'disconnects';
  await open();
  await pay().click();
  await page.getByText('It may have been sent').waitFor();
  expect(await pay().isDisabled()).toBe(true);
  // No endpoint tells what the wallet of this one holds.
  const unread = await seedGig(served.service.store, { client: `owner:${OWNER}` });
  const key = `payment /my/gigs/${unread.id}`;
  await page.evaluate(`localStorage.setItem('${key}', '{}')`);
  await page.goto(`${served.url}/my/gigs/${unread.id}`);
  await page.locator('#pay-unknown').waitFor({ state: 'attached' });
  expect(await page.evaluate(`localStorage.getItem('${key}')`)).toBe('{}');
});

test.each(['expires', 'loses it'] as const)(
  'behavior: an owner who knows that nothing was sent pays again (%s)',
  async (onSend) => {
    wallet.onSend = onSend;
    await open();
    await pay().click();
    await page.getByRole('button', { name: 'It was not sent' }).click();
    wallet.onSend = 'sends';
    await pay().click();
    await page.getByText('The wallet holds exactly what the gig needs').waitFor();
    expect(await balance()).toBe(105n * 10n ** 18n);
  },
);

test('error: a transfer that the chain reverts paid nothing, and may be made again', async () => {
  wallet.onSend = 'reverts';
  await open();
  await pay().click();
  await page.getByText('nothing was paid').waitFor();
  expect([await pay().isEnabled(), await balance()]).toEqual([true, 0n]);
});

test('security: a payment on its way is not asked for again on another device, until its owner says that it was not sent', async () => {
  wallet.onSend = 'loses it';
  await open();
  await pay().click();
  await page.getByText(`Sent: ${LOST}`).waitFor();
  const other = await served.browser.tab();
  await other.page.context().addCookies(await page.context().cookies());
  await other.page.addInitScript(AT_ONCE);
  await other.page.goto(served.url + path());
  await other.page.getByText(`Sent: ${LOST}`).waitFor();
  const theirs = other.page.getByRole('button', { name: 'Pay with' });
  expect(await theirs.isDisabled()).toBe(true);
  await other.page.getByRole('button', { name: 'It was not sent' }).click();
  await page.getByText('Another browser says that it was not sent.').waitFor();
  expect([await theirs.isEnabled(), await pay().isEnabled(), sends(wallet)]).toEqual([true, true, 1]);
  await other.close();
});

test('security: a payment that is named in capitals is followed as the same one', async () => {
  wallet.onSend = 'shouts';
  await open();
  await pay().click();
  await page.getByText(`Sent: ${LOST}`).waitFor();
  await look(2);
  expect([await page.locator('#pay-said').innerText(), await pay().isDisabled()]).toEqual([
    expect.stringContaining('do not pay again.'),
    true,
  ]);
});

test('security: a payment on its way is not forgotten for one that was sent at the same time from another device', async () => {
  const mine = `0x${'2b'.repeat(32)}` as const;
  const other = await served.browser.tab();
  await other.page.context().addCookies(await page.context().cookies());
  const named = (hash: `0x${string}` | null) => served.service.store.transaction((tx) => tx.tellFunding(gig.id, hash));
  await connect(other.page.context(), {
    ...wallet,
    answer: async (asked) => {
      if (asked.method !== 'eth_sendTransaction') return await wallet.answer(asked);
      await named(LOST);
      return mine;
    },
  });
  ({ page } = other);
  await open();
  await pay().click();
  await page.getByText(`Sent: ${mine}`).waitFor();
  await look(2);
  expect(await served.service.store.fundingHash(gig.id)).toBe(LOST);
  await named(null);
  await expect.poll(() => served.service.store.fundingHash(gig.id)).toBe(mine);
  // Where the first one was followed, the second one is now.
  await named(LOST);
  await page.getByText(`Sent: ${LOST}`).waitFor();
  expect(await pay().isDisabled()).toBe(true);
  await other.close();
});

test('security: a page that follows a payment forgets none that another tab has with the wallet', async () => {
  wallet.onSend = 'loses it';
  await open();
  await pay().click();
  await page.getByText(`Sent: ${LOST}`).waitFor();
  await look(1);
  await page.evaluate(`localStorage.setItem('payment ${path()}', '{}')`);
  await look(2);
  expect(await page.evaluate(`localStorage.getItem('payment ${path()}')`)).toBe('{}');
});

test('security: what was sent by hand a second ago is not asked for again', async () => {
  await open();
  await pay().waitFor();
  await sendElsewhere(50n * 10n ** 18n);
  await pay().click();
  await page.getByText('The wallet holds exactly what the gig needs').waitFor();
  expect(await balance()).toBe(105n * 10n ** 18n);
});

test('behavior: a gig that starts by itself is shown live without a hand', async () => {
  const { store, time } = served.service;
  const terms = { client: `owner:${OWNER}`, startTime: NOW, start: 'when_funded' } as const;
  gig = await seedLocalGig(store, token, terms);
  await sendElsewhere(105n * 10n ** 18n);
  await open();
  await page.locator('#starting').waitFor();
  await store.transaction(async (tx) => {
    await tx.lockGig(gig.id, { holder: 'job', now: time.now, until: time.now + 60_000 });
    await tx.markLive(gig.id, { holder: 'job', startTime: NOW, endTime: NOW + 86_400_000 });
  });
  await page.locator('.badge', { hasText: 'Live' }).waitFor();
});

test('behavior: a wallet that comes late, twice or in the old way is shown once', async () => {
  await page.addInitScript(
    `${PROVIDER} setTimeout(() => { announce(); announce(); window.ethereum = provider; }, 2000);`,
  );
  await page.goto(served.url + path());
  await pay().waitFor();
  await page.waitForTimeout(1_500);
  expect(await pay().count()).toBe(1);
  const old = await page.context().newPage();
  await old.addInitScript(`${PROVIDER} setTimeout(() => { window.ethereum = provider; }, 1500);`);
  await old.goto(served.url + path());
  await old.getByRole('button', { name: 'Pay with your wallet' }).waitFor();
  expect(await old.getByRole('button', { name: 'Pay with' }).count()).toBe(1);
});
