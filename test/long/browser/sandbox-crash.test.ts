import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSandboxTab, type SandboxTab } from './sandbox-tab.ts';

let opened: SandboxTab;
let page: SandboxTab['page'];
beforeAll(async () => {
  opened = await openSandboxTab();
  ({ page } = opened);
});
afterAll(() => opened.close());

/** Posts, and waits until the post is the newest on the page. */
async function post(network: 'farcaster' | 'x', author: string, text: string): Promise<void> {
  const newest = page.locator(`#timeline-${network} .posts > li`).first();
  const before = await newest.getAttribute('id');
  const form = page.locator(`#composer-${network}`);
  await form.getByLabel('Post as').selectOption(author);
  await form.locator('textarea').fill(text);
  await form.locator('button.primary').click();
  await expect.poll(() => newest.getAttribute('id')).not.toBe(before);
}

/** What the bot has replied to the newest thread. */
function newestReplies(network: 'farcaster' | 'x') {
  return page.locator(`#timeline-${network} .posts > li`).first().locator('.replies > li .said');
}

/** Sets a switch, and waits until the network has it. */
async function choose(network: 'farcaster' | 'x', choice: string): Promise<void> {
  const set = page.waitForResponse(`**/faults/${network}`);
  await page.locator(`#faults-${network}`).getByLabel(choice, { exact: true }).check();
  await set;
}

describe('the steps', () => {
  test('behavior: one button each, and a stranger has seen everything', async () => {
    for (const step of ['look-up', 'refused', 'accepted', 'payout', 'crash']) {
      expect(await page.locator(`#step-${step} .badge`).textContent()).toBe('to do');
      await page.locator(`#try-${step}`).click();
      await page.locator(`#step-${step} .badge`).getByText('done').waitFor();
    }
    const [farcaster, x] = [page.locator('#timeline-farcaster'), page.locator('#timeline-x')];
    await farcaster.getByText('Your claimable tokens: 100 DEGEN').waitFor();
    await x.getByText('Gig 3 is not funded: it needs exactly 105 DEGEN and holds 0.').waitFor();
    await x.getByText('Gig 3 is live until').waitFor();
    await page.locator('#person-alice .holds').getByText('100 DEGEN', { exact: true }).waitFor();
    const results = await page.locator('.step .result').allTextContents();
    expect(results.slice(0, 4)).toEqual([
      expect.stringMatching(/^The bot replied to alice: “Your claimable tokens: 100 DEGEN /),
      'gig 3 was refused: it holds 0 of 105 DEGEN.',
      'gig 3 is live: its wallet held 105 of 105 DEGEN.',
      expect.stringMatching(
        /^alice was paid 100 DEGEN, 12 USDC, 1 ETH: 3 gigs, one transaction \(0x[0-9a-f]{4}…[0-9a-f]{4}\)\.$/,
      ),
    ]);
    expect(results[4]).toMatch(/^It is back after [0-9.]+ s; both posts were answered once\.$/);
    await page
      .locator('#outcome')
      .getByText(results[4] ?? '?')
      .waitFor();
    // The next runs are the buttons' own affair.
    expect(await page.locator('#try-refused').textContent()).toBe('Start gig 4 as bob');
    expect(await page.locator('#try-accepted').textContent()).toBe('Fund and start gig 2');
    await page.locator('#composer-x').getByRole('button', { name: 'start gig 2', exact: true }).waitFor();
    const story = (await page.locator('#story').textContent()) ?? '';
    expect(story).toMatch(/The service, process [0-9]+, was killed\. On disk: /);
    expect(story).toMatch(/The service restarted with the same database after [0-9.]+ s, process [0-9]+\./);
    expect(await newestReplies('farcaster').allTextContents()).toEqual(['You have no claimable tokens at the moment.']);
    expect(await newestReplies('x').count()).toBe(1);
  });
});

