import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { hashOf } from '../../../src/services/operators/api-keys.ts';
import { createLoginLink } from '../../../src/services/operators/sessions.ts';
import { logIn, openOperator, seedFailedReply } from '../operator.ts';
import { NOW, service, useService } from '../service.ts';

const MINUTE_MS = 60_000;

useService();

async function newLink(): Promise<string> {
  const { store, time } = service;
  const deps = { store, clock: () => time.now, randomBytes };
  return (await createLoginLink(deps, { actor: COMMAND_LINE })).token;
}

describe('a log-in link', () => {
  test('security: shows a button, which logs in once; looking at it uses nothing up', async () => {
    const link = await newLink();
    const operator = openOperator(service);
    for (let count = 0; count < 3; count += 1) {
      const page = await operator.get(`/admin/login?token=${link}`);
      expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(page.headers.get('set-cookie')).toBeNull();
      expect(await page.text()).toContain(`<input type="hidden" name="link" value="${link}">`);
    }
    const opened = await operator.submit('/admin/login', { link });
    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/admin']);
    expect(await operator.read('/admin')).toContain('Logged in with log-in link 1 until');
    const again = await openOperator(service).submit('/admin/login', { link });
    expect([again.status, again.headers.get('set-cookie')]).toEqual([401, null]);
    expect(await again.text()).toContain('This link no longer works');
  });

  test('security: of two browsers at once one is logged in', async () => {
    const link = await newLink();
    const tries = await Promise.all([1, 2].map(() => openOperator(service).submit('/admin/login', { link })));
    expect(tries.map(({ status }) => status).sort()).toEqual([303, 401]);
  });

  test('security: ends after ten minutes, is kept only as a hash, and is in no log', async () => {
    const link = await newLink();
    service.time.now = NOW + 10 * MINUTE_MS;
    expect((await openOperator(service).submit('/admin/login', { link })).status).toBe(401);
    const other = await newLink();
    service.time.now += 10 * MINUTE_MS - 1;
    await openOperator(service).get(`/admin/login?token=${other}`);
    expect((await openOperator(service).submit('/admin/login', { link: other })).status).toBe(303);
    for (const secret of [link, other, hashOf(other)]) {
      expect(service.logText()).not.toContain(secret);
      expect(JSON.stringify(await service.store.auditEvents({ limit: 9 }))).not.toContain(secret);
    }
  });

  test('security: is pressed on a page of this server only, and tries count as those of keys do', async () => {
    const link = await newLink();
    const elsewhere = await openOperator(service).submit('/admin/login', { link }, { 'sec-fetch-site': 'cross-site' });
    expect(elsewhere.status).toBe(403);
    for (let count = 0; count < 5; count += 1) {
      expect((await openOperator(service).submit('/admin/login', { link: `wrong-${count}` })).status).toBe(401);
      expect((await openOperator(service).submit('/admin/session', { key: `gck_${count}` })).status).toBe(401);
    }
    expect((await openOperator(service).submit('/admin/login', { link })).status).toBe(429);
    service.time.now += MINUTE_MS;
    expect((await openOperator(service).submit('/admin/login', { link })).status).toBe(303);
  });

  test('security: what is written into it stays text', async () => {
    const page = await openOperator(service).get('/admin/login?token=%22%3E%3Cscript%3E');
    expect(await page.text()).toContain('value="&quot;&gt;&lt;script&gt;"');
  });
});

describe('a key without operator', () => {
  test('security: opens no page of the operator, and its tries count', async () => {
    const { key } = await service.newKey({ name: 'shop' });
    const attempt = async () => await openOperator(service).submit('/admin/session', { key });
    const refused = await attempt();
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([401, null]);
    expect(await refused.text()).toContain('This API key does not have the scope operator');
    for (let count = 1; count < 10; count += 1) expect((await attempt()).status).toBe(401);
    expect((await attempt()).status).toBe(429);
  });

  test('security: a session ends when its key is one of a client only', async () => {
    const operator = await logIn(service);
    await service.sql("update api_keys set scopes = 'gigs:write'");
    expect((await operator.get('/admin/gigs')).status).toBe(401);
  });
});

describe('the audit page', () => {
  test('behavior: shows who did what to what under which request', async () => {
    const operator = await logIn(service);
    await seedFailedReply(service.store);
    await operator.submit('/admin/replies/1/retry');
    await operator.submit('/admin/logout');
    const events = await service.store.auditEvents({ limit: 9 });
    const request = expect.any(String);
    expect(events).toMatchObject([
      { action: 'login.close', actor: 'operator', actorName: 'test', apiKeyId: 1, subject: 'key', subjectId: '1' },
      { action: 'reply.retry', actor: 'operator', actorName: 'test', apiKeyId: 1, subject: 'reply', subjectId: '1' },
      { action: 'login.open', actor: 'operator', actorName: 'test', apiKeyId: 1, requestId: request },
      { action: 'key.create', actor: 'operator', actorName: 'command line', apiKeyId: null, requestId: null },
    ]);
    const page = (await (await logIn(service)).read('/admin/audit'))
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ');
    expect(page).toContain('event 3 reply.retry just now operator test key 1 : reply 1 {} Request');
    expect(page).toContain('event 1 key.create just now operator command line : key 1');
  });
});
