import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  findBarriers,
  openBrowser,
  PHONE,
  sidewaysOverflow,
  type Tab,
  type TestBrowser,
} from '../../support/browser.ts';
import { type Sandbox, startSandbox } from '../../support/sandbox.ts';

let sandbox: Sandbox;
let browser: TestBrowser;
let tab: Tab;

beforeAll(async () => {
  sandbox = await startSandbox();
  browser = await openBrowser();
});

afterAll(async () => {
  await browser.close();
  await sandbox.stop();
});

beforeEach(async () => {
  tab = await browser.tab();
  await tab.page.goto(sandbox.page);
  await tab.page.getByText('live', { exact: true }).first().waitFor();
});

afterEach(async () => {
  expect(tab.problems).toEqual([]);
  await tab.close();
});

/** Posts as a person would: chooses who, types, presses the button. */
async function post(network: 'Farcaster' | 'X', author: string, text: string): Promise<void> {
  const { page } = tab;
  const form = page.getByRole('region', { name: network, exact: true });
  await form.getByLabel('Post as').selectOption(author);
  await form.getByLabel(`Text of the post on ${network}`).fill(text);
  await form.getByRole('button', { name: `Post on ${network}` }).click();
}

describe('the sandbox’s page', () => {
  test('behavior: alice asks for her claims, and event, states and reply appear by themselves', async () => {
    await post('Farcaster', 'alice', '@gigclaim claims');
    const thread = tab.page.locator('#timeline-farcaster .posts > li').first();
    await thread.getByText('Your claimable tokens: 100 DEGEN (1 tip, 1 gig)').waitFor();
    await thread.getByText('reply sent').waitFor();
    expect(await thread.locator('.states').textContent()).toMatch(/^mention [0-9]+ answered reply sent\s*$/);
    const story = tab.page.locator('#story');
    await story.getByText('alice posted: “@gigclaim claims”').first().waitFor();
    expect(
      await story.getByText(/^Farcaster Delivered the event, signed; the service answered 200 in [0-9]+ ms\.$/).count(),
    ).toBe(1);
    const told = await story.textContent();
    expect(told).toMatch(/Mention [0-9]+ is on disk: by alice on Farcaster, came by webhook\./);
    expect(told).toMatch(/Reply to mention [0-9]+: .*sent\./);
    expect(await tab.page.getByLabel('Text of the post on Farcaster').inputValue()).toBe('');
    expect(await tab.page.locator('#announcement').textContent()).toContain('The bot replied to alice');
  });

  test('behavior: a post can be made with the keyboard alone', async () => {
    const { page } = tab;
    await page.getByRole('region', { name: 'X', exact: true }).getByLabel('Post as').focus();
    await page.keyboard.type('bob');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('claims');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.value')).toBe('@gigclaim claims');
    await page.keyboard.press('Control+Enter');
    const thread = page.locator('#timeline-x .posts > li').first();
    await thread.getByText('Your claimable tokens: 5 USDC (1 tip, 1 gig)').waitFor();
    expect(await thread.locator('.byline strong').first().textContent()).toBe('bob');
  });

  test('behavior: what arrives disturbs neither the focus nor what is being typed', async () => {
    const { page } = tab;
    await page.getByLabel('Text of the post on X').fill('half a sen');
    await page.getByRole('button', { name: 'Start gig 4 over the API' }).focus();
    const posted = await fetch(`${sandbox.farcaster}/sandbox/posts`, {
      method: 'POST',
      body: JSON.stringify({ author: 'carol', text: '@gigclaim help' }),
    });
    expect(posted.status).toBe(201);
    await page.locator('#timeline-farcaster').getByText('Mention me with: "claims"').waitFor();
    await fetch(`${sandbox.page}/gigs/5/fund`, {
      method: 'POST',
      headers: { origin: sandbox.page },
      body: new URLSearchParams({ funding: 'over' }),
    });
    await page.locator('#gig-5').getByText('43 of 42 USDC').waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('start-4');
    expect(await page.getByLabel('Text of the post on X').inputValue()).toBe('half a sen');
  });

  test('behavior: a suggestion names the address of whoever is chosen', async () => {
    const x = tab.page.getByRole('region', { name: 'X', exact: true });
    await x.getByLabel('Post as').selectOption('bob');
    await x.getByRole('button', { name: 'claim my rewards 0x…' }).click();
    expect(await x.getByLabel('Text of the post on X').inputValue()).toBe(
      '@gigclaim claim my rewards 0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    );
  });

  test.each([
    ['with Farcaster', 'farcaster 1001'],
    ['with the wallet', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
  ])('behavior: one click %s signs in as alice, at the service’s own pages', async (way, name) => {
    const { page } = tab;
    await page.getByRole('button', { name: `Sign in as alice ${way}` }).click();
    await page.waitForURL(`${sandbox.service}/my`);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(await page.locator('footer').textContent()).toContain(name);
    expect(await findBarriers(page)).toEqual([]);
  });

  test('security: what mallory posts stays text', async () => {
    const hostile = '@gigclaim <script>document.title="owned"</script><img src=x onerror=alert(1)>&amp;"\'';
    for (const network of ['Farcaster', 'X'] as const) await post(network, 'mallory', hostile);
    for (const network of ['farcaster', 'x']) {
      const said = tab.page.locator(`#timeline-${network} .said`).first();
      await expect.poll(() => said.textContent()).toBe(hostile);
    }
    await tab.page.getByLabel('URL of the post').fill('https://x.com/<script>/status/1"><script>1</script>');
    await tab.page.getByRole('button', { name: 'Claim', exact: true }).click();
    await tab.page.locator('#claim-answer .answer').waitFor();
    await tab.page.reload();
    expect(await tab.page.locator('#timeline-x .said').first().textContent()).toBe(hostile);
    expect(await tab.page.locator('main script, main img').count()).toBe(0);
    expect(await tab.page.title()).toBe('Sandbox · gigclaim');
  });
});

describe('everybody can use it', () => {
  test.each([
    ['on a desktop', {}],
    ['on a phone', { viewport: PHONE }],
    ['in the dark', { colorScheme: 'dark' }],
  ] as const)('behavior: without barriers %s', async (_, options) => {
    const other = await browser.tab(options);
    await other.page.goto(sandbox.page);
    await other.page.locator('#connection.ok').waitFor();
    await other.page.locator('#timeline-farcaster .post').first().waitFor();
    expect(await findBarriers(other.page)).toEqual([]);
    expect(await sidewaysOverflow(other.page)).toBe(0);
    expect(other.problems).toEqual([]);
    await other.close();
  });

  test('behavior: it can be read and used without script', async () => {
    const other = await browser.tab({ javaScriptEnabled: false });
    await other.page.goto(sandbox.page);
    expect(await other.page.locator('#person-alice').textContent()).toMatch(
      /Can claim on Farcaster\s*100 DEGEN 1 tip.*Can claim on X\s*50 DEGEN 1 tip/s,
    );
    expect(await other.page.locator('#gig-3').textContent()).toContain('0 of 105 DEGEN');
    const form = other.page.locator('#composer-x');
    await form.getByLabel('Post as').selectOption('carol');
    await form.getByRole('button', { name: 'help' }).click();
    await other.page.locator('#timeline-x').getByText('@gigclaim help').waitFor();
    await other.close();
  });
});