describe('the accepted start', () => {
  test('behavior: can be pressed again and again, when gigs hold too much and when none is left', async () => {
    const press = async (label: string) => {
      await page.locator('#try-accepted').getByText(label, { exact: true }).waitFor();
      await page.locator('#try-accepted').click();
    };
    const result = page.locator('#step-accepted .result');
    await press('Fund and start gig 2');
    await result.getByText('gig 2 is live: its wallet held 525 of 525 DEGEN.').waitFor();
    await press('Fit and start gig 4');
    await result.getByText('gig 4 is live: its wallet held 262.500001 of 262.500001 USDC.').waitFor();
    await press('Create, fund and start a gig');
    await result.getByText('gig 8 is live: its wallet held 105 of 105 DEGEN.').waitFor();
    expect(await page.locator('#step-accepted .badge').textContent()).toBe('done');
  });
});

describe('an older database', () => {
  test('behavior: put back, pays nobody twice, and the ledger catches up', async () => {
    const holds = page.locator('#person-alice .holds');
    const before = await holds.textContent();
    await page.locator('#try-restore').click();
    await page.locator('#service').getByText('down, restarting').waitFor();
    const told =
      'The ledger has its 3 payouts again, from the chain. Nobody was paid twice: all balances are the same.';
    await page.locator('#step-restore .result').getByText(told).waitFor({ timeout: 60_000 });
    expect(await page.locator('#step-restore .badge').textContent()).toBe('done');
    expect(await holds.textContent()).toBe(before);
    expect(await page.locator('#person-alice .on-farcaster').textContent()).toBe('nothing');
    await page
      .locator('#story')
      .getByText(/The service runs with the older database after [0-9.]+ s/)
      .waitFor();
  });
});

describe('a crash', () => {
  test('behavior: a post right before it is answered once, and the page says that the service is down', async () => {
    await page.locator('#service').getByText('answers').waitFor();
    await post('x', 'mallory', '@gigclaim claims');
    await page.getByRole('button', { name: 'Kill the service' }).click();
    await page.locator('#service').getByText('down, restarting').waitFor();
    await page.locator('#service').getByText('answers').waitFor();
    await newestReplies('x').getByText('You have no claimable tokens at the moment.').waitFor();
    expect(await newestReplies('x').count()).toBe(1);
  });
});

describe('the networks’ switches', () => {
  test('behavior: an event that comes twice is answered once', async () => {
    await choose('farcaster', 'Twice');
    await post('farcaster', 'mallory', '@gigclaim claims');
    await newestReplies('farcaster').first().waitFor();
    const delivered = page.locator('#story').getByText('Delivered the event, signed; the service answered 200');
    await expect.poll(() => delivered.count()).toBeGreaterThanOrEqual(2);
    expect(await newestReplies('farcaster').count()).toBe(1);
    await choose('farcaster', 'Once');
  });

  test('behavior: a dropped answer leads to one reply, found again by the service', async () => {
    await choose('farcaster', 'Drops the answer');
    await page.locator('#faults-farcaster').getByText('faults are on').waitFor();
    await choose('farcaster', 'The next reply only');
    await post('farcaster', 'bob', '@gigclaim claims');
    const thread = page.locator('#timeline-farcaster .posts > li').first();
    await thread.getByText('reply sent', { exact: true }).waitFor({ timeout: 60_000 });
    expect(await newestReplies('farcaster').count()).toBe(1);
    await page.locator('#story').getByText('cuts the connection before it answers, as configured').waitFor();
    // Used up: the network is well again, and the page says so.
    await page.locator('#faults-farcaster').getByText('no faults').waitFor();
    expect(await page.locator('#api-farcaster-none').isChecked()).toBe(true);
  });

  test('behavior: refusals pause a network, and what waits goes out when it works again', async () => {
    await choose('x', '402, credits depleted');
    await post('x', 'carol', '@gigclaim claims');
    await page.locator('#service').getByText('X is paused: credits depleted (402)').waitFor({ timeout: 60_000 });
    expect(await newestReplies('x').count()).toBe(0);
    await choose('x', 'Works');
    await page.getByRole('button', { name: 'Kill the service' }).click();
    await newestReplies('x').getByText('You have no claimable tokens at the moment.').waitFor();
    expect(await newestReplies('x').count()).toBe(1);
  });
});
