import { afterAll, beforeAll, expect, test } from 'vitest';
import { person } from '../../../sandbox/people.ts';
import { readState } from '../../../sandbox/state.ts';
import { anvilClients } from '../../support/anvil.ts';
import { findFaults, openBrowser, PHONE, type Tab, type TestBrowser } from '../../support/browser.ts';
import { type Sandbox, startSandbox } from '../../support/sandbox.ts';

const DEGEN = 10n ** 18n;
const HUES = ['gray', 'blue', 'red', 'amber', 'green', 'teal', 'purple', 'pink'];

let sandbox: Sandbox;
let browser: TestBrowser;
let tab: Tab;

beforeAll(async () => {
  sandbox = await startSandbox();
  browser = await openBrowser();
  tab = await browser.tab();
});

afterAll(async () => {
  expect(tab.problems).toEqual([]);
  await browser.close();
  await sandbox.stop();
});

/** What a user was paid in DEGEN, one amount for each transfer. */
async function transfersTo(name: string): Promise<(bigint | undefined)[]> {
  const [degen] = readState(sandbox.stateFile).tokens.filter(({ symbol }) => symbol === 'DEGEN');
  const event = {
    type: 'event',
    name: 'Transfer',
    inputs: [
      { name: 'from', type: 'address', indexed: true },
      { name: 'to', type: 'address', indexed: true },
      { name: 'value', type: 'uint256' },
    ],
  } as const;
  const query = { address: degen?.address, event, args: { to: person(name).address }, fromBlock: 0n };
  const logs = await anvilClients(sandbox.chain).public.getLogs(query);
  return logs.map(({ args }) => args.value);
}

/** The card of gig 1, which is in the feed from the start. */
const firstCard = () => tab.page.getByRole('article', { name: `Card of ${sandbox.service}/gigs/1` }).last();

test('behavior: a gig is seen as a card, by everybody and on every screen', async () => {
  await tab.page.goto(`${sandbox.page}/feed?as=alice`);
  await tab.page.locator('#connection.ok').waitFor();
  expect(await firstCard().getByRole('progressbar').getAttribute('aria-hidden')).toBeNull();
  expect(await firstCard().textContent()).toMatch(/225 DEGEN of 1,000 DEGEN awarded.*3 accounts earned/s);
  for (const options of [{}, { viewport: PHONE }, { colorScheme: 'dark' }] as const) {
    const other = await browser.tab(options);
    await other.page.goto(`${sandbox.page}/feed?as=alice`);
    await other.page.locator('#connection.ok').waitFor();
    expect(await findFaults(other.page)).toEqual([]);
    expect(other.problems).toEqual([]);
    await other.close();
  }
});

test('behavior: alice taps it by keyboard, twice, and is paid once on the chain', async () => {
  const { page } = tab;
  expect(await transfersTo('alice')).toEqual([]);
  await firstCard().getByRole('button', { name: 'Claim', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await firstCard().getByText('Paid', { exact: true }).waitFor();
  // The button is gone, and the keyboard is still at the card.
  expect(await page.evaluate("document.activeElement.closest('.embed') !== null")).toBe(true);
  expect(await transfersTo('alice')).toEqual([100n * DEGEN]);
  // A tap tells whole seconds, so one within the same second is the same tap, and shows the same claim.
  const paidIn = Math.floor(Date.now() / 1_000);
  await expect.poll(() => Math.floor(Date.now() / 1_000)).toBeGreaterThan(paidIn);
  await page.getByRole('button', { name: 'Back to the first card' }).press('Enter');
  await firstCard().getByRole('button', { name: 'Claim', exact: true }).press('Enter');
  await firstCard().getByText('Nothing to claim right now').first().waitFor();
  expect(await transfersTo('alice')).toEqual([100n * DEGEN]);
  expect(await findFaults(page)).toEqual([]);
});

test('behavior: bob sees the first card, and looks at what he has earned without being paid', async () => {
  const { page } = tab;
  await page.getByRole('navigation', { name: 'View as' }).getByRole('link', { name: 'bob' }).press('Enter');
  await firstCard().getByRole('button', { name: 'What have I earned?' }).press('Enter');
  await firstCard().getByText('You can claim').waitFor();
  expect(await transfersTo('bob')).toEqual([]);
  await page.getByLabel('Text').fill('@gigclaim claims');
  await page.getByRole('button', { name: 'Cast', exact: true }).press('Enter');
  await page.locator('#casts').getByText('Your claimable tokens').waitFor();
});

test('behavior: a service that is down is said beside the card', async () => {
  const { page } = tab;
  await page.goto(`${sandbox.page}/feed?as=carol`);
  const kill = await fetch(`${sandbox.page}/kill`, { method: 'POST', headers: { origin: sandbox.page } });
  expect(kill.ok).toBe(true);
  await firstCard().getByRole('button', { name: 'What have I earned?' }).press('Enter');
  const problem = firstCard().getByRole('alert').getByText('The service did not answer: it is down or restarting.');
  await problem.waitFor();
  const isUp = () =>
    fetch(`${sandbox.service}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isUp).toBe(true);
  await firstCard().getByRole('button', { name: 'What have I earned?' }).press('Enter');
  await firstCard().getByText('Nothing to claim right now').waitFor();
  expect(await problem.count()).toBe(0);
});

test('behavior: every accent can be read, in light and dark', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const other = await browser.tab({ colorScheme });
    await other.page.goto(`${sandbox.page}/feed?as=alice`);
    const snap = other.page.locator('.snap').first();
    for (const hue of HUES) {
      await snap.evaluate((element, accent) => {
        element.className = `snap accent-${accent}`;
        element.innerHTML = `<span class="label default ${accent}">${accent}</span><span class="label outline ${accent}">${accent}</span><button class="primary">${accent}</button>`;
      }, hue);
      expect([hue, await findFaults(other.page)]).toEqual([hue, []]);
    }
    await other.close();
  }
});
