import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { createApiKey } from '../../../src/services/operators/api-keys.ts';
import {
  findBarriers,
  findOddLayout,
  LARGE_PHONE,
  openBrowser,
  PHONE,
  sidewaysOverflow,
  TABLET,
  type Tab,
} from '../../support/browser.ts';
import { sampleClaim, seedClaim, seedFee, seedGig, seedMention, seedTips } from '../../support/store.ts';
import { openWorld, type World } from '../../support/world.ts';

const PATIENCE_MS = 20_000;
const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const HOSTILE = '<script>window.hostile = true</script><img src=x onerror="window.hostile = true">';

let browser: Awaited<ReturnType<typeof openBrowser>>;
let world: World;
let key: string;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  world = await openWorld();
  const { store } = world.runtime;
  ({ key } = await createApiKey(
    { store, clock: Date.now, randomBytes, actor: COMMAND_LINE },
    { name: 'desk', expiresAt: null, scopes: ['operator'] },
  ));
});
afterEach(() => world.close());

/** Alice's cast, whose answer the network has refused for good; the cast's id. */
async function failReply(text = 'You have no claimable tokens at the moment.'): Promise<string> {
  const { store } = world.runtime;
  world.farcaster.faults.webhook = 'never';
  const { id: postId } = world.farcaster.post({ author: 'alice', text: '@gigclaim claims' });
  world.farcaster.faults.webhook = 'normal';
  const now = Date.now();
  await store.transaction(async (tx) => {
    const held = { lease: 'test', now: now + 60_000, until: now + 120_000 };
    const mention = { version: 1, platform: 'farcaster', postId, replyTo: postId, threadId: postId } as const;
    const author = { authorId: '1001', authorUsername: 'alice', text: '@gigclaim claims', postedAt: now };
    await tx.insertMention({ ...mention, ...author }, { now, source: 'webhook' });
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

/** Types the key as somebody at a keyboard does, who finds the field focused. */
async function logIn({ page }: Tab): Promise<void> {
  await page.goto(`${world.url}/admin`);
  await page.locator('#key:focus').waitFor();
  await page.keyboard.type(key);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}

/** Presses Tab until what has this role and name is focused. */
async function tabTo({ page }: Tab, name: string): Promise<void> {
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
    const tab = await browser.tab();
    const { page, problems } = tab;
    await logIn(tab);
    await tabTo(tab, '1 reply failed');
    await page.keyboard.press('Enter');
    await page.getByText('forbidden: the signer may not cast').waitFor();
    await tabTo(tab, 'Retry reply 1');
    await page.keyboard.press('Enter');
    await page
      .getByText('Retrying: the service looks for the reply on Farcaster, and sends it if it is not there.')
      .waitFor();
    await page.locator('h1 .badge', { hasText: 'sent' }).waitFor({ timeout: PATIENCE_MS });
    expect(world.farcaster.repliesTo(cast)).toMatchObject([{ text: 'You have no claimable tokens at the moment.' }]);
    expect(problems).toEqual([]);
    await tabTo(tab, 'Log out');
    await page.keyboard.press('Enter');
    await page.getByLabel('API key').waitFor();
    await page.goBack();
    expect(await page.content()).not.toContain('signer may not cast');
    await tab.close();
  });

  test('behavior: does the same without any script', async () => {
    const cast = await failReply();
    const tab = await browser.tab({ javaScriptEnabled: false });
    const { page } = tab;
    await page.goto(`${world.url}/admin/replies?state=failed`);
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('button', { name: 'Retry reply 1' }).click();
    await page.getByText('Retrying:').waitFor();
    expect(await world.farcaster.waitForReply(cast, PATIENCE_MS)).not.toBeNull();
    await expect
      .poll(
        async () => {
          await page.reload();
          return await page.locator('h1 .badge').textContent();
        },
        { timeout: PATIENCE_MS },
      )
      .toBe('sent');
    await tab.close();
  });

  test('behavior: is told when the key is wrong, and tries again in the same place', async () => {
    const tab = await browser.tab();
    const { page } = tab;
    await page.goto(`${world.url}/admin`);
    await page.locator('#key:focus').waitFor();
    await page.keyboard.type('gck_mistyped');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'This API key is not valid.' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.locator('#key:focus').waitFor();
    await page.keyboard.type(key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await tab.close();
  });
});

describe('an open page', () => {
  test('behavior: shows what happens without a reload, and leaves the focus where it was', async () => {
    const first = world.farcaster.post({ author: 'alice', text: '@gigclaim claims' });
    expect(await world.farcaster.waitForReply(first.id, PATIENCE_MS)).not.toBeNull();
    const tab = await browser.tab();
    const { page, problems } = tab;
    await logIn(tab);
    await page.goto(`${world.url}/admin/mentions`);
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
    expect(problems).toEqual([]);
    await tab.close();
  });

  test('behavior: loses an entry that left its list, and the keyboard goes on from the list', async () => {
    await failReply();
    await failReply();
    const tab = await browser.tab();
    const { page } = tab;
    await logIn(tab);
    await page.goto(`${world.url}/admin/replies?state=failed`);
    await page.getByRole('button', { name: 'Retry reply 2' }).focus();
    await world.runtime.store.transaction((tx) => tx.retryReply(2, Date.now()));
    await page.locator('#reply-2').waitFor({ state: 'detached', timeout: PATIENCE_MS });
    expect(await page.locator('#reply-1').count()).toBe(1);
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await tab.close();
  });

  test('error: is told why a form was refused, for as long as it is open', async () => {
    const tab = await browser.tab();
    const { page } = tab;
    await logIn(tab);
    await world.runtime.store.transaction((tx) =>
      tx.blockAccount({ platform: 'farcaster', platformUserId: '14' }, { reason: 'sells likes', now: Date.now() }),
    );
    await page.goto(`${world.url}/admin/blocked`);
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
    await tab.close();
  });

  test('behavior: says when the service is away, and goes on when it is back', async () => {
    const tab = await browser.tab();
    const { page } = tab;
    await logIn(tab);
    const liveness = page.locator('#liveness');
    await liveness.filter({ hasText: 'Live' }).waitFor({ timeout: PATIENCE_MS });
    await world.stop();
    await liveness.filter({ hasText: 'The service does not answer' }).waitFor({ timeout: PATIENCE_MS });
    expect(await findBarriers(page)).toEqual([]);
    await world.start();
    await liveness.filter({ hasText: 'Live' }).waitFor({ timeout: PATIENCE_MS });
    await tab.close();
  });

  test('security: says so and shows nothing new once its key is revoked', async () => {
    const tab = await browser.tab();
    const { page } = tab;
    await logIn(tab);
    await page.goto(`${world.url}/admin/replies`);
    const { store } = world.runtime;
    await store.transaction((tx) => tx.revokeApiKey(1, Date.now()));
    await page.locator('#liveness', { hasText: 'You are logged out' }).waitFor({ timeout: PATIENCE_MS });
    await page.reload();
    await page.getByLabel('API key').waitFor();
    await tab.close();
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
    const tab = await browser.tab(screen);
    const { page, problems } = tab;
    await page.goto(`${world.url}/admin`);
    expect([await findBarriers(page), await sidewaysOverflow(page)]).toEqual([[], 0]);
    await logIn(tab);
    const lists = ['', '/mentions', '/replies', '/payments', '/claims', '/gigs', '/blocked', '/keys', '/audit'];
    const records = ['/mentions/1', '/replies/1', '/payments/1', '/payments/2', '/claims/1', '/gigs/1'];
    const several = `/find?q=0x${'cafe'.padStart(40, '0')}`;
    const found = [
      '/find',
      '/find?q=nobody',
      several,
      '/accounts/farcaster/1001',
      '/accounts/farcaster/1001?list=tips',
    ];
    for (const path of [...lists, ...records, ...found]) {
      await page.goto(`${world.url}/admin${path}`);
      const seen = {
        path,
        barriers: await findBarriers(page),
        overflow: await sidewaysOverflow(page),
        odd: await findOddLayout(page),
      };
      expect(seen).toEqual({ path, barriers: [], overflow: 0, odd: [] });
      expect(await page.locator('h1').count()).toBe(1);
    }
    expect(await page.evaluate('window.hostile')).toBeUndefined();
    expect(problems).toEqual([]);
    await tab.close();
  });
});
