import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, type Tab, type TestBrowser } from '../../support/browser.ts';
import { listen } from '../../support/listen.ts';
import { openSandboxPage } from '../../support/sandbox-page.ts';
import { seedGig } from '../../support/store.ts';

let page: Awaited<ReturnType<typeof openSandboxPage>>;
let browser: TestBrowser;
let tab: Tab;
/** Takes calls and never answers one. */
let silent: Server;
const calls = new Set<Socket>();

beforeAll(async () => {
  silent = createServer((socket) => calls.add(socket));
  page = await openSandboxPage({ service: (await listen(silent)).url });
  browser = await openBrowser();
  tab = await browser.tab();
});

afterAll(async () => {
  await browser.close();
  await page.close();
  silent.close();
});

test('behavior: the page stands while the service hangs, and says so', async () => {
  await tab.page.goto(page.url);
  await tab.page.locator('#service').getByText('does not answer').waitFor();
  page.happenings.emit('service', { type: 'ended', pid: 4711, how: 'SIGKILL' });
  await tab.page.locator('#service').getByText('down, restarting').waitFor();
  await tab.page
    .locator('#story')
    .getByText('The service, process 4711, was killed. On disk: nothing waits.')
    .waitFor();
  expect(await tab.page.locator('#announcement').textContent()).toContain('process 4711, was killed');
  expect(tab.problems).toEqual([]);
});

test('behavior: a button says at once that it was heard, while the service still thinks', async () => {
  await seedGig(page.store);
  await tab.page.reload();
  await tab.page.getByRole('button', { name: 'Start gig 1 over the API' }).click();
  await tab.page.locator('#outcome').getByText('asking the service…', { exact: true }).waitFor({ timeout: 2_000 });
  for (const call of calls) call.destroy();
  await tab.page.locator('#outcome').getByText('The service did not answer').waitFor();
});

test('behavior: a stream that drops is taken up again, with what was missed', async () => {
  await tab.page.locator('#connection').getByText('live').waitFor();
  await tab.page.getByLabel('Text of the post on X').fill('half a sen');
  await page.takeAway();
  await tab.page.locator('#connection').getByText('the sandbox does not answer').waitFor();
  page.x.post({ author: 'carol', text: 'said meanwhile' });
  await page.putBack();
  await tab.page.locator('#connection').getByText('live').waitFor();
  await tab.page.locator('#timeline-x').getByText('said meanwhile').waitFor();
  expect(await tab.page.getByLabel('Text of the post on X').inputValue()).toBe('half a sen');
});
