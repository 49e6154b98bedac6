import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { SEEDED_AT, seedGig } from '../support/store.ts';
import { desk, output, refusal, useDesk } from './admin.ts';

useDesk({ PUBLIC_URL: 'https://gigs.example/below' });

const lastLine = (out: string) => out.trimEnd().split('\n').at(-1) ?? '';
const create = (...options: string[]) => desk.admin(['api-key', 'create', ...options]);

describe('api-key create', () => {
  test('security: gives the scopes that are named, all but operator otherwise, and a client of its own name', async () => {
    const made = await create('--name', 'shop');
    expect(made.code).toBe(0);
    expect(made.out).toContain('with gigs:read, gigs:write, tips:write, claims:read, events:read, webhooks:write.');
    expect(lastLine(made.out)).toMatch(/^gck_[A-Za-z0-9_-]{43}$/);
    await create('--name', 'till', '--client', 'shop', '--scope', 'tips:write, gigs:read,tips:write');
    await create('--name', 'desk', '--scope', 'operator,gigs:read');
    expect(await desk.json('api-key', 'list')).toMatchObject([
      {
        id: 1,
        client: 'shop',
        scopes: ['gigs:read', 'gigs:write', 'tips:write', 'claims:read', 'events:read', 'webhooks:write'],
      },
      { id: 2, client: 'shop', scopes: ['gigs:read', 'tips:write'] },
      { id: 3, client: 'desk', scopes: ['operator'] },
    ]);
    const { out } = await desk.admin(['api-key', 'list']);
    expect(out).toMatch(/^2 +till +shop +gigs:read,tips:write +2026-01-01/m);
  });

  test('behavior: an option that takes a list can be given several times, and keeps all', async () => {
    await create('--name', 'shop', '--scope', 'gigs:read', '--scope', 'tips:write,claims:read', '--scope=gigs:write');
    const [{ scopes }] = (await desk.json('api-key', 'list')) as [{ scopes: readonly string[] }];
    expect(scopes).toEqual(['gigs:read', 'gigs:write', 'tips:write', 'claims:read']);
    await desk.admin(['api-key', 'rotate', '1', '--scope', 'gigs:read', '--scope', 'events:read']);
    const listed = await desk.admin(['api-key', 'list', '--columns', 'id,client', '--columns', 'scopes']);
    expect(listed.out.split('\n')[2]).toMatch(/^2 +shop +gigs:read,events:read$/);
  });

  test('behavior: says with whom it shares a client', async () => {
    await create('--name', 'shop');
    const { out } = await create('--name', 'till', '--client', 'shop');
    expect(out).toContain('It shares the gigs and the idempotency keys of shop with key 1.\n');
    expect(lastLine(out)).toMatch(/^gck_/);
  });

  test('error: an unknown scope, no scope and a client without a name are refused', async () => {
    const wrong = await create('--name', 'shop', '--scope', 'gigs:write,admin');
    expect([wrong.code, wrong.out]).toEqual([2, '']);
    expect(wrong.err).toContain(
      'It must be a comma-separated list of gigs:read, gigs:write, tips:write, claims:read, events:read, webhooks:write, operator.',
    );
    expect((await create('--name', 'shop', '--scope', '')).code).toBe(2);
    expect(await refusal(create('--name', 'shop', '--client', ' '))).toBe('client must have 1 to 100 characters\n');
    expect(await desk.json('api-key', 'list')).toEqual([]);
  });
});

