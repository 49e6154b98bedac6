import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findProgram } from './programs.ts';

const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** Screens that pages must fit. */
export const PHONE = { width: 360, height: 740 };
export const LARGE_PHONE = { width: 390, height: 844 };
export const TABLET = { width: 768, height: 1024 };
export const DESKTOP = { width: 1280, height: 900 };

/** One tab with a fresh profile, and everything that went wrong in it. */
export interface Tab {
  readonly page: Page;
  /**
   * Console errors and warnings, uncaught exceptions, refusals of the Content-Security-Policy, and requests that left
   * this machine, in words. Answers with an error status show up here too, as the browser reports them.
   */
  readonly problems: string[];
  close(): Promise<void>;
}

export interface TestBrowser {
  tab(options?: BrowserContextOptions): Promise<Tab>;
  close(): Promise<void>;
}

/** A browser of its own, without any profile of before. */
export async function openBrowser(): Promise<TestBrowser> {
  const executablePath = findProgram('chromium');
  if (executablePath === null) throw new Error('there is no chromium on the PATH');
  const browser: Browser = await chromium.launch({ executablePath, args: FLAGS });
  return {
    async tab(options = {}) {
      const context = await browser.newContext({ viewport: DESKTOP, ...options });
      const page = await context.newPage();
      const problems: string[] = [];
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) problems.push(`${message.type()}: ${message.text()}`);
      });
      page.on('pageerror', (error) => void problems.push(`uncaught: ${error.message}`));
      page.on('request', (request) => {
        const { protocol, hostname } = new URL(request.url());
        if (!['data:', 'blob:'].includes(protocol) && hostname !== '127.0.0.1')
          problems.push(`asked another host: ${request.url()}`);
      });
      return { page, problems, close: () => context.close() };
    },
    close: () => browser.close(),
  };
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const GRAVE: readonly unknown[] = ['serious', 'critical'];

/**
 * What axe-core finds wrong with the page for people who cannot see, point or hear, one text for each serious or critical
 * finding: the rule and the elements.
 */
export async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(AXE, 'utf8'));
  const found = await page.evaluate(async () => {
    // axe-core puts itself there; the page's own window knows nothing of it.
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run();
    return violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => html) }));
  });
  return found.filter(({ impact }) => GRAVE.includes(impact)).map(({ id, nodes }) => `${id}: ${nodes.join(' | ')}`);
}

/**
 * What stands oddly on a page, in the browser: a button that is wider than every field of its form, the bullet of a list
 * on the border of a card, and what is wider than the element around it. The text of an input scrolls, so it may be longer.
 */
const ODD_LAYOUT = `[...document.querySelectorAll('main, main *')].flatMap((element) => {
  const box = element.getBoundingClientRect();
  const { display, listStyleType } = getComputedStyle(element);
  const tag = element.tagName.toLowerCase();
  const name = tag + [...element.classList].map((each) => '.' + each).join('');
  if (box.width === 0 || display === 'inline' || element.closest('svg, .unseen')) return [];
  const odd = [];
  if (tag !== 'input' && element.scrollWidth > element.clientWidth + 1) odd.push(name + ' is narrower than what is in it');
  const card = element.closest('.card, .notice');
  if (display === 'list-item' && listStyleType !== 'none' && card && box.left - card.getBoundingClientRect().left < 24) {
    odd.push(name + ' has its bullet on the border of its card');
  }
  if (element.matches('form')) {
    const widest = (what) => Math.max(0, ...[...element.querySelectorAll(what)].map((each) => each.getBoundingClientRect().width));
    const field = widest('input, select, textarea');
    if (field > 0 && widest('button') > field + 1) odd.push(name + ' has a button that is wider than its fields');
  }
  return odd;
})`;

/** {@link ODD_LAYOUT} of a page as it is, a text for each finding. */
export async function findOddLayout(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(ODD_LAYOUT);
}

/** By how many pixels the page is wider than its window; 0 when it fits. */
export async function sidewaysOverflow(page: Page): Promise<number> {
  const root = 'document.documentElement';
  return await page.evaluate<number>(`${root}.scrollWidth - ${root}.clientWidth`);
}

/** What is wrong with how a page looks, a text for each: barriers, what stands oddly, and that it is too wide. */
export async function findFaults(page: Page): Promise<string[]> {
  const overflow = await sidewaysOverflow(page);
  const wide = overflow === 0 ? [] : [`it is ${overflow} pixels wider than its window`];
  return [...(await findBarriers(page)), ...(await findOddLayout(page)), ...wide];
}
