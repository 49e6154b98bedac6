import { describe, expect, test } from 'vitest';
import { logIn, OWN_PAGE, openOperator, seedFailedReply, tokenOf } from '../operator.ts';
import { NOW, reopen, service, useService } from '../service.ts';

const HOUR_MS = 3_600_000;

useService();

describe('logging in', () => {
  test('behavior: the first page asks for a key, which is typed once and then not needed any more', async () => {
    const operator = openOperator(service);
    const first = await operator.get('/admin');
    expect(first.status).toBe(200);
    expect(await first.text()).toContain('<label for="key">API key</label>');
    const answer = await operator.submit('/admin/session', { key: ` ${service.key}\n` });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/admin']);
    const overview = await operator.get('/admin');
    expect(overview.status).toBe(200);
    expect(await overview.text()).toContain('<h1>Overview</h1>');
  });

  test('security: the cookie is unreachable for scripts and other sites, and Secure over https', async () => {
    const cookie = async () =>
      (await openOperator(service).submit('/admin/session', { key: service.key })).headers.get('set-cookie');
    expect(await cookie()).toMatch(
      /^gigclaim_admin=[A-Za-z0-9_-]{43}; Max-Age=43200; Path=\/admin; HttpOnly; SameSite=Strict$/,
    );
    await reopen({ config: { publicUrl: 'https://gigs.example/below' } });
    expect(await cookie()).toMatch(
      /^gigclaim_admin=[A-Za-z0-9_-]{43}; Max-Age=43200; Path=\/below\/admin; HttpOnly; Secure; SameSite=Strict$/,
    );
  });

  test('security: a wrong key gets the same page with a message and no cookie, and neither is shown or logged', async () => {
    const answer = await openOperator(service).submit('/admin/session', { key: 'gck_mistyped' });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('set-cookie')).toBeNull();
    const page = await answer.text();
    expect(page).toContain('This API key is not valid.');
    expect(page).toContain('<label for="key">API key</label>');
    expect(page).not.toContain('gck_mistyped');
    await openOperator(service).submit('/admin/session', { key: service.key });
    expect(service.logText()).not.toContain('gck_');
  });

  test('security: a key is tried ten times a minute at most, also the right one', async () => {
    await reopen({ config: { trustedProxies: 1 } });
    const attempt = async (key: string, from = '192.0.2.1') =>
      await openOperator(service).submit('/admin/session', { key }, { ...OWN_PAGE, 'x-forwarded-for': from });
    for (let count = 0; count < 10; count += 1) expect((await attempt(`gck_${count}`)).status).toBe(401);
    const refused = await attempt(service.key);
    expect(refused.status).toBe(429);
    expect(await refused.text()).toContain('at most 10 a minute');
    expect((await attempt(service.key, '192.0.2.2')).status).toBe(303);
    service.time.now += 60_000;
    expect((await attempt(service.key)).status).toBe(303);
  });

  test('security: only refused keys count: not what other sites send, and not the right key', async () => {
    const attempt = async (key: string, headers: Record<string, string> = OWN_PAGE) =>
      (await openOperator(service).submit('/admin/session', { key }, headers)).status;
    const elsewhere = [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }, {}];
    for (let count = 0; count < 12; count += 1) {
      expect(await attempt(`gck_${count}`, elsewhere[count % 3])).toBe(403);
      expect(await attempt(service.key)).toBe(303);
    }
    for (let count = 0; count < 10; count += 1) expect(await attempt(`gck_${count}`)).toBe(401);
    expect(await attempt(service.key)).toBe(429);
  });

  test('security: keys that are tried at once are held to the limit too', async () => {
    const tries = Array.from({ length: 15 }, (_, count) =>
      openOperator(service).submit('/admin/session', { key: `gck_${count}` }),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);
  });

  test('behavior: whoever asked for a page comes back to it, and to no other place', async () => {
    const operator = openOperator(service);
    const asked = await operator.get('/admin/replies?state=failed');
    expect(asked.status).toBe(401);
    expect(await asked.text()).toContain('name="next" value="/replies?state=failed"');
    const go = async (next: string) =>
      (await operator.submit('/admin/session', { key: service.key, next })).headers.get('location');
    expect(await go('/replies?state=failed')).toBe('/admin/replies?state=failed');
    for (const elsewhere of ['.evil.example/', '@evil.example', '//evil.example', '/..//evil.example', '\r\nx: y']) {
      expect(await go(elsewhere)).toBe('/admin');
    }
  });

  test('security: a session that was planted beforehand opens nothing, and one held before ends', async () => {
    const operator = openOperator(service);
    operator.cookie = `gigclaim_admin=${'a'.repeat(43)}`;
    await operator.submit('/admin/session', { key: service.key });
    expect(operator.cookie).not.toContain('a'.repeat(43));
    const planted = openOperator(service);
    planted.cookie = `gigclaim_admin=${'a'.repeat(43)}`;
    expect((await planted.get('/admin/replies')).status).toBe(401);
    planted.cookie = operator.cookie;
    await operator.submit('/admin/session', { key: service.key });
    expect((await planted.get('/admin/replies')).status).toBe(401);
    expect((await operator.get('/admin/replies')).status).toBe(200);
  });
});