describe('api-key rotate', () => {
  test('behavior: makes a key for the same client with the same scopes, and ends the old one at once', async () => {
    await create('--name', 'till', '--client', 'shop', '--scope', 'tips:write', '--expires', '2027-01-31');
    const rotated = await desk.admin(['api-key', 'rotate', '1']);
    expect(rotated.out).toContain('Key 1 no longer works.\n');
    expect(lastLine(rotated.out)).toMatch(/^gck_[A-Za-z0-9_-]{43}$/);
    expect(await desk.json('api-key', 'list')).toMatchObject([
      { id: 1, revoked_at: '2026-01-01T00:00:00.000Z' },
      {
        id: 2,
        name: 'till',
        client: 'shop',
        scopes: ['tips:write'],
        expires_at: '2027-01-31T00:00:00.000Z',
        revoked_at: null,
      },
    ]);
    expect(await refusal(desk.admin(['api-key', 'rotate', '1']))).toBe('There is no key 1 that still works.\n');
  });

  test('behavior: lets the old key work until a date, and gives the new one other scopes', async () => {
    await create('--name', 'shop');
    const until = ['--old-until', '2026-02-01', '--scope', 'gigs:read'];
    const { out } = await desk.admin(['api-key', 'rotate', '1', ...until]);
    expect(out).toContain('Key 1 works until 1 Feb 2026, 00:00 UTC.\n');
    expect(await desk.json('api-key', 'list')).toMatchObject([
      { id: 1, revoked_at: null, expires_at: '2026-02-01T00:00:00.000Z' },
      { id: 2, expires_at: null, scopes: ['gigs:read'] },
    ]);
    expect(await refusal(desk.admin(['api-key', 'rotate', '1', '--old-until', '2025-12-31']))).toBe(
      'the end of the old key must be in the future\n',
    );
  });
});

describe('the webhooks of a key', () => {
  async function seedWebhook(apiKeyId: number, client: string | null): Promise<void> {
    const endpoint = { client, url: 'https://shop.example/hook', types: [], salt: 'ab'.repeat(16), apiKeyId } as const;
    await desk.store.transaction((tx) => tx.insertWebhookEndpoint({ ...endpoint, createdAt: SEEDED_AT }));
  }
  const checked = async () => (await desk.admin(['doctor'])).out;
  const CHECK = /^. client webhooks:/m;

  test('security: revoking it, and rotating it, name those that are paused and those that the new key keeps', async () => {
    for (const scope of ['operator', 'webhooks:write']) await create('--name', 'shop', '--scope', scope);
    await seedWebhook(1, null);
    await seedWebhook(1, 'shop');
    await seedWebhook(2, 'shop');
    const until = ['--old-until', '2026-02-01', '--scope', 'webhooks:write'];
    const rotated = await desk.admin(['api-key', 'rotate', '1', ...until]);
    expect(rotated.out).toContain('The new key keeps its webhooks: 2.\nIts webhooks are paused, ');
    expect(lastLine(rotated.out)).toMatch(/^gck_/);
    const paused = (id: number) =>
      `Its webhooks are paused, so that nothing is sent to them: ${id}. Resume one: webhook resume ID\n`;
    expect((await desk.admin(['api-key', 'rotate', '3'])).out).toContain(paused(2));
    expect((await desk.admin(['api-key', 'revoke', '2'])).out).toBe(`API key 2 revoked.\n${paused(3)}`);
    expect((await desk.admin(['api-key', 'revoke', '4'])).out).toBe('API key 4 revoked.\n');
    expect(await checked()).toContain(
      '✓ client webhooks: Paused, and their keys have ended: 2 of shop (key 3), 3 of shop (key 2)\n',
    );
  });

  test('security: doctor names one that outlives its key, until it is paused or kept', async () => {
    await create('--name', 'desk', '--scope', 'operator', '--expires', '2026-01-02');
    await seedWebhook(1, null);
    expect(await checked()).not.toMatch(CHECK);
    const later = await desk.admin(['doctor'], { clock: () => Date.parse('2026-01-03T00:00:00Z') });
    expect(later.out).toContain(
      '! client webhooks: They get events, although their keys have ended: 1 of all clients (key 1)\n' +
        '    Pause each with webhook pause, or keep it with webhook resume.\n',
    );
    await desk.admin(['webhook', 'resume', '1']);
    expect(await checked()).not.toMatch(CHECK);
  });
});

describe('gig assign', () => {
  test('behavior: a gig without a client is given to one, once', async () => {
    await seedGig(desk.store);
    for (const name of ['shop', 'other']) await create('--name', name);
    expect((await desk.admin(['gig', 'assign', '1', 'shop'])).out).toBe('Gig 1 belongs to shop now.\n');
    expect(await refusal(desk.admin(['gig', 'assign', '1', 'other']))).toBe(
      'Gig 1 belongs to shop already; a gig keeps its client.\n',
    );
    expect(await desk.json('gig', 'show', '1')).toMatchObject({ client: 'shop', created_by: null });
    expect(await desk.json('audit', 'list', '--gig', '1')).toMatchObject([
      { action: 'gig.assign', name: 'command line', detail: { client: 'shop' } },
    ]);
  });

  test('error: a client that has no key is refused, with those there are, and the gig stays free', async () => {
    await seedGig(desk.store);
    const assign = (client: string) => desk.admin(['gig', 'assign', '1', client]);
    const none = 'There is no client shpo. There are no clients yet; api-key create creates one.\n';
    expect(await refusal(assign('shpo'))).toBe(none);
    await create('--name', 'till', '--client', 'shop');
    await create('--name', 'desk');
    await create('--name', 'shop');
    await desk.admin(['api-key', 'revoke', '2']);
    const some = 'There is no client shpo. The clients are desk, shop; api-key list shows them.\n';
    expect(await refusal(assign('shpo'))).toBe(some);
    expect(await desk.json('gig', 'show', '1')).toMatchObject({ client: null });
    expect(await output(assign(' desk '))).toBe('Gig 1 belongs to desk now.\n');
  });
});

