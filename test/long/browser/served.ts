import { createAdaptorServer } from '@hono/node-server';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { browserOf } from '../../http/my/browser.ts';
import type { Service } from '../../http/service.ts';
import type { WatchedService } from '../../http/watched.ts';
import { openBrowser, type TestBrowser } from '../../support/browser.ts';
import { listen } from '../../support/listen.ts';

/** A service on loopback and a browser, for all tests of a file. */
export interface Served {
  readonly service: Service;
  readonly url: string;
  readonly browser: TestBrowser;
  /** Signs an owner in, in the browser of this page: now by the service's clock, unless said otherwise. */
  enter(page: Page, owner: string, options?: { readonly at?: number }): Promise<void>;
}

/** Serves what `open` opens before the tests of the file, and closes it after them. */
export function useServed(open: () => Promise<Service | WatchedService>): Served {
  let opened: { service: Service; url: string; browser: TestBrowser; close(): Promise<void> } | null = null;
  const now = () => {
    if (opened === null) throw new Error('nothing is served yet');
    return opened;
  };
  beforeAll(async () => {
    const made = await open();
    const service = 'service' in made ? made.service : made;
    const { url, close } = await listen(createAdaptorServer({ fetch: service.app.fetch }));
    const browser = await openBrowser();
    const closeAll = async () => {
      await browser.close();
      await close();
      await made.close();
    };
    opened = { service, url, browser, close: closeAll };
  });
  afterAll(() => now().close());
  return {
    get service() {
      return now().service;
    },
    get url() {
      return now().url;
    },
    get browser() {
      return now().browser;
    },
    async enter(page, owner, options = {}) {
      const { service, url } = now();
      const [[name, value] = ['', '']] = [...(await browserOf(service, owner, options)).cookies];
      await page.context().addCookies([{ name, value, url }]);
    },
  };
}
