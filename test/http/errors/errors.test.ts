import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../../src/http/errors/error-codes.ts';
import { service, shareService } from '../service.ts';

shareService();

const ask = async (path: string, init: RequestInit = {}) => {
  const response = await service.app.request(path, init);
  const body: unknown = await response.json();
  return { response, body };
};

test.each<[path: string, init: RequestInit, status: number, code: string]>([
  ['/api/nothing', {}, 404, 'route_not_found'],
  ['/api/gigs/42', {}, 404, 'gig_not_found'],
  ['/api/gigs?limit=0', {}, 400, 'invalid_request'],
  ['/api/gigs/42/owners', {}, 401, 'invalid_api_key'],
  ['/api/gigs/42/earnings', {}, 401, 'names_or_key'],
  ['/api/claim', { method: 'POST', body: '{' }, 400, 'invalid_request'],
  ['/api/claim', { method: 'POST', body: ' '.repeat(70_000) }, 413, 'body_too_large'],
  ['/webhooks/myspace', { method: 'POST' }, 404, 'route_not_found'],
])('behavior: %s says %o with a code and the id of the request', async (path, init, status, code) => {
  const { response, body } = await ask(path, { ...init, headers: { 'x-request-id': 'mine-1' } });
  expect([response.status, body]).toEqual([
    status,
    { error: expect.any(String), code, request_id: response.headers.get('x-request-id') },
  ]);
});

test('behavior: a validation says all problems, a code and the id of the request', async () => {
  const response = await service.send('POST', '/api/gigs/create', {});
  expect(await response.json()).toEqual({
    error: 'Validation failed',
    details: expect.arrayContaining([expect.any(String)]),
    code: 'validation_failed',
    request_id: response.headers.get('x-request-id'),
  });
});

test.each<[method: string, path: string, allow: string]>([
  ['DELETE', '/api/claim', 'GET, HEAD, OPTIONS, POST'],
  ['PUT', '/api/gigs/42', 'GET, HEAD, OPTIONS, PATCH'],
  ['GET', '/api/gigs/start', 'POST'],
  ['GET', '/api/gigs/42/stop', 'POST'],
  ['POST', '/api/gigs/42/payouts', 'GET, HEAD'],
  ['POST', '/health', 'GET, HEAD'],
  ['PUT', '/webhooks/farcaster', 'POST'],
])('error: %s %s is 405, with the methods that the path takes', async (method, path, allow) => {
  const { response, body } = await ask(path, { method });
  expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
  expect(body).toEqual({
    error: `This path takes ${allow} only`,
    code: 'method_not_allowed',
    request_id: response.headers.get('x-request-id'),
  });
});

test('behavior: every code has a row in docs/api.md with its status, and no row is of anything else', () => {
  const text = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
  const section = text.slice(text.indexOf('## Error codes'), text.indexOf('\n## ', text.indexOf('## Error codes') + 1));
  const rows = [...section.matchAll(/^\| `(\w+)` \| (\d+) \| (.*) \|$/gmu)].map(([, code, status, when]) => [
    code,
    { status: Number(status), when },
  ]);
  const codes = Object.entries(ERROR_CODES).map(([code, { status, when }]) => [code, { status, when }]);
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(codes));
});

test('error: a browser is shown a page where it sends a page what it does not take', async () => {
  const response = await service.app.request('/gigs', { method: 'DELETE' });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  expect(await response.text()).toContain('This path takes GET, HEAD only');
});
