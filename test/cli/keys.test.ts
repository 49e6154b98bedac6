import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { seedGig } from '../support/store.ts';
import { type Desk, openDesk } from './admin.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk({ PUBLIC_URL: 'https://gigs.example/below' });
});
afterEach(() => desk.close());

const lastLine = (out: string) => out.trimEnd().split('\n').at(-1) ?? '';
const create = (...options: string[]) => desk.admin(['api-key', 'create', ...options]);

/** Makes a key one from before keys had scopes. */
function forgetScopes(id: number): void {
  const database = new Database(desk.path);
  database.prepare('update api_keys set scopes = null where id = ?').run(id);
  database.close();
}

describe('api-key create', () => {
  test('security: gives the scopes that are named, all but operator otherwise, and a client of its own name', async () => {
    const made = await create('--name', 'shop');
    expect(made.code).toBe(0);
    expect(made.out).toContain('with gigs:read, gigs:write, tips:write, claims:read.');
    expect(lastLine(made.out)).toMatch(/^gck_[A-Za-z0-9_-]{43}$/);
    await create('--name', 'till', '--client', 'shop', '--scope', 'tips:write, gigs:read,tips:write');
    await create('--name', 'desk', '--scope', 'operator,gigs:read');
    expect(await desk.json('api-key', 'list')).toMatchObject([
      { id: 1, client: 'shop', scopes: ['gigs:read', 'gigs:write', 'tips:write', 'claims:read'] },
      { id: 2, client: 'shop', scopes: ['gigs:read', 'tips:write'], made_before_scopes: false },
      { id: 3, client: 'desk', scopes: ['operator'] },
    ]);
    const { out } = await desk.admin(['api-key', 'list']);
    expect(out).toMatch(/^2 +till +shop +gigs:read,tips:write +2026-01-01/m);
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
      'It must be a comma-separated list of gigs:read, gigs:write, tips:write, claims:read, operator.',
    );
    expect((await create('--name', 'shop', '--scope', '')).code).toBe(2);
    const nameless = await create('--name', 'shop', '--client', ' ');
    expect([nameless.code, nameless.err]).toEqual([1, 'client must have 1 to 100 characters\n']);
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
    const again = await desk.admin(['api-key', 'rotate', '1']);
    expect([again.code, again.err]).toEqual([1, 'There is no key 1 that still works.\n']);
  });

  test('behavior: lets the old key work until a date, and gives the new one other scopes', async () => {
    await create('--name', 'shop');
    const until = ['--old-until', '2026-02-01', '--scope', 'gigs:read'];
    const { out } = await desk.admin(['api-key', 'rotate', '1', ...until]);
    expect(out).toContain('Key 1 works until 2026-02-01T00:00:00.000Z.\n');
    expect(await desk.json('api-key', 'list')).toMatchObject([
      { id: 1, revoked_at: null, expires_at: '2026-02-01T00:00:00.000Z' },
      { id: 2, expires_at: null, scopes: ['gigs:read'] },
    ]);
    const past = await desk.admin(['api-key', 'rotate', '1', '--old-until', '2025-12-31']);
    expect([past.code, past.err]).toEqual([1, 'the end of the old key must lie in the future\n']);
  });
});

describe('keys from before keys had scopes', () => {
  test('security: keep everything, and doctor names those that still work, with what to do', async () => {
    for (const name of ['old', 'revoked', 'new']) await create('--name', name);
    forgetScopes(1);
    forgetScopes(2);
    await desk.admin(['api-key', 'revoke', '2']);
    expect(await desk.json('api-key', 'list')).toMatchObject([
      { id: 1, scopes: ['operator'], made_before_scopes: true },
      { id: 2, scopes: ['operator'], made_before_scopes: true },
      { id: 3, made_before_scopes: false },
    ]);
    const check = async () => {
      const report = Object(await desk.json('doctor'));
      return report.checks.find(({ name }: { name: string }) => name === 'api keys');
    };
    expect(await check()).toMatchObject({
      ok: true,
      detail: 'These keys have no scopes, so they may do everything and open the operator’s pages: key 1 (old)',
      remedy: expect.stringContaining('npm run admin -- api-key rotate <id> --scope'),
    });
    await desk.admin(['api-key', 'rotate', '1', '--scope', 'gigs:write']);
    expect(await check()).toMatchObject({ ok: true, detail: 'Every valid key has scopes', remedy: '' });
  });

  test('behavior: a gig without a client is given to one, once', async () => {
    await seedGig(desk.store);
    expect((await desk.admin(['gig', 'assign', '1', 'shop'])).out).toBe('Gig 1 belongs to shop now.\n');
    const again = await desk.admin(['gig', 'assign', '1', 'other']);
    expect([again.code, again.err]).toEqual([1, 'Gig 1 belongs to shop already; a gig keeps its client.\n']);
    expect(await desk.json('gig', 'show', '1')).toMatchObject({ client: 'shop', created_by: null });
    expect(await desk.json('audit', 'list', '--gig', '1')).toMatchObject([
      { action: 'gig.assign', name: 'command line', detail: { client: 'shop' } },
    ]);
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
          scopes: ['gigs:read', 'gigs:write', 'tips:write', 'claims:read'],
        },
      }),
    ]);
    expect(await desk.json('audit', 'list', '--key', '1')).toEqual([]);
    const { out } = await desk.admin(['audit', 'list', '--limit', '1']);
    expect(out).toMatch(/^2 +2026-01-01T00:00:00\.000Z +operator command line +key\.revoke +key 1 /m);
  });
});
