import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  findBarriers,
  findFaults,
  LARGE_PHONE,
  openBrowser,
  PHONE,
  TABLET,
  type Tab,
  type TestBrowser,
} from '../../support/browser.ts';
import { answerTo, ask, newApiKey } from '../../support/clients.ts';
import { sampleClaim, sampleMention, seedClaim, seedFee, seedGig, seedMention, seedTips } from '../../support/store.ts';
import { openWorld, type World } from '../../support/world.ts';

const PATIENCE_MS = 20_000;
const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const HOSTILE = '<script>window.hostile = true</script><img src=x onerror="window.hostile = true">';

let browser: TestBrowser;
let tab: Tab;
let world: World;
let key: string;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  world = await openWorld();
  key = await newApiKey(world.runtime.store, { name: 'desk' });
});
afterEach(async () => {
  await tab.close();
  await world.close();
});

/** Alice's cast, whose answer the network has refused for good; the cast's id. */
async function failReply(text = 'You have no claimable tokens at the moment.'): Promise<string> {
  const { store } = world.runtime;
  world.farcaster.faults.webhook = 'never';
  const { id: postId } = world.farcaster.post({ author: 'alice', text: '@gigclaim claims' });
  world.farcaster.faults.webhook = 'normal';
  const now = Date.now();
  await store.transaction(async (tx) => {
    const held = { lease: 'test', now: now + 60_000, until: now + 120_000 };
    await tx.insertMention(sampleMention({ postId, postedAt: now }), { now, source: 'webhook' });
    const leased = await tx.leaseMention({ ...held, platforms: ['farcaster'] });
    if (leased === null) throw new Error('nothing to lease');
    await tx.markAnswered(leased.id, 'test');
    const id = await tx.queueReply({ mentionId: leased.id, kind: 'answer', text }, now);
    await tx.leaseReply('farcaster', held);
    await tx.markSending(id, 'test');
    const error = 'forbidden: the signer may not cast';
    await tx.putReplyBack(id, { lease: 'test', state: 'failed', retryAt: now, error });
  });
  return postId;
}

/** Something of every kind to look at. */
async function seedEverything(): Promise<void> {
  const { store } = world.runtime;
  await failReply();
  const gig = await seedGig(store, { live: true, howToEarn: HOSTILE, owners: [ALICE] });
  await seedTips(store, gig, [ALICE]);
  const { payouts } = await seedClaim(store, sampleClaim(ALICE, '0x1'));
  const failure = { reason: HOSTILE, now: Date.now() };
  await store.transaction((tx) => tx.failPayment(payouts[0]?.id ?? 0, failure));
  await store.transaction((tx) => tx.freezeGig(gig.id, { reason: HOSTILE, now: Date.now() }));
  await seedFee(store, gig);
  await seedMention(store, { platform: 'twitter', postId: '7', authorUsername: HOSTILE, text: HOSTILE });
}

/** Opens a page of the desk in a new tab. */
async function visit(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  tab = await browser.tab(options);
  await tab.page.goto(`${world.url}${path}`);
  return tab.page;
}

/** Types a key as somebody at a keyboard does, who finds the field focused. */
async function typeKey(page: Page, typed: string): Promise<void> {
  await page.locator('#key:focus').waitFor();
  await page.keyboard.type(typed);
  await page.keyboard.press('Enter');
}

/** Logs in, and goes on to a page. */
async function logIn(path?: string): Promise<Page> {
  const page = await visit('/admin');
  await typeKey(page, key);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  if (path !== undefined) await page.goto(`${world.url}${path}`);
  return page;
}

