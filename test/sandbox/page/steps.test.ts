import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BOT } from '../../../sandbox/people.ts';
import { listen } from '../../support/listen.ts';
import { press as pressOn } from '../../support/sandbox.ts';
import { openSandboxPage } from '../../support/sandbox-page.ts';
import { seedMention } from '../../support/store.ts';

let page: Awaited<ReturnType<typeof openSandboxPage>>;

beforeAll(async () => {
  page = await openSandboxPage({ service: 'http://127.0.0.1:1' });
});
afterAll(() => page.close());

const press = (step: string) => pressOn(page.url, `/steps/${step}`);

/** The badge of a step and what came of its last press; null for nothing. */
async function shown(step: string): Promise<{ badge: string | undefined; result: string | undefined }> {
  const text = await (await fetch(page.url)).text();
  const [, item = ''] = new RegExp(`id="step-${step}">(.*?)</li>`, 's').exec(text) ?? [];
  const badge = /class="badge [a-z]+">([^<]*)</.exec(item)?.[1];
  return { badge, result: /class="small result"[^>]*><bdi>([^<]*)</.exec(item)?.[1] };
}

/** The last cast as the service has it, taken up by a worker. */
async function leaseLast() {
  const { id: postId, text } = page.farcaster.posts().at(-1) ?? { id: '', text: '' };
  const now = Date.now();
  await seedMention(page.store, { postId, text, postedAt: now }, now);
  return await page.store.transaction(async (tx) => {
    const leased = await tx.leaseMention({ lease: 'test', now, until: now + 60_000, platforms: ['farcaster'] });
    if (leased === null) throw new Error('the cast is not to be answered');
    return leased.id;
  });
}

describe('a button of which something like it was seen before', () => {
  beforeAll(() => {
    const asked = page.farcaster.post({ author: 'bob', text: `@${BOT.username} claims` });
    page.farcaster.addUser({ id: String(BOT.fid), username: BOT.username });
    page.farcaster.post({ author: BOT.username, text: 'Your claimable tokens: 1 DEGEN', replyTo: asked.id });
  });

  test('behavior: is done before it was pressed, and not while its own answer is to come', async () => {
    expect(await shown('look-up')).toEqual({ badge: 'done', result: undefined });
    expect(await press('look-up')).toMatchObject({ ok: true });
    expect(await shown('look-up')).toEqual({ badge: 'under way', result: undefined });
  });

  async function expectNoReply(why: string): Promise<void> {
    const result = `There will be no reply: ${why}`;
    await expect.poll(() => shown('look-up')).toEqual({ badge: 'to do', result });
  }

  test('error: is not done when no answer will come, and says why', async () => {
    await press('look-up');
    const id = await leaseLast();
    await page.store.transaction((tx) => tx.markIgnored(id, { lease: 'test', ignoreReason: 'author_limit' }));
    await expectNoReply('its author has had enough replies within the hour.');
  });

  test('error: is not done when the reply could not be posted', async () => {
    await press('look-up');
    const mentionId = await leaseLast();
    const now = Date.now();
    await page.store.transaction(async (tx) => {
      await tx.markAnswered(mentionId, 'test');
      const reply = await tx.queueReply({ mentionId, kind: 'answer', text: 'Your claimable tokens: 1 DEGEN' }, now);
      await tx.leaseReply('farcaster', { lease: 'test', now, until: now + 60_000 });
      await tx.markSending(reply, 'test');
      await tx.putReplyBack(reply, { lease: 'test', state: 'failed', retryAt: now, error: 'forbidden' });
    });
    await expectNoReply('the reply could not be posted.');
  });
});

test('error: a press that was refused at once is not done, and its step says why', async () => {
  const { ok, message } = await press('restore');
  expect(ok).toBe(false);
  expect(await shown('restore')).toMatchObject({ badge: 'to do', result: message });
});

test('behavior: a scene that is pressed while another one runs waits its turn, and says so', async () => {
  // It never answers the event, for which the crash waits.
  const silent = await listen(createServer());
  page.farcaster.setWebhook(silent.url);
  const crash = press('crash');
  await expect.poll(() => page.farcaster.posts().at(-1)?.author.username).toBe('carol');
  const lookUp = press('look-up');
  await expect.poll(() => shown('look-up')).toEqual({ badge: 'waits its turn', result: undefined });
  expect(page.farcaster.posts().at(-1)?.author.username).toBe('carol');
  expect(await crash).toMatchObject({ ok: false, message: 'The service is down already.' });
  expect(await lookUp).toMatchObject({ ok: true });
  expect(page.farcaster.posts().at(-1)?.author.username).toBe('alice');
  page.farcaster.setWebhook(null);
  await silent.close();
});
