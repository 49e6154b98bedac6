import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { BUNDLE_EDITS } from '../../../src/http/api/docs.ts';
import { service, shareService } from '../service.ts';

shareService();

const INSTALLED = fileURLToPath(new URL('../../../node_modules/redoc/bundles/redoc.standalone.js', import.meta.url));

test('security: the page loads nothing from another host and may not', async () => {
  const response = await service.app.request('/api/docs');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/html');
  const html = await response.text();
  expect(html).not.toMatch(/(?:https?:)?\/\/[a-z0-9.-]+\.[a-z]{2,}/i);
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("connect-src 'self'");
  expect(policy).toContain("font-src 'self' data:");
  expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
  expect(policy).not.toMatch(/script-src[^;]*unsafe-inline/);
});

test('security: every script of the page carries the nonce of its own answer', async () => {
  const nonces = new Set<string>();
  for (let times = 0; times < 2; times += 1) {
    const response = await service.app.request('/api/docs');
    const nonce = /'nonce-([^']+)'/.exec(response.headers.get('content-security-policy') ?? '')?.[1] ?? '';
    expect(nonce).not.toBe('');
    const scripts = (await response.text()).match(/<script[^>]*>/g) ?? [];
    expect(scripts).toHaveLength(2);
    for (const script of scripts) expect(script).toContain(`nonce="${nonce}"`);
    nonces.add(nonce);
  }
  expect(nonces.size).toBe(2);
});

test('behavior: leads back to the first page, also below a path, and has both color schemes', async () => {
  const html = await (await service.app.request('/api/docs')).text();
  const back = /<a href="([^"]+)">← gigclaim</.exec(html)?.[1] ?? '';
  expect(new URL(back, 'https://gigs.example/api/docs').pathname).toBe('/');
  expect(new URL(back, 'https://host.example/below/api/docs').pathname).toBe('/below/');
  expect(html).toContain('<meta name="color-scheme" content="light dark">');
  const begin = /dark\.matches \? (\{.*\}) : (\{.*\}), document/.exec(html) ?? [];
  const [dark, light] = begin.slice(1).map((text) => JSON.parse(text).theme.colors.primary.main);
  expect([dark, light]).toEqual(['#74bfe8', '#1d4ed8']);
});

test('behavior: the page’s own addresses are answered by this server', async () => {
  const html = await (await service.app.request('/api/docs')).text();
  const at = 'http://gigclaim.test/api/docs';
  const script = new URL(/<script src="([^"]+)"/.exec(html)?.[1] ?? '', at);
  const document = new URL(/Redoc\.init\('([^']+)'/.exec(html)?.[1] ?? '', at);
  expect(script.pathname + script.search).toBe('/api/docs/redoc.js?v=1.2.3');
  expect(document.pathname).toBe('/api/openapi.json');
  expect((await service.app.request(document.pathname)).status).toBe(200);
});

test('behavior: the script is the installed package’s file but for a logo and three colors, and may be kept', async () => {
  const response = await service.app.request('/api/docs/redoc.js?v=1.2.3');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  const sent = await response.text();
  expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(sent)));
  const installed = readFileSync(INSTALLED, 'utf8');
  expect(BUNDLE_EDITS.map(([from]) => installed.split(from).length - 1)).toEqual(BUNDLE_EDITS.map(() => 1));
  const expected = BUNDLE_EDITS.reduce((text, [from, to]) => text.replace(from, () => to), installed);
  // Both have a million characters, which no report should print.
  expect(sent === expected).toBe(true);
});

test('behavior: the page carries the headers of every other answer', async () => {
  const { headers } = await service.app.request('/api/docs', { headers: { 'x-request-id': 'docs-1' } });
  expect(headers.get('x-request-id')).toBe('docs-1');
  expect(headers.get('ratelimit-limit')).toBe('100000');
  expect(headers.get('x-frame-options')).toBe('DENY');
});
