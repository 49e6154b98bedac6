import { beforeAll, expect, test } from 'vitest';
import { seedGig, seedTips, seedToken } from '../../support/store.ts';
import { label, NOW, service, shareService } from '../service.ts';
import { ALICE, open, openPages } from './scene.ts';

const NASTY = `<script>alert(1)</script><img src=x onerror=alert(1)>"'&`;
const ESCAPED = '&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;';

/** Every text that somebody else chose is nasty, as if nothing had cleaned it on its way in. */
shareService(openPages);
beforeAll(async () => {
  const { store } = service;
  const { id: tokenId } = await seedToken(store, { name: `name ${NASTY}`, symbol: `symbol ${NASTY}` });
  const terms = {
    tokenId,
    howToEarn: `how ${NASTY}`,
    earningCriteria: `criteria ${NASTY}`,
    externalUrl: `https://x.com/${NASTY}`,
    verifier: `verifier ${NASTY}`,
    startTime: NOW - 1_000,
  };
  await seedGig(store, { ...terms, startTime: NOW + 1_000 });
  const live = await seedGig(store, { ...terms, live: true });
  await seedGig(store, { ...terms, live: true, externalUrl: 'javascript:alert(1)' });
  await label(store, 'farcaster', '1001', `user ${NASTY}`);
  await seedTips(store, live, [ALICE]);
});

test.each([
  ['/claim/farcaster/1001', ['user', 'name', 'symbol']],
  ['/gigs', ['how', 'symbol']],
  ['/gigs?status=created', ['how', 'symbol']],
  ['/gigs/1', ['how', 'criteria', 'name', 'symbol']],
  ['/gigs/2', ['how', 'criteria', 'name', 'symbol']],
  ['/gigs/3', ['how', 'criteria', 'name', 'symbol']],
])('security: %s shows what others wrote as text, and nothing of it as markup', async (path, fields) => {
  const { status, page } = await open(service, path);
  expect(status).toBe(200);
  for (const field of fields) expect(page).toContain(`${field} ${ESCAPED}`);
  expect(page).not.toMatch(/<script>|<img|onerror=alert\(1\)>"/);
  // Those of the page itself, all of them files.
  for (const [script] of page.matchAll(/<script[^>]*>/g))
    expect(script).toMatch(/^<script type="module" src="\/assets\//);
  expect(page).not.toMatch(/ style=|<style/);
});

test('security: only an address of the web becomes a link', async () => {
  expect((await open(service, '/gigs/2')).page).toContain(
    `<a href="https://x.com/${ESCAPED}" rel="noopener nofollow ugc">`,
  );
  const { page, text } = await open(service, '/gigs/3');
  expect(text).toContain('About javascript:alert(1)');
  expect(page).not.toContain('href="javascript:');
});

test.each([
  '/claim/x/%3Cscript%3Ealert(1)%3C%2Fscript%3E',
  '/claim?platform=x&id=%3Cscript%3Ealert(1)',
  '/gigs/%3Cscript%3E',
  '/gigs?status=%3Cscript%3E',
])('security: a refusal repeats nothing as markup: %s', async (path) => {
  const { status, page } = await open(service, path);
  expect(status).toBe(400);
  expect(page).not.toContain('<script>');
});

test.each([
  ['/claim/farcaster/1001', ['@user', 'name', 'symbol']],
  ['/gigs', ['how', 'symbol']],
  ['/gigs/1', ['how', 'criteria', 'name', 'symbol']],
  ['/gigs/3', ['how', 'criteria', 'name', 'symbol']],
])('security: %s lets nothing that others wrote turn the text around it', async (path, fields) => {
  const { page } = await open(service, path);
  const [, main = ''] = page.split('<main');
  for (const field of fields) expect(main).toContain(`<bdi>${field} ${ESCAPED}</bdi>`);
  // Left are the texts of attributes, which hold no markup.
  const bare = main.replace(/<bdi>[^<]*<\/bdi>/g, '').replace(/<[^>]*>/g, '');
  expect(bare).not.toContain('&lt;script&gt;');
});
