import { join } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Connections, openConnections } from '../../../src/store/sqlite/connection.ts';
import { migrate } from '../../../src/store/sqlite/migrations.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { firstMigrations, MIGRATIONS, seedAddress, temporaryFolder } from '../../support/store.ts';

/** How many migrations there were before counts and sums were kept. */
const EARLIER = 12;
const MOST = 2n ** 256n - 1n;

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
let connections: Connections | undefined;

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, 'gigclaim.db');
});

afterEach(() => {
  connections?.close();
  connections = undefined;
  folder.remove();
});

function open(): Database {
  connections = openConnections({ path, migrationsFolder: MIGRATIONS });
  return connections.writer.$client;
}

function addMentions(db: Database, rows: readonly (readonly [author: string, state: string])[]): void {
  const account = db.prepare(
    "insert or ignore into accounts (platform, platform_user_id, created_at) values ('farcaster', ?, 1)",
  );
  const mention = db.prepare(`insert into mentions (version, platform, post_id, reply_to, thread_id, author_id, text,
      posted_at, received_at, source, state, attempts, due_at)
    values (1, 'farcaster', 'p' || (select count(*) from mentions), 'r', 't', ?, 'hello', 2, 3, 'poll', ?, 0, 5)`);
  db.transaction(() => {
    for (const [author, state] of rows) {
      account.run(author);
      mention.run(author, state);
    }
  })();
}

function addReplies(db: Database, states: readonly string[]): void {
  const reply =
    db.prepare(`insert into replies (mention_id, platform, author_id, thread_id, kind, text, created_at, state,
      attempts, post_id, sent_at, due_at) values (?, 'farcaster', '7', 't', 'answer', 'hi', 6, ?, 0, ?, ?, 8)`);
  for (const [place, state] of states.entries()) {
    const sent = state === 'sent' ? 9 : null;
    reply.run(place + 1, state, sent === null ? null : `s${place}`, sent);
  }
}

/** Gigs whose window is [1000, 1300], as the earlier version stored them. */
function addGigs(db: Database, count: number): void {
  db.exec(`insert into tokens values (1, 1, '${seedAddress(0xa)}', 8453, 18, 'Degen', 'DEGEN', '', 0, null);
    insert or ignore into accounts (platform, platform_user_id, created_at) values ('farcaster', '7', 1);
    insert into claims (public_id, platform, platform_user_id, post_id, recipient, created_at)
      values ('c', 'farcaster', '7', 'p', '${seedAddress(0xb)}', 1)`);
  const gig = db.prepare(
    `insert into gigs (created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration,
      gig_type, platform, wallet_address) values (1, 'live', 1, 1, '1', '1', 1000, 1300, 300, 'mention', 'farcaster', ?)`,
  );
  for (let i = 1; i <= count; i++) gig.run(seedAddress(i));
}

/** Confirmed payouts of each gig: when they were final, and what they moved. */
function addPayouts(db: Database, gigs: readonly (readonly (readonly [at: number, amount: bigint])[])[]): void {
  addGigs(db, gigs.length);
  let nonce = 0;
  const payout =
    db.prepare(`insert into transfers (kind, chain_id, sender, gig_id, claim_id, token_id, recipient, amount,
      state, nonce, hash, block_number, gas_spent, created_at, updated_at)
    values (?, 8453, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, 1, ?)`);
  const add = (gigId: number, fields: { kind: string; state: string; at: number; amount: bigint }) => {
    const { kind, state, at, amount } = fields;
    nonce += 1;
    const landed = state === 'confirmed' ? [`0x${nonce.toString(16).padStart(64, '0')}`, '1', '1'] : [null, null, null];
    const claimId = kind === 'payout' ? 1 : null;
    const head = [kind, seedAddress(nonce), gigId, claimId, seedAddress(0xb), String(amount), state];
    payout.run(...head, state === 'planned' ? null : nonce, ...landed, at);
  };
  db.transaction(() => {
    for (const [place, payouts] of gigs.entries()) {
      for (const [at, amount] of payouts) add(place + 1, { kind: 'payout', state: 'confirmed', at, amount });
      // None of these is a payout that was made.
      add(place + 1, { kind: 'fee', state: 'confirmed', at: 1000, amount: 10_000n });
      add(place + 1, { kind: 'payout', state: 'planned', at: 1000, amount: 20_000n });
      add(place + 1, { kind: 'payout', state: 'broadcast', at: 1000, amount: 40_000n });
    }
  })();
}

function makeEarlier(fill: (db: Database) => void): void {
  const earlier = new SqliteDatabase(path);
  migrate(earlier, { folder: firstMigrations(folder.path, EARLIER), path });
  fill(earlier);
  earlier.close();
}

