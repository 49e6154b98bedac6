import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalChain } from '../../../sandbox/chain.ts';
import { MNEMONIC } from '../../../sandbox/people.ts';
import { findBarriers } from '../../support/browser.ts';
import { createApiClient } from '../../support/clients.ts';
import { openSandboxTab, type SandboxTab } from './sandbox-tab.ts';

let opened: SandboxTab;
let page: SandboxTab['page'];
beforeAll(async () => {
  opened = await openSandboxTab();
  ({ page } = opened);
});
afterAll(() => opened.close());

/** Asks the API of the service. */
function call<T>(method: string, path: string, body?: object) {
  const { service, apiKey } = opened.sandbox;
  return createApiClient(() => service, apiKey)<T>(method, path, body);
}

/** Creates a gig for one unit; its id. */
async function createGig(terms: object): Promise<number> {
  const usual = { chain: 'anvil', amount: 1, start_time: '2026-01-01T00:00:00Z', duration: '1week' };
  const { status, body } = await call<{ gig_id: number }>('POST', '/api/gigs/create', { ...usual, ...terms });
  expect(status).toBe(201);
  return body.gig_id;
}

async function press(name: string): Promise<void> {
  await page.getByRole('button', { name }).click();
}

describe('a gig’s wallet', () => {
  test('behavior: funded short, its start is refused in words and as JSON', async () => {
    const gig = page.locator('#gig-3');
    await press('Fund gig 3 short (+104) DEGEN');
    await gig.getByText('104 of 105 DEGEN').waitFor();
    expect(await gig.locator('dd .badge').textContent()).toBe('too little');
    await press('Start gig 3 over the API');
    await gig
      .getByText('400: Gig with id 3 is not funded. Expected amount: 105 DEGEN. Actual amount: 104 DEGEN.')
      .waitFor();
    await gig.getByText('POST /api/gigs/start as JSON').click();
    expect(JSON.parse((await gig.locator('pre').textContent()) ?? '')).toMatchObject({
      error: { message: 'Gig with id 3 is not funded', details: { 0: 'Expected amount: 105 DEGEN' } },
    });
    expect(await findBarriers(page)).toEqual([]);
  });

  test('behavior: filled up exactly, it starts', async () => {
    const gig = page.locator('#gig-3');
    await press('Fund gig 3 exactly (+1) DEGEN');
    await gig.getByText('funded exactly').waitFor();
    await press('Start gig 3 over the API');
    await gig.getByText('200: Gig started successfully.').waitFor();
    await gig.getByText('live', { exact: true }).waitFor();
    await page.locator('#story').getByText('Gig 3: created → live.').waitFor();
  });

  test('behavior: funded over, its start is refused', async () => {
    const gig = page.locator('#gig-2');
    await press('Fund gig 2 over (+1) DEGEN');
    await gig.getByText('526 of 525 DEGEN').waitFor();
    expect(await gig.locator('dd .badge').textContent()).toBe('too much');
    await page.getByRole('button', { name: 'Fund gig 2 exactly' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('#outcome').getByText('The wallet of gig 2 needs nothing more.').waitFor();
    await press('Start gig 2 over the API');
    await gig.getByText('400: Gig with id 2 is not funded.').waitFor();
  });

  test('behavior: what holds too much is fitted, and starts', async () => {
    const gig = page.locator('#gig-2');
    await press('Fit the reward of gig 2');
    await gig.getByText('526 of 526 DEGEN').waitFor();
    expect(await gig.locator('dd .badge').textContent()).toBe('funded exactly');
    expect(await gig.locator('#fit-2').count()).toBe(0);
    await press('Start gig 2 over the API');
    await gig.getByText('200: Gig started successfully.').waitFor();
  });

  test('behavior: a live gig says when it starts, and is not to be started again', async () => {
    const gig = page.locator('#gig-5');
    await press('Start gig 5 over the API');
    await gig.getByText(/^live, starts [0-9]{1,2} [A-Z][a-z]{2} [0-9]{4}$/).waitFor();
    expect(await gig.locator('#start-5').count()).toBe(0);
  });

  test('security: what a token calls itself stays text', async () => {
    const chain = createLocalChain({ url: opened.sandbox.chain, mnemonic: MNEMONIC });
    const token = await chain.deploy({ name: 'Odd', symbol: '&lt;b&gt;"<b>', decimals: 18 });
    await createGig({ token_address: token.address, gig_type: 'mention' });
    const gig = page.locator('#gig-8');
    await gig.waitFor();
    expect(await gig.locator('.head').textContent()).toContain('1 &lt;b&gt;" b');
    expect(await page.locator('main b').count()).toBe(0);
  });
});

describe('a gig that the service watches', () => {
  test('behavior: users act by its buttons, which stay open, and the service sees it', async () => {
    const cast = await fetch(`${opened.sandbox.farcaster}/sandbox/posts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ author: 'carol', text: 'Like this' }),
    });
    const { url } = (await cast.json()) as { url: string };
    const known = await call<{ data: { token: { address: string } } }>('GET', '/api/gigs/2');
    const id = await createGig({ token_address: known.body.data.token.address, gig_type: 'like', url });
    const gig = page.locator(`#gig-${id}`);
    await press(`Fund gig ${id} exactly`);
    await gig.locator('dd .badge').filter({ hasText: 'funded exactly' }).waitFor();
    await press(`Start gig ${id} over the API`);
    await gig.getByText('200: Gig started successfully.').waitFor();
    await gig.locator(`#acts-${id} summary`).click();
    await press(`alice: like (gig ${id})`);
    await page.locator('#outcome').getByText(`alice liked the cast of gig ${id}.`).waitFor();
    const why = `${opened.sandbox.service}/api/gigs/${id}/earnings?identifiers=1001`;
    await expect.poll(async () => await (await fetch(why)).text(), { timeout: 20_000 }).toContain('"state":"held"');
    await press(`alice: undo like (gig ${id})`);
    await page.locator('#outcome').getByText(`alice took back the like of the cast of gig ${id}.`).waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });
});

describe('a claim', () => {
  test('behavior: alice claims by a cast, is paid on chain, and her balance shows it', async () => {
    const alice = page.locator('#person-alice');
    expect(await alice.textContent()).toContain('0 DEGEN');
    const farcaster = page.locator('#composer-farcaster');
    await farcaster.getByRole('button', { name: 'claim my rewards' }).click();
    await farcaster.getByRole('button', { name: 'Post on Farcaster' }).click();
    await page
      .locator('#timeline-farcaster')
      .getByText('Paid to 0x70997970C51812dc3A010C7d01b50e0d17dc79C8: 100 DEGEN')
      .waitFor();
    const holds = alice.locator('.holds');
    await holds.getByText('100 DEGEN', { exact: true }).waitFor();
    await holds.getByText('12 USDC', { exact: true }).waitFor();
    await holds.getByText('10001 ETH', { exact: true }).waitFor();
    const story = page.locator('#story');
    await story.getByText(/Payment [0-9]+: 100 DEGEN from gig 1 to 0x7099…79C8\.$/).waitFor();
    await story
      .getByText(/→ confirmed in block [0-9]+\.$/)
      .first()
      .waitFor();
    await story.getByText('alice’s address holds 100 DEGEN more').waitFor();
    // What she earned on X is another account's.
    await expect.poll(() => alice.locator('.on-farcaster').textContent()).toBe('nothing');
    expect(await alice.locator('.on-x').textContent()).toBe('50 DEGEN 1 tip');
  });

  test('behavior: the URL of the same post, sent to the API, answers how that claim stands', async () => {
    await press('Send its URL to POST /api/claim');
    const answer = page.locator('#claim-answer');
    await answer.getByText('200, to 0x70997970C51812dc3A010C7d01b50e0d17dc79C8: paid').waitFor();
    await answer.getByText('POST /api/claim as JSON').click();
    expect(JSON.parse((await answer.locator('pre').textContent()) ?? '')).toMatchObject({
      summary: { total_transactions: 3, success_count: 3, failed_count: 0, pending_count: 0 },
    });
  });
});
