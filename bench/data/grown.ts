import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { MNEMONIC } from '../../sandbox/people.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import { prepareLedger } from './ledger.ts';
import { ACCOUNT, CHAIN_ID, GIGS, TOKENS_MADE_AT, usersOf } from './rows.ts';
import { insert, numbers, prepareSqlite } from './sqlite.ts';

/** A database that has grown. */
export interface Grown {
  readonly path: string;
  /** The gig that has as many tips as there are rows; the others have the ids up to {@link GIGS}. */
  readonly gigId: number;
}

const DAY_MS = 86_400_000;
/** Over so many days payments were confirmed. */
const DAYS = 300;
/** All gigs run until then, 1 January 2100. */
const END = 4_102_444_800_000;
/** On the chain of the bench: awards ask it nothing. */
const TOKEN = {
  address: '0x00000000000000000000000000000000000ea123',
  name: 'Grown',
  symbol: 'GROWN',
  decimals: 18,
} as const;
const TABLES = ['tips', 'claims', 'payments', 'mentions', 'replies', 'events', 'audit_events'];

/** SQL: the address or hash with this number. */
function hex(number: string, digits: number): string {
  return `'0x' || printf('%0${digits}x', ${number})`;
}

/** Who got the payment with this number, from 0, and the hash of its transaction. */
export function grownRecipient(number: number): string {
  return `0x${number.toString(16).padStart(40, '0')}`;
}
export function grownHash(number: number): string {
  return `0x${number.toString(16).padStart(64, '0')}`;
}

/** SQL: a post of these rows; others begin with a time or with zeros. */
const POST = `'0xff' || printf('%038x', i)`;

/** Everybody of the look-ups' accounts in turn. */
function accountOf(users: number) {
  const { platform, platform_user_id: id } = ACCOUNT;
  const of = (text: string) => text.replaceAll(/\bu\b/g, `(i % ${users})`);
  return { platform: of(platform), id: of(id) };
}

function fillPayments(database: Database, rows: number): void {
  const { platform, id } = accountOf(usersOf(rows));
  const at = `${TOKENS_MADE_AT} + i * ${DAYS * DAY_MS} / ${rows}`;
  const recipient = hex('i', 40);
  const claim = { id: '1 + i', public_id: "'grown-' || i", platform, platform_user_id: id, post_id: POST };
  database.exec(insert('claims', { ...claim, recipient, created_at: at }, numbers('i', rows)));
  const gig = `(1 + i % ${GIGS})`;
  const of = { id: '1 + i', kind: "'payout'", chain_id: String(CHAIN_ID), gig_id: gig, claim_id: '1 + i' };
  const paid = { token_id: `1 + (${gig} - 1) % 2`, recipient, amount: "'1500000'", state: "'confirmed'" };
  const landed = { numbers: 'cast(i as text)', hash: hex('i', 64), block_number: '1', gas_used: '60000' };
  const times = { due_at: at, created_at: at, updated_at: at };
  database.exec(insert('payments', { ...of, ...paid, ...landed, ...times }, numbers('i', rows)));
}

function fillMentions(database: Database, rows: number): void {
  const { platform, id } = accountOf(usersOf(rows));
  const at = `${TOKENS_MADE_AT} + i`;
  const author = { platform, author_id: id, thread_id: POST };
  const asked = { id: '1 + i', version: '1', post_id: POST, reply_to: POST, text: "'@gigclaim claims'", posted_at: at };
  const answered = { received_at: at, source: "'webhook'", state: "'answered'", attempts: '1', due_at: at };
  database.exec(insert('mentions', { ...author, ...asked, ...answered }, numbers('i', rows)));
  const reply = { mention_id: '1 + i', kind: "'answer'", text: "'No tips yet.'", created_at: at, attempts: '1' };
  const sent = { state: "'sent'", post_id: `'0xfe' || printf('%038x', i)`, sent_at: at, due_at: at };
  database.exec(insert('replies', { ...author, ...reply, ...sent }, numbers('i', rows)));
  // Triggers count what is changed, and the store what is stored.
  database.exec(`insert into state_counts (subject, state, n) values ('mentions', 'answered', ${rows})`);
}

