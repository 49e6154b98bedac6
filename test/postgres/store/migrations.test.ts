import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SchemaNewer } from '../../../src/domain/errors.ts';
import { migratePostgres } from '../../../src/store/postgres/migrations.ts';
import { firstMigrations, moreMigrations } from '../../support/migrations.ts';
import { openTestDatabase, POSTGRES_MIGRATIONS } from '../../support/postgres.ts';
import { useDatabase } from './database.ts';
import { mention, seedLedger } from './ledger.ts';

const OPTIONS = { folder: POSTGRES_MIGRATIONS };
const TABLES = "select count(*)::int as n from pg_tables where schemaname = 'public'";

const { current, client } = useDatabase('template template0');
const migrate = (folder = POSTGRES_MIGRATIONS) => migratePostgres(client(), { folder });

async function numberOf(statement: string): Promise<number | undefined> {
  const { rows } = await client().query<{ n: number }>(statement);
  return rows[0]?.n;
}

async function numbersOf(statement: string): Promise<Record<string, number>> {
  const { rows } = await client().query<{ name: string; n: string }>(statement);
  return Object.fromEntries(rows.map(({ name, n }) => [name, Number(n)]));
}

async function nameOf(): Promise<string> {
  const { rows } = await client().query<{ name: string }>('select current_database() as name');
  return rows[0]?.name ?? '';
}