/** Presses Tab until what has this role and name is focused. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent)";
    if ((await page.evaluate<string>(`${focused}.trim()`)) === name) return;
  }
  throw new Error(`the keyboard does not reach ${name}`);
}

describe('an operator', () => {
  test('behavior: logs in, finds the reply that failed and why, tries it again and watches it go out, by keyboard', async () => {
    const cast = await failReply();
    const page = await logIn();
    await tabTo(page, '1 reply failed');
    await page.keyboard.press('Enter');
    await page.getByText('forbidden: the signer may not cast').waitFor();
    await tabTo(page, 'Retry reply 1');
    await page.keyboard.press('Enter');
    const told = 'Retrying: the service looks for the reply on Farcaster, and sends it if it is not there.';
    await page.getByText(told).waitFor();
    await page.locator('h1 .badge', { hasText: 'sent' }).waitFor({ timeout: PATIENCE_MS });
    expect(world.farcaster.repliesTo(cast)).toMatchObject([{ text: 'You have no claimable tokens at the moment.' }]);
    expect(tab.problems).toEqual([]);
    await tabTo(page, 'Log out');
    await page.keyboard.press('Enter');
    await page.getByLabel('API key').waitFor();
    await page.goBack();
    expect(await page.content()).not.toContain('signer may not cast');
  });

  test('behavior: does the same without any script', async () => {
    const cast = await failReply();
    const page = await visit('/admin/replies?state=failed', { javaScriptEnabled: false });
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('button', { name: 'Retry reply 1' }).click();
    await page.getByText('Retrying:').waitFor();
    await answerTo(world.farcaster, { id: cast });
    const state = async () => {
      await page.reload();
      return await page.locator('h1 .badge').textContent();
    };
    await expect.poll(state).toBe('sent');
  });

  test('behavior: is told when the key is wrong, and tries again in the same place', async () => {
    const page = await visit('/admin');
    await typeKey(page, 'gck_mistyped');
    await page.getByRole('alert').filter({ hasText: 'This API key is not valid.' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await typeKey(page, key);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
});

describe('an open page', () => {
  test('behavior: shows what happens without a reload, and leaves the focus where it was', async () => {
    await ask(world.farcaster, 'alice', 'claims');
    const page = await logIn('/admin/mentions');
    await page.evaluate('window.stayed = true');
    await page.getByRole('link', { name: 'mention 1' }).focus();
    world.farcaster.post({ author: 'bob', text: '@gigclaim gig 1' });
    await page.locator('#mention-2', { hasText: 'handled' }).waitFor({ timeout: PATIENCE_MS });
    await page.getByRole('link', { name: 'handled 2' }).waitFor({ timeout: PATIENCE_MS });
    expect(await page.locator('.entry').evaluateAll((entries) => entries.map(({ id }) => id))).toEqual([
      'mention-2',
      'mention-1',
    ]);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('mention 1');
    expect(await page.evaluate('window.stayed')).toBe(true);
    expect(tab.problems).toEqual([]);
  });

  test('behavior: loses an entry that left its list, and the keyboard goes on from the list', async () => {
    await failReply();
    await failReply();
    const page = await logIn('/admin/replies?state=failed');
    await page.getByRole('button', { name: 'Retry reply 2' }).focus();
    await world.runtime.store.transaction((tx) => tx.retryReply(2, Date.now()));
    await page.locator('#reply-2').waitFor({ state: 'detached', timeout: PATIENCE_MS });
    expect(await page.locator('#reply-1').count()).toBe(1);
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
  });

  test('error: is told why a form was refused, for as long as it is open', async () => {
    await world.runtime.store.transaction((tx) =>
      tx.blockAccount({ platform: 'farcaster', platformUserId: '14' }, { reason: 'sells likes', now: Date.now() }),
    );
    const page = await logIn('/admin/blocked');
    await page.locator('#account').fill('14');
    await page.locator('#reason').fill('sells likes');
    await page.getByRole('button', { name: 'Block', exact: true }).click();
    const alert = page.getByRole('alert');
    await alert.filter({ hasText: 'farcaster:14 is blocked already.' }).waitFor();
    await page.locator('#account').fill('666');
    // Longer than the pause between two updates.
    await page.waitForTimeout(4_000);
    expect(await alert.isVisible()).toBe(true);
    expect(await page.locator('#account').inputValue()).toBe('666');
    expect(await page.locator('#liveness').textContent()).toBe('Not updated, because the form was refused.');
  });

  test('behavior: says when the service is away, and goes on when it is back', async () => {
    const page = await logIn();
    const liveness = page.locator('#liveness');
    await liveness.filter({ hasText: 'Live' }).waitFor({ timeout: PATIENCE_MS });
    await world.stop();
    await liveness.filter({ hasText: 'The service does not answer' }).waitFor({ timeout: PATIENCE_MS });
    expect(await findBarriers(page)).toEqual([]);
    await world.start();
    await liveness.filter({ hasText: 'Live' }).waitFor({ timeout: PATIENCE_MS });
  });

  test('security: says so and shows nothing new once its key is revoked', async () => {
    const page = await logIn('/admin/replies');
    const { store } = world.runtime;
    await store.transaction((tx) => tx.revokeApiKey(1, Date.now()));
    await page.locator('#liveness', { hasText: 'You are logged out' }).waitFor({ timeout: PATIENCE_MS });
    await page.reload();
    await page.getByLabel('API key').waitFor();
  });
});

describe.each([
  ['a small phone', { viewport: PHONE }],
  ['a phone', { viewport: LARGE_PHONE, colorScheme: 'dark' }],
  ['a tablet', { viewport: TABLET }],
  ['a dark screen', { colorScheme: 'dark' }],
] as const)('on %s', (_, screen) => {
  test('behavior: every page fits, is open to everybody, and runs nothing that people wrote', async () => {
    await seedEverything();
    const page = await visit('/admin', screen);
    expect(await findFaults(page)).toEqual([]);
    await typeKey(page, key);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const lists = ['', '/mentions', '/replies', '/payments', '/claims', '/gigs', '/blocked', '/keys', '/audit'];
    const records = ['/mentions/1', '/replies/1', '/payments/1', '/payments/2', '/claims/1', '/gigs/1'];
    const searches = ['/find', '/find?q=nobody', `/find?q=0x${'cafe'.padStart(40, '0')}`];
    const account = '/accounts/farcaster/1001';
    for (const path of [...lists, ...records, ...searches, account, `${account}?list=tips`]) {
      await page.goto(`${world.url}/admin${path}`);
      expect(await findFaults(page), path).toEqual([]);
      expect(await page.locator('h1').count()).toBe(1);
    }
    expect(await page.evaluate('window.hostile')).toBeUndefined();
    expect(tab.problems).toEqual([]);
  });
});