function fillTrail(database: Database, rows: number): void {
  const gig = `1 + i % ${GIGS}`;
  const at = `${TOKENS_MADE_AT} + i`;
  const facts = `'{"count":1,"sum":"1","first_tip_id":1,"last_tip_id":1}'`;
  const event = { id: '1 + i', uid: "'grown-' || i", seq: '1 + i', type: "'tips.awarded'", at, gig_id: gig, facts };
  database.exec(insert('events', event, numbers('i', rows)));
  const deed = { at, actor: "'operator'", actor_name: "'bench'", action: "'tips.award'", detail: `'{"count":1}'` };
  const subject = { subject: "'gig'", subject_id: `cast(${gig} as text)`, gig_id: gig };
  database.exec(insert('audit_events', { ...deed, ...subject }, numbers('i', rows)));
}

/** Half of them are paid; they are small against the reward. */
function fillGig(database: Database, { gigId, rows }: { gigId: number; rows: number }): void {
  const { platform, id } = accountOf(usersOf(rows));
  const at = `${TOKENS_MADE_AT} + i`;
  const half = (value: string) => `case when i < ${rows / 2} then ${value} end`;
  const status = `case when i < ${rows / 2} then 'claimed' else 'pending' end`;
  const token = `(select token_id from gigs where id = ${gigId})`;
  const tip = { gig_id: String(gigId), number: 'i', token_id: token, amount: "'1'", created_at: at, status };
  const paid = { platform, platform_user_id: id, tx_hash: half(hex('i', 64)), claimed_at: half(at) };
  database.exec(`update gigs set next_tip_number = ${rows}, awarded_amount = '${rows}' where id = ${gigId}`);
  database.exec(insert('tips', { ...tip, ...paid }, numbers('i', rows)));
}

/** Each index is built at once instead of with every row, and live gigs can be changed. */
function withoutIndices(database: Database, fill: () => void): void {
  const named = TABLES.map((table) => `'${table}'`).join(', ');
  const dropped = database
    .prepare<[], { type: string; name: string; sql: string }>(
      `select type, name, sql from sqlite_schema where sql is not null and
        (type = 'index' and tbl_name in (${named}) or type = 'trigger' and tbl_name = 'gigs' and sql like '%raise(abort%')`,
    )
    .all();
  for (const { type, name } of dropped) database.exec(`drop ${type} ${name}`);
  fill();
  for (const { sql } of dropped) database.exec(sql);
}

/** Fills a new file. */
async function write(draft: string, rows: number): Promise<void> {
  const plan = { wallets: createWallets(MNEMONIC), chainId: 31_337, token: TOKEN, recipient: null };
  const [gigId = 0] = await prepareLedger(draft, { ...plan, gigs: 1, payments: 0, reward: 10n ** 24n });
  const database = new SqliteDatabase(draft);
  database.pragma('foreign_keys = OFF');
  database.pragma('journal_mode = DELETE');
  database.pragma('synchronous = OFF');
  database.pragma('cache_size = -500000');
  database.transaction(() => {
    withoutIndices(database, () => {
      database.exec(`update gigs set end_time = ${END}, duration = ${END} - start_time`);
      fillGig(database, { gigId, rows });
      for (const fill of [fillPayments, fillMentions, fillTrail]) fill(database, rows);
    });
  })();
  database.close();
}

function newestGig(path: string): number {
  const database = new SqliteDatabase(path, { readonly: true });
  const id = database.prepare<[], number>('select max(id) from gigs').pluck().get();
  database.close();
  return id ?? 0;
}

/**
 * A database in which everything has grown together: so many tips of {@link GIGS} gigs, which are looked up, as many of one gig,
 * and as many payments, mentions with their replies, events and entries of the audit trail. Made once in `folder` and kept there.
 */
export async function prepareGrown(folder: string, rows: number): Promise<Grown> {
  const path = join(folder, `grown-${rows}.db`);
  if (!existsSync(path)) {
    // Files of the look-ups are served, and so changed; this one begins with one that is not.
    const base = await prepareSqlite(join(folder, 'grown'), rows);
    const draft = `${path}.draft`;
    rmSync(draft, { force: true });
    renameSync(base, draft);
    await write(draft, rows);
    renameSync(draft, path);
  }
  return { path, gigId: newestGig(path) };
}