describe('migrations', () => {
  test('behavior: two processes that start together apply them once; a third finds nothing to do', async () => {
    const [one, two] = [await current().connect(), await current().connect()];
    await Promise.all([migratePostgres(one, OPTIONS), migratePostgres(two, OPTIONS)]);
    await migratePostgres(one, OPTIONS);
    const { entries } = JSON.parse(readFileSync(join(POSTGRES_MIGRATIONS, 'meta/_journal.json'), 'utf8'));
    expect(await numberOf('select count(*)::int as n from __drizzle_migrations')).toBe(entries.length);
    expect(await numberOf(TABLES)).toBe(71);
  });

  test('behavior: a database of the first schema goes on counting', async () => {
    await migrate(firstMigrations(POSTGRES_MIGRATIONS, 1));
    await seedLedger(client());
    await client().query(mention('a', 7));
    await migrate();
    const counts = async (subject: string) =>
      await numbersOf(
        `select state as name, n from state_counts where subject = '${subject}' and n <> 0 order by state`,
      );
    expect(await counts('payments')).toEqual({ confirmed: 1, planned: 1, sent: 1 });
    await client().query("update payments set state = 'failed', reason = 'no', gas_used = gas_used + 5 where id = 3");
    await client().query("update mentions set state = 'answered' where post_id = 'a'");
    expect(await counts('payments')).toEqual({ confirmed: 1, failed: 1, sent: 1 });
    expect(await counts('mentions')).toEqual({ answered: 1 });
    const gas =
      'select gigs.id::text as name, gas_used - (select sum(p.gas_used) from payments p where gig_id = gigs.id) as n';
    expect(await numbersOf(`${gas} from gigs where id in (select gig_id from payments)`)).toEqual({ 1: 0 });
  });

  test('behavior: claims of an earlier schema came by a mention or a URL, as the audit trail says', async () => {
    await migrate(firstMigrations(POSTGRES_MIGRATIONS, 13));
    await client().query(`insert into platforms (id) values ('farcaster') on conflict do nothing;
      insert into accounts (platform, platform_user_id, created_at) values ('farcaster', '5', 1);
      insert into claims (id, public_id, platform, platform_user_id, post_id, recipient, created_at) overriding system value
        select n, 'claim-' || n, 'farcaster', '5', '0xc' || n, '0x' || repeat('a', 40), 1 from generate_series(1, 3) as n;
      insert into audit_events (at, actor, actor_name, request_id, action, subject, subject_id, detail) values
        (1, 'account', 'farcaster:5', 'mention:7', 'claim.open', 'claim', '1', '{}'),
        (1, 'account', 'farcaster:5', 'req-1', 'claim.open', 'claim', '2', '{}'),
        (1, 'account', 'farcaster:5', null, 'claim.open', 'claim', '3', '{}')`);
    await migrate();
    const { rows } = await client().query('select source from claims order by id');
    expect(rows).toEqual([{ source: 'mention' }, { source: 'url' }, { source: 'url' }]);
    await expect(client().query("update claims set source = 'post'")).rejects.toThrow('claims_source');
  });

  test('security: webhooks of keys that work at an upgrade end with them; those of ended and of rotated keys go on', async () => {
    await migrate(firstMigrations(POSTGRES_MIGRATIONS, 22));
    await client().query(`
      insert into api_keys (id, name, hash, scopes, client, created_at, expires_at) overriding system value
        select n, 'shop', repeat(n::text, 64), 'webhooks:write', 'shop', 1, case n when 2 then 1000 end
        from generate_series(1, 3) as n;
      insert into webhook_endpoints (client, url, types, salt, api_key_id, created_at, from_seq, queued_seq)
        select 'shop', 'https://shop.example', '', 'ab', n, 1, 0, 0 from unnest(array[1, 2, 3, null]) as n;
      insert into audit_events (at, actor, actor_name, action, subject, subject_id, detail)
        values (1, 'operator', 'command line', 'key.rotate', 'key', '3', '{}')`);
    await migrate();
    const { rows } = await client().query('select api_key_id from webhook_endpoints where ends_with_key');
    expect(rows.map(({ api_key_id: id }) => Number(id))).toEqual([1]);
  });

  test('behavior: money and time of what is there are summed', async () => {
    const day = 20_000;
    const at = day * 86_400_000;
    await migrate(firstMigrations(POSTGRES_MIGRATIONS, 1));
    await seedLedger(client());
    await client().query(`update payments set amount = 12000000007, updated_at = ${at} where id = 1`);
    await client().query(`update claims set created_at = ${at - 65_000}`);
    await migrate();
    const sums = async (where: string) =>
      await numbersOf(`select kind || ' ' || place as name, sum(n) as n from day_sums where ${where} group by 1`);
    const all = { 'gigs 0': 4, 'funded 0': 404, 'settled 0': 100, 'paid 0': 7, 'paid 1': 12 };
    expect(await sums("day = 0 and kind <> 'gas'")).toEqual(all);
    expect(await sums(`day = ${day}`)).toEqual({ 'gas 0': 70, 'paid 0': 7, 'paid 1': 12 });
    const durations = "select day || ' ' || bucket as name, total as n from day_durations";
    expect(await numbersOf(durations)).toEqual({ '0 90000': 65_000, [`${day} 90000`]: 65_000 });
    await client().query(
      `update payments set state = 'planned', hash = null, block_number = null, numbers = null where id = 1`,
    );
    expect(await sums(`day = ${day} and n <> 0`)).toMatchObject({ 'gas 0': 70 });
    expect(
      await numbersOf("select place::text as name, sum(n) as n from day_sums where kind = 'paid' group by 1"),
    ).toEqual({ 0: 0, 1: 0 });
  });

  test('behavior: no function is planned in each statement that calls it', async () => {
    await migrate();
    // One that cannot be inlined.
    const planned = `select proname as name, 1 as n from pg_proc
      where pronamespace = 'public'::regnamespace and prolang <> (select oid from pg_language where lanname = 'plpgsql')
      and (provolatile = 'v' or proretset)`;
    expect(await numbersOf(planned)).toEqual({});
  });

  test('error: a database of another program is left alone', async () => {
    await client().query('create table wordpress (id int)');
    const refused = `database ${await nameOf()}: it belongs to another program`;
    await expect(migrate()).rejects.toThrow(refused);
    expect(await numberOf(TABLES)).toBe(1);
  });

  test('error: a database of a newer version is left alone', async () => {
    const folder = moreMigrations(POSTGRES_MIGRATIONS, 'create table later (id int)');
    await migrate(folder);
    const refused = `database ${await nameOf()}: its schema is newer than this version of gigclaim`;
    await expect(migrate()).rejects.toThrow(new SchemaNewer(refused));
    await migrate(folder);
  });

  test('error: one that fails leaves nothing of those before it, and the connection as it was', async () => {
    const folder = moreMigrations(
      POSTGRES_MIGRATIONS,
      'create table later (id int);--> statement-breakpoint\nselect 1 / 0',
    );
    await expect(migrate(folder)).rejects.toThrow('division by zero');
    expect(await numberOf(TABLES)).toBe(0);
    await migrate();
    await migrate(moreMigrations(POSTGRES_MIGRATIONS, 'create table later (id int)'));
    expect(await numberOf("select count(*)::int as n from pg_tables where tablename = 'later'")).toBe(1);
  });

  test('error: the schema is not changed under instances that were made for the one before', async () => {
    await migrate();
    const folder = moreMigrations(POSTGRES_MIGRATIONS, 'create table later (id int)');
    const add = "insert into instances (id, version, beat_at) values (gen_random_uuid(), '1.0.0', clock_timestamp())";
    await client().query(add);
    await expect(migrate(folder)).rejects.toThrow(
      'an instance of an older version serves it; stop them first, because this version changes the schema',
    );
    await client().query(add);
    await expect(migrate(folder)).rejects.toThrow('2 instances of an older version');
    // The same schema is no change.
    await migrate();
    await client().query("update instances set beat_at = beat_at - interval '21 seconds'");
    await migrate(folder);
  });

  test('behavior: the settings of the session are as they were before', async () => {
    await client().query("set statement_timeout = '9s'");
    await migrate();
    const { rows } = await client().query('show statement_timeout');
    expect(rows).toEqual([{ statement_timeout: '9s' }]);
  });
});

describe('handles', () => {
  test.for([
    ['C', "template template0 locale 'C'"],
    ['ICU', "template template0 locale_provider icu icu_locale 'und'"],
  ] as const)('security: of two that differ in É and é both are kept, in a database of %s', async ([, made]) => {
    const own = await openTestDatabase(made);
    onTestFinished(own.close);
    await migratePostgres(own.client, OPTIONS);
    await own.client.query("insert into platforms (id) values ('farcaster')");
    const insert = (id: string, handle: string | null) =>
      own.client.query(
        `insert into accounts (platform, platform_user_id, username, handle, created_at) values ('farcaster', $1, $2, $2, 1)`,
        [id, handle],
      );
    await insert('1', 'É');
    await insert('2', 'é');
    await insert('3', null);
    await insert('4', null);
    await expect(insert('5', 'É')).rejects.toThrow('accounts_by_handle');
    await expect(insert('5', 'E')).rejects.toThrow('accounts_handle');
  });
});