describe('a database from before counts and sums were kept', () => {
  test('behavior: counts its mentions, replies and transfers by state', async () => {
    makeEarlier((db) => {
      const states = ['received', 'received', 'answered', 'ignored', 'answered', 'failed', 'answered'];
      addMentions(
        db,
        states.map((state) => ['7', state]),
      );
      addReplies(db, ['queued', 'sent', 'sent', 'unknown', 'failed', 'sending']);
      addPayouts(db, [[[1000, 1n]], []]);
    });
    const store = await openSqliteStore({ path, migrationsFolder: MIGRATIONS });
    expect(await store.mentionDepths()).toEqual({ received: 2, answered: 3, ignored: 1, failed: 1 });
    expect(await store.queueDepths()).toEqual({
      mentions: 2,
      replies: { queued: 1, sending: 1, sent: 2, failed: 1, unknown: 1 },
    });
    expect(await store.transferDepths()).toEqual({
      planned: 2,
      signed: 0,
      broadcast: 2,
      confirmed: 3,
      failed: 0,
      replaced: 0,
    });
    await store.close();
  });

  test('behavior: sums each gig’s confirmed payouts over parts of its time, to the base unit', async () => {
    makeEarlier((db) =>
      addPayouts(db, [
        [],
        [
          [1000, 1n],
          [1009, 2n],
          [1010, 999_999_999_999_999_999n],
          [1019, 1n],
          [1299, 7n],
        ],
        // The last one makes the parts 20 ms long, the next gig's makes them 160.
        [
          [1000, MOST],
          [1010, MOST],
          [1300, 5n],
        ],
        [
          [900, 3n],
          [3400, 4n],
        ],
        Array.from({ length: 1_500 }, () => [1000, MOST] as const),
      ]),
    );
    const store = await openSqliteStore({ path, migrationsFolder: MIGRATIONS });
    const found = [];
    for (const id of [1, 2, 3, 4, 5]) found.push(await store.paidByGig(id));
    expect(found).toEqual([
      null,
      {
        partMs: 10,
        parts: [
          { part: 0, payouts: 2, amount: 3n },
          { part: 1, payouts: 2, amount: 1_000_000_000_000_000_000n },
          { part: 29, payouts: 1, amount: 7n },
        ],
      },
      {
        partMs: 20,
        parts: [
          { part: 0, payouts: 2, amount: 2n * MOST },
          { part: 15, payouts: 1, amount: 5n },
        ],
      },
      {
        partMs: 160,
        parts: [
          { part: 0, payouts: 1, amount: 3n },
          { part: 15, payouts: 1, amount: 4n },
        ],
      },
      { partMs: 10, parts: [{ part: 0, payouts: 1_500, amount: 1_500n * MOST }] },
    ]);
    // With the fee.
    expect(await store.amountPaidByGig(2)).toBe(1_000_000_000_000_010_010n);
    await store.close();
  });

  test('behavior: lets each author’s oldest waiting mention lead, and no other', async () => {
    makeEarlier((db) =>
      addMentions(db, [
        ['7', 'answered'],
        ['7', 'received'],
        ['8', 'received'],
        ['7', 'received'],
        ['8', 'received'],
      ]),
    );
    const db = open();
    expect(db.prepare('select id from mentions where behind = 1').pluck().all()).toEqual([4, 5]);
  });
});

describe('the kept counts', () => {
  test('behavior: follow statements that no method of the store makes', () => {
    const db = open();
    const counts = () =>
      db
        .prepare("select state || ' ' || n from state_counts where subject = 'mentions' and n > 0 order by state")
        .pluck()
        .all();
    addMentions(
      db,
      ['7', '7', '7', '7'].map((author) => [author, 'received']),
    );
    // Those that wait are counted in their index.
    expect(counts()).toEqual([]);
    db.exec("update mentions set state = 'failed' where id < 3");
    db.exec("update mentions set state = 'answered' where id in (1, 3)");
    expect(counts()).toEqual(['answered 2', 'failed 1']);
    db.exec("update mentions set state = 'received' where id = 2");
    db.exec('delete from mentions where id in (1, 4)');
    expect(counts()).toEqual(['answered 1']);
    expect(db.prepare('select state from mentions order by id').pluck().all()).toEqual(['received', 'answered']);
  });

  test('behavior: every table that is counted has its triggers', () => {
    const names = open().prepare("select name from sqlite_schema where type = 'trigger' order by name").pluck().all();
    const counted = ['replies', 'transfers'].map((table) => `${table}_count_insert`);
    for (const table of ['mentions', 'replies', 'transfers']) {
      counted.push(`${table}_count_update`, `${table}_count_delete`);
    }
    expect(names).toEqual(expect.arrayContaining([...counted, 'mentions_next_leads', 'mentions_next_leads_on_delete']));
  });
});

describe('the queue of one author', () => {
  test('security: takes one place among what may be leased, however long it is', async () => {
    const store = await openSqliteStore({ path, migrationsFolder: MIGRATIONS });
    const insert = (number: number, authorId: string) =>
      store.transaction(
        (tx) => {
          const post = `p${number}`;
          const mention = { postId: post, replyTo: post, threadId: post, authorId, authorUsername: null, text: '' };
          return tx.insertMention(
            { version: 1, platform: 'farcaster', postedAt: 1, ...mention },
            { now: number, source: 'webhook' },
          );
        },
        { repeatable: true },
      );
    await Promise.all(Array.from({ length: 2_000 }, (_, number) => insert(number, '7')));
    await insert(2_000, '8');
    await store.close();
    const db = open();
    const visited =
      "select id from mentions indexed by mentions_due where mentions.state = 'received' and mentions.behind = 0";
    expect(db.prepare(visited).pluck().all()).toEqual([1, 2001]);
  });

  test('behavior: the next of an author leads when an operator deletes the first', () => {
    const db = open();
    addMentions(db, [
      ['7', 'received'],
      ['7', 'received'],
    ]);
    db.exec('update mentions set behind = 1 where id = 2');
    db.exec('delete from mentions where id = 1');
    expect(db.prepare('select behind from mentions').pluck().all()).toEqual([0]);
  });

  test('behavior: the next that leads is found in an index', () => {
    const plan = open()
      .prepare<[], { detail: string }>(
        "explain query plan select min(id) from mentions where state = 'received' and platform = 'x' and author_id = '7'",
      )
      .all();
    expect(plan.map(({ detail }) => detail)).toEqual([
      'SEARCH mentions USING COVERING INDEX mentions_waiting_by_author (platform=? AND author_id=?)',
    ]);
  });
});
