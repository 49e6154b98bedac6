import { readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { PAGES } from '../../support/store.ts';
import { service, shareService } from '../service.ts';

shareService();

const STYLE = readFileSync(`${PAGES}/assets/style.css`);
const PLACES = ['/assets/style.css', '/assets/icon.svg', '/favicon.ico', '/api/docs/redoc.js', '/api/openapi.json'];

const ask = (path: string, headers: Record<string, string> = {}) => service.app.request(path, { headers });
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe('what is held in memory', () => {
  test.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0.001', 'br'],
    ['br;q=0, gzip;q=0', null],
    ['deflate', null],
    ['identity', null],
    ['', null],
  ])('behavior: for Accept-Encoding %j it is sent as %s', async (accepted, encoding) => {
    const response = await ask('/assets/style.css', { 'accept-encoding': accepted });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('vary')).toBe('accept-encoding');
    const sent = await bytesOf(response);
    expect(response.headers.get('content-length')).toBe(String(sent.length));
    const plain = encoding === 'br' ? brotliDecompressSync(sent) : encoding === 'gzip' ? gunzipSync(sent) : sent;
    expect(plain.equals(STYLE)).toBe(true);
    if (encoding !== null) expect(sent.length).toBeLessThan(STYLE.length / 3);
  });

  test.each(PLACES)('behavior: %s is compressed, and known again by its tag', async (path) => {
    const tags = new Set<string>();
    for (const encoding of ['br', 'gzip', 'identity']) {
      const headers = { 'accept-encoding': encoding };
      const first = await ask(path, headers);
      const tag = first.headers.get('etag') ?? '';
      expect(tag).toMatch(/^"[0-9a-f]{12}-(?:br|gzip|identity)"$/);
      expect(first.headers.get('x-content-type-options')).toBe('nosniff');
      tags.add(tag);
      for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const again = await ask(path, { ...headers, 'if-none-match': known });
        expect(again.status, known).toBe(304);
        expect(again.headers.get('etag')).toBe(tag);
        expect(await again.text()).toBe('');
      }
      expect((await ask(path, { ...headers, 'if-none-match': '"other"' })).status).toBe(200);
    }
    expect(tags.size).toBe(3);
  });
});
