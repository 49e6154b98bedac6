import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openScene } from '../../http/pages/scene.ts';
import { LARGE_PHONE } from '../../support/browser.ts';
import { useServed } from './served.ts';

const notifications = 'https://api.neynar.com/f/app/1/event';
const served = useServed(() => openScene({ config: { notifications } }));

/** What a client says about the mini app, and to the wish to add it; it keeps what it was asked. */
interface Client {
  readonly added: boolean;
  readonly answer: object;
}

/** Makes the page one in a client's web view, which speaks comlink by strings and events. */
async function openIn(page: Page, client: Client, path = '/gigs'): Promise<string[]> {
  const asked: string[] = [];
  await page.exposeFunction('note', (name: string) => void asked.push(name));
  const script = `window.ReactNativeWebView = {
    postMessage(text) {
      const { id, type, path, argumentList } = JSON.parse(text);
      note(type + ' ' + path.join('.') + (argumentList === undefined ? '' : ' ' + argumentList.length));
      const values = { context: { client: { added: ${client.added} } }, addMiniApp: ${JSON.stringify(client.answer)} };
      const data = { id, type: 'RAW', value: values[path[0]] };
      setTimeout(() => document.dispatchEvent(new MessageEvent('FarcasterFrameCallback', { data })), 10);
    },
  };`;
  await page.addInitScript(script);
  await page.goto(new URL(path, served.url).href);
  await expect.poll(() => asked).toContain('GET context');
  return asked;
}

test('behavior: in a client that has not added the mini app, a button adds it', async () => {
  for (const path of ['/gigs', '/gigs/2', '/claim/farcaster/1001']) {
    const tab = await served.browser.tab({ viewport: LARGE_PHONE });
    const asked = await openIn(tab.page, { added: false, answer: { result: {} } }, path);
    const button = tab.page.locator('#add-app');
    await button.click();
    await expect.poll(() => button.isVisible()).toBe(false);
    expect(asked).toEqual(['APPLY ready 1', 'GET context', 'APPLY addMiniApp 0']);
    expect(tab.problems).toEqual([]);
    await tab.close();
  }
});

test('behavior: who refuses may press it again', async () => {
  const tab = await served.browser.tab();
  const asked = await openIn(tab.page, { added: false, answer: { error: { type: 'rejected_by_user' } } });
  const button = tab.page.locator('#add-app');
  await button.click();
  await button.click();
  await expect.poll(() => asked.filter((name) => name.includes('addMiniApp')).length).toBe(2);
  expect(await button.isVisible()).toBe(true);
  await tab.close();
});

test('behavior: where it is added, and in a browser, there is no button', async () => {
  const tab = await served.browser.tab();
  await openIn(tab.page, { added: true, answer: {} });
  expect(await tab.page.locator('#add-app').isVisible()).toBe(false);
  await tab.close();
  const plain = await served.browser.tab();
  await plain.page.goto(new URL('/gigs', served.url).href);
  expect(await plain.page.locator('#add-app').isVisible()).toBe(false);
  expect(plain.problems).toEqual([]);
  await plain.close();
});