describe('login', () => {
  test('security: prints a link below PUBLIC_URL as the last line, whose token is nowhere in the store', async () => {
    const { code, out } = await desk.admin(['login']);
    const [, token = ''] =
      /^https:\/\/gigs\.example\/below\/admin\/login\?token=([A-Za-z0-9_-]{43})$/.exec(lastLine(out)) ?? [];
    expect([code, token]).toEqual([0, expect.stringMatching(/^.{43}$/)]);
    expect(await desk.json('audit', 'list')).toMatchObject([
      { action: 'login.link', actor: 'operator', name: 'command line', subject: 'link', subject_id: '1' },
    ]);
    const database = new Database(desk.path, { readonly: true });
    const kept = JSON.stringify(database.prepare('select * from login_links').all());
    database.close();
    expect(kept).not.toContain(token);
  });

  test('behavior: without PUBLIC_URL the link is at PORT, as the service is, and at ADMIN_PORT when that is set', async () => {
    const link = async (env: Record<string, string>) => lastLine((await desk.admin(['login'], { env })).out);
    expect(await link({ PUBLIC_URL: '', PORT: '8080' })).toMatch(/^http:\/\/localhost:8080\/admin\/login\?token=/);
    expect(await link({ PUBLIC_URL: '' })).toMatch(/^http:\/\/localhost:3000\/admin\//);
    expect(await link({ PUBLIC_URL: '', PORT: '8080', ADMIN_PORT: '9090' })).toMatch(
      /^http:\/\/localhost:9090\/admin\//,
    );
  });
});

describe('audit list', () => {
  test('behavior: lists who did what to what, newest first, by key as well', async () => {
    await create('--name', 'shop');
    await desk.admin(['api-key', 'revoke', '1']);
    expect(await desk.json('audit', 'list')).toEqual([
      {
        id: 2,
        at: '2026-01-01T00:00:00.000Z',
        actor: 'operator',
        name: 'command line',
        key_id: null,
        client: null,
        request_id: null,
        action: 'key.revoke',
        subject: 'key',
        subject_id: '1',
        gig_id: null,
        detail: { name: 'shop', client: 'shop' },
      },
      expect.objectContaining({
        action: 'key.create',
        detail: {
          name: 'shop',
          client: 'shop',
          expires_at: null,
          scopes: ['gigs:read', 'gigs:write', 'tips:write', 'claims:read', 'events:read', 'webhooks:write'],
        },
      }),
    ]);
    expect(await desk.json('audit', 'list', '--key', '1')).toEqual([]);
    expect((await desk.admin(['audit', 'list', '--key', '1'])).out).toBe('No events yet.\n');
    const { out } = await desk.admin(['audit', 'list', '--limit', '1']);
    expect(out).toMatch(/^2 +2026-01-01T00:00:00\.000Z +operator command line +key\.revoke +key 1 /m);
  });

  test('error: a key or a gig that does not exist is not taken for one that did nothing', async () => {
    const list = (...options: string[]) => desk.admin(['audit', 'list', ...options]);
    const noKeys = 'There is no key 7: there are none yet.\n';
    expect(await refusal(list('--key', '7'))).toBe(noKeys);
    for (const name of ['shop', 'desk']) await create('--name', name);
    const others = 'There is no key 7: there are 1, 2; api-key list shows them.\n';
    expect(await refusal(list('--key', '7', '--json'))).toBe(others);
    expect(await refusal(list('--gig', '9'))).toBe('There is no gig 9; see gig list.\n');
  });
});
