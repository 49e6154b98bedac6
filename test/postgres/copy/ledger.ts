import SqliteDatabase, { type Database } from 'better-sqlite3';
import type { Client } from 'pg';
import { COPIED, PLAN, type TablePlan } from '../../../src/store/copy/plan.ts';
import { VALUES } from '../../../src/store/sql/value-tables.ts';
import { seedAddress, seedHash } from '../../support/store.ts';
import { CLOSE, FIX, mention, round, seedLedger, WINNER } from '../store/ledger.ts';

const HEX = 'ab'.repeat(32);
/** What is easily lost on a way through texts. */
const ODD = `a''b"c\\d{e},NULL\n\t é 🐝 ﷽`;
/** The largest amount. */
const HUGE = '9'.repeat(78);

/** What `seedLedger` leaves out: a row in every other table, leased work, and values that are odd, empty or large. */
const REST = [
  `insert into api_keys (name, hash, created_at, scopes, client, last_used_at) values ('${ODD}', '${HEX}', 1, 'gigs:read,tips:write', '', 9007199254740991)`,
  `insert into login_links (hash, created_at, expires_at) values ('${HEX}', 1, 2)`,
  `insert into sessions (hash, api_key_id, created_at, expires_at) values ('${HEX}', 1, 1, 2)`,
  `insert into sign_ins (hash, browser, way, created_at, expires_at, used_at) values ('${HEX}', '${HEX}', 'wallet', 1, 2, null)`,
  `insert into owner_sessions (hash, owner, label, created_at, expires_at) values ('${HEX}', 'farcaster:1', '${ODD}', 1, 2)`,
  `insert into idempotency_keys (scope, key, fingerprint, body, created_at) values ('a', 'b', '', '{"a":"\\u0001"}', 1), ('a', 'B', '', '', 1), ('', 'ä', '', '', 1)`,
  "insert into allowed_owners (owner, allowed_at) values ('farcaster:12', 1)",
  `insert into names (platform, platform_user_id, name, address, asked_at, confirmed_at) values
    ('farcaster', '2', '👻.eth', '${seedAddress(5)}', 1, null), ('farcaster', '2', 'b.eth', '${seedAddress(5)}', 1, 9007199254740991)`,
  "insert into blocked_accounts (platform, platform_user_id, blocked_at, reason) values ('farcaster', '12', 1, '')",
  `update accounts set username = 'É', handle = 'É', label_source = 'client', opted_out_at = 5, notifications_off_at = 6 where platform_user_id = '3'`,
  `update gigs set reward_amount = ${HUGE}, how_to_earn = '${ODD}', external_url = '', refund_address = '${seedAddress(5)}', refund_name = '👻.eth' where id = 2`,
  "insert into gig_owners (gig_id, platform, platform_user_id, created_at, added_by) values (1, 'farcaster', '2', 1, 1), (1, 'farcaster', '1', 1, null)",
  'insert into gig_transactions (gig_id, token_id, chain_id, amount, commission_amount, block_number, created_at, check_block) values (1, 1, 8453, 100, 0, 7, 1, null)',
  'insert into gig_payouts (gig_id, part, part_ms, payouts, amount) values (1, 10, 5, 1, 5), (1, 9, 5, 1, 5)',
  // Answered, waiting and leased, waiting behind it.
  mention('1', 1, 'answered'),
  mention('2', 2),
  mention('3', 2, 'received', true),
  "update mentions set lease = 'lease', due_at = 9000 where post_id = '2'",
  `update mentions set text = '${ODD}', last_error = '' where post_id = '3'`,
  "insert into poll_cursors (platform, cursor, updated_at, claimed_at) values ('farcaster', null, 5, 7)",
  `insert into chain_anchors (chain_id, number, hash, at) values (8453, 9007199254740991, '${seedHash(1)}', 5)`,
  `insert into gas_tanks (id, address, created_at) values (1, '${seedAddress(1)}', 1)`,
  'insert into tank_transactions (chain_id, nonce, is_over, created_at) values (8453, 11, false, 1), (8453, 9, true, 1), (1, 3, true, 1)',
  "insert into x402_tokens (token_id, name, version, created_at) values (1, 'USD Coin', '2', 1)",
  `insert into x402_gigs (gig_id, request, fingerprint, created_at) values (1, '${HEX}', '${HEX}', 1)`,
  `insert into deposits (gig_id, chain_id, payer, amount, valid_after, valid_before, nonce, signature, state, settler, signer, transaction_id, kept_block, reason, due_at, created_at, updated_at)
    values (1, 8453, '${seedAddress(1)}', ${HUGE}, 0, 9007199254740991, '${seedHash(1)}', '0x00', 'unused', 'tank', 'key', 1, 9007199254740991, '${ODD}', 1, 1, 1)`,
  `insert into replies (mention_id, platform, author_id, thread_id, kind, text, created_at, state, attempts, due_at, lease)
    values (1, 'farcaster', '1', 't', 'answer', '${ODD}', 1, 'sending', 1, 9000, 'lease')`,
  `insert into replies (mention_id, platform, author_id, thread_id, kind, text, created_at, state, attempts, due_at, gig_id, event)
    values (2, 'farcaster', '2', 't', 'notice', '', 1, 'failed', 1, 5, 1, 'ended')`,
  // One that is held, and one that was sent and timed.
  ...['sent', 'held'].map(
    (
      text,
      index,
    ) => `insert into replies (mention_id, platform, author_id, thread_id, kind, text, created_at, state, attempts, due_at)
      values (${2 + index}, 'farcaster', '2', 't', 'answer', '${text}', 1, 'queued', 0, 5)`,
  ),
  "update replies set held_for = 'thread' where text = 'held'",
  "update replies set state = 'sent', post_id = 'sent', sent_at = 1728000004200 where text = 'sent'",
  `insert into gig_tellings (gig_id, platform, platform_user_id, mention_id, asked, state, told) values (1, 'farcaster', '2', 2, true, 'open', '["started"]')`,
  `insert into owner_links (owner, wallet, post_id, mention_id, created_at, valid_from, ended_at) values
    ('farcaster:1', '${seedAddress(6)}', '1', 1, 1, 5, 6), ('farcaster:1', '${seedAddress(6)}', '2', 2, 6, null, null)`,
  "insert into watches (gig_id, platform, target_kind, target_id, next_at, earned, lease, lease_until) values (1, 'farcaster', 'keyword', '#é', 5, 5, 'lease', 9000)",
  `insert into earning_addresses (gig_id, address, platform, platform_user_id) values (1, '${seedAddress(5)}', 'farcaster', '2')`,
  `insert into earning_texts (gig_id, hash, platform, platform_user_id) values (1, '${HEX}', 'farcaster', '2')`,
  `insert into entries (gig_id, platform, platform_user_id, state, due_at, joined_at, slot, entry_amount, entry_block, entry_hash)
    values (1, 'farcaster', '2', 'entered', 9000, 1, 5, ${HUGE}, 7, '0x${HEX}')`,
  `insert into entry_addresses (gig_id, address, platform, platform_user_id) values (1, '${seedAddress(5)}', 'farcaster', '2')`,
  `insert into entry_draws (gig_id, slot, begun_block, begun_hash, not_before, drawn_at) values (1, 5, 7, '0x${HEX}', 6, 9000)`,
  round(6),
  'update gigs set reserved_amount = 12 where id = 6',
  CLOSE,
  FIX,
  WINNER,
  "insert into alerts (kind, subject, text, remedy, begun_at) values ('gig_frozen', '1', '', '', 1)",
  `insert into alert_deliveries (id, alert_id, news, receiver, state, next_at, queued_at, lease) values ('a', 1, 'begun', 'r', 'queued', 9000, 1, 'lease')`,
  "insert into alert_watch (id, holder, until) values (1, 'one', 9000)",
  `insert into events (uid, seq, type, at, gig_id, client, facts) values ('evt_1', 1, 'gig.ended', 1, 1, '', '{"a":"\\u0001"}')`,
  "insert into events (uid, type, at, gig_id, facts) values ('evt_2', 'gig.ended', 9000, 2, '{}')",
  `insert into webhook_endpoints (client, url, types, salt, old_salt, rotated_at, created_at, from_seq, queued_seq, lease, next_at)
    values ('', '${ODD}', 'gig.ended', 'ab', 'cd', 5, 1, 0, 1, 'lease', 9000)`,
  `insert into event_deliveries (id, event_id, endpoint_id, gig_id, state, next_at, queued_at, lease, replay) values ('a', 1, 1, 1, 'queued', 9000, 1, 'lease', false)`,
  "insert into event_releases (id, holder, until) values (1, 'one', 9000)",
  `insert into notifications (uuid, platform, platform_user_id, kind, gig_id, subject_id, reason, amount, count, state, tries, next_at, lease, queued_at, tried_at, title, body)
    values ('a', 'farcaster', '2', 'tips', 1, 1, null, ${HUGE}, 2, 'queued', 1, 9000, 'lease', 1, 5, '${ODD}', '${ODD}')`,
  `insert into notifications (uuid, platform, platform_user_id, kind, gig_id, subject_id, reason, amount, count, state, next_at, queued_at, ended_at, error)
    values ('b', 'farcaster', '2', 'refused', 1, 1, '', 0, 1, 'failed', 5, 1, 6, '')`,
  'insert into notification_reader (id, seq) values (1, 9007199254740991)',
  "insert into audit_faults (gig_id, chain_id, is_unanswered, reason) values (1, 8453, true, '')",
  `insert into odd_answers (kind, service, method, path, status, basis, body, first_seen_at, last_seen_at, times)
    values ('${'ab'.repeat(32)}', 'X', 'GET', '/2/tweets/*', 403, 'status', '{}', 1, 2, 3)`,
  'insert into write_checks (id, written_at) values (1, 1)',
  "insert into ledger_state (id, word, tip_floor, beat_at) values (1, 'word', 35184372088832, 9000)",
  // A tip whose number the chain has paid to another, a void one, and what all of them come to.
  `insert into tips (id, created_at, gig_id, number, token_id, amount, status, platform, platform_user_id, is_void, voided_at, void_reason)
    values (90, 1, 1, 3, 1, ${HUGE}, 'pending', 'farcaster', '9', true, 1, '')`,
  'update tips set number = 4503599627370497 where id = 1',
  `update gigs set awarded_amount = (select coalesce(sum(amount), 0) from tips where gig_id = gigs.id and not is_void)`,
];