describe('being logged in', () => {
  test('security: ends after twelve hours, whatever is done meanwhile', async () => {
    const operator = await logIn(service);
    service.time.now = NOW + 12 * HOUR_MS - 1;
    expect((await operator.get('/admin/gigs')).status).toBe(200);
    service.time.now += 1;
    expect((await operator.get('/admin/gigs')).status).toBe(401);
  });

  test('security: ends when its key is revoked or expires', async () => {
    const { store } = service;
    const { key, record } = await service.newKey({ name: 'short', expiresAt: NOW + HOUR_MS, scopes: ['operator'] });
    const operator = openOperator(service);
    const answer = await operator.submit('/admin/session', { key });
    expect(answer.headers.get('set-cookie')).toContain('Max-Age=3600;');
    const other = await logIn(service);
    expect((await operator.get('/admin/gigs')).status).toBe(200);
    await store.transaction((tx) => tx.revokeApiKey(record.id, NOW));
    expect((await operator.get('/admin/gigs')).status).toBe(401);
    expect((await other.get('/admin/gigs')).status).toBe(200);
    await service.sql('update api_keys set expires_at = ?', NOW + HOUR_MS);
    service.time.now = NOW + HOUR_MS;
    expect((await other.get('/admin/gigs')).status).toBe(401);
  });

  test('security: ends on logging out, in the store as well as in the browser', async () => {
    const operator = await logIn(service);
    const { cookie } = operator;
    const answer = await operator.submit('/admin/logout');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/admin']);
    expect(answer.headers.get('set-cookie')).toBe('gigclaim_admin=; Max-Age=0; Path=/admin; HttpOnly; SameSite=Strict');
    operator.cookie = cookie;
    expect((await operator.get('/admin/gigs')).status).toBe(401);
  });

  test('security: the store keeps hashes only', async () => {
    const operator = await logIn(service);
    const token = operator.cookie.split('=')[1] ?? '';
    expect(token).toHaveLength(43);
    expect(await service.store.sessionByHash(token)).toBeNull();
    const { createHash } = await import('node:crypto');
    const session = await service.store.sessionByHash(createHash('sha256').update(token).digest('hex'));
    expect(session).toMatchObject({ apiKeyId: 1, createdAt: NOW, expiresAt: NOW + 12 * HOUR_MS });
  });

  test('security: nothing below /admin is answered to others, kept by caches, framed or run inline', async () => {
    const paths = ['mentions', 'replies', 'payments', 'claims', 'gigs', 'keys', 'replies/1', 'gigs/1', 'claims/1'];
    for (const path of paths) {
      const answer = await openOperator(service).get(`/admin/${path}`);
      expect([path, answer.status, answer.headers.get('cache-control')]).toEqual([path, 401, 'no-store']);
    }
    const { headers } = await (await logIn(service)).get('/admin');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('a form', () => {
  const FOREIGN: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site', origin: 'http://localhost' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    {},
  ];

  test.each(FOREIGN)('security: from elsewhere, with %j, does nothing', async (headers) => {
    const id = await seedFailedReply(service.store);
    const operator = await logIn(service);
    const retry = await operator.submit(`/admin/replies/${id}/retry`, {}, headers);
    expect(retry.status).toBe(403);
    expect((await service.store.reply(id))?.state).toBe('failed');
    expect((await operator.submit('/admin/logout', {}, headers)).status).toBe(403);
    expect((await operator.get('/admin/gigs')).status).toBe(200);
    const logIns = await openOperator(service).submit('/admin/session', { key: service.key }, headers);
    expect([logIns.status, logIns.headers.get('set-cookie')]).toEqual([403, null]);
  });

  test.each([{ origin: 'http://localhost' }, { origin: 'http://gigclaim.test' }])(
    'behavior: is taken from a browser that only says %j',
    async (headers) => {
      const answer = await openOperator(service).submit('/admin/session', { key: service.key }, headers);
      expect(answer.status).toBe(303);
    },
  );

  test('security: without its token, or with that of another session, does nothing', async () => {
    const id = await seedFailedReply(service.store);
    const operator = await logIn(service);
    const other = await logIn(service);
    const foreign = tokenOf(await other.read('/admin'));
    expect(foreign).toHaveLength(43);
    for (const token of ['', 'x', foreign, operator.cookie.split('=')[1] ?? '']) {
      expect((await operator.submit(`/admin/replies/${id}/retry`, { token })).status).toBe(403);
      expect((await operator.submit('/admin/logout', { token })).status).toBe(403);
    }
    expect((await service.store.reply(id))?.state).toBe('failed');
    expect((await operator.submit(`/admin/replies/${id}/retry`)).status).toBe(303);
  });

  test('security: of somebody who is not logged in does nothing', async () => {
    const id = await seedFailedReply(service.store);
    const operator = await logIn(service);
    operator.cookie = '';
    const refused = await operator.submit(`/admin/replies/${id}/retry`);
    expect(refused.status).toBe(401);
    // A form cannot be returned to.
    expect(await refused.text()).toContain('<input type="hidden" name="next" value="">');
    expect((await service.store.reply(id))?.state).toBe('failed');
  });

  test('security: an API key in a header opens no page', async () => {
    const answer = await openOperator(service).get('/admin/gigs', { 'x-api-key': service.key });
    expect(answer.status).toBe(401);
  });
});
