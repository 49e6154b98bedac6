import { expect } from 'vitest';
import { openBrowser } from '../../support/browser.ts';
import { startSandbox } from '../../support/sandbox.ts';

/** A sandbox, and a tab with its page, in which nothing may go wrong until `close`. */
export async function openSandboxTab() {
  const sandbox = await startSandbox();
  const browser = await openBrowser();
  const tab = await browser.tab();
  await tab.page.goto(sandbox.page);
  await tab.page.locator('#connection.ok').waitFor();
  return {
    sandbox,
    page: tab.page,
    async close() {
      expect(tab.problems).toEqual([]);
      await browser.close();
      await sandbox.stop();
    },
  };
}

export type SandboxTab = Awaited<ReturnType<typeof openSandboxTab>>;