/** Fills an empty database on PostgreSQL with a ledger that has a row in every table. */
export async function seedWhole(client: Client): Promise<void> {
  await seedLedger(client);
  // As a store that is opened does.
  for (const [table, values] of Object.entries(VALUES)) {
    await client.query(`insert into ${table} select unnest($1::text[]) on conflict do nothing`, [values()]);
  }
  for (const statement of REST) await client.query(statement);
  await client.query("select setval('gigs_id_seq', 70)");
}

/** The rows of each table, as JSON in the order of their keys. */
export type Dump = ReadonlyMap<string, readonly string[]>;

function toRow(table: TablePlan, values: Readonly<Record<string, unknown>>): string {
  const cells = table.columns.map(({ name }) => {
    const value = values[name];
    return [name, typeof value === 'boolean' ? String(Number(value)) : value === null ? null : String(value)];
  });
  return JSON.stringify(Object.fromEntries(cells));
}

function isCounting({ columns }: TablePlan, row: string): boolean {
  return !columns.some(({ name }) => name === 'n') || JSON.parse(row).n !== '0';
}

function toDump(read: readonly (readonly [TablePlan, readonly Readonly<Record<string, unknown>>[]])[]): Dump {
  return new Map(
    read.map(([table, rows]) => {
      const texts = rows.map((row) => toRow(table, row)).filter((row) => isCounting(table, row));
      return [table.name, texts.toSorted()];
    }),
  );
}

/** All that a database on PostgreSQL holds, read without the code under test. */
export async function dumpPostgres(client: Client): Promise<Dump> {
  const read: (readonly [TablePlan, Record<string, unknown>[]])[] = [];
  for (const table of PLAN) read.push([table, (await client.query(`select * from ${table.name}`)).rows]);
  return toDump(read);
}

/** The same of a file. */
export function dumpSqlite(path: string): Dump {
  const connection = new SqliteDatabase(path, { readonly: true });
  try {
    return toDump(
      PLAN.map((table) => {
        const rows = connection
          .prepare<[], Record<string, unknown>>(`select * from ${table.name}`)
          .safeIntegers()
          .all();
        return [table, rows] as const;
      }),
    );
  } finally {
    connection.close();
  }
}

/** The tables of a ledger without a row. */
export function emptyTables(dump: Dump): string[] {
  return [...dump].filter(([, rows]) => rows.length === 0).map(([name]) => name);
}

/** Everything but its rows that makes a database what it is: triggers, indices and constraints. */
export async function schemaOfPostgres(client: Client): Promise<unknown> {
  const read = async (text: string) => (await client.query(text)).rows;
  return [
    await read('select tablename, indexdef from pg_indexes where schemaname = current_schema() order by 1, 2'),
    await read(
      `select conrelid::regclass::text as on, conname, convalidated, pg_get_constraintdef(oid) as def from pg_constraint
        where connamespace = current_schema()::regnamespace order by 1, 2`,
    ),
    await read(
      `select tgrelid::regclass::text as on, tgenabled, pg_get_triggerdef(oid) as def from pg_trigger
        where not tgisinternal order by 1, 3`,
    ),
  ];
}

export function schemaOfSqlite(connection: Database): unknown {
  return connection.prepare('select type, name, tbl_name, sql from sqlite_schema order by type, name').all();
}

/** How many tables have rows of their own. */
export const TABLES = COPIED.length;
