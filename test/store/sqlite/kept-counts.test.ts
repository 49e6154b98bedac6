import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Connections, openConnections } from '../../../src/store/sqlite/connection.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { MIGRATIONS, temporaryFolder } from '../../support/store.ts';

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
    const counted = ['replies', 'payments'].map((table) => `${table}_count_insert`);
    for (const table of ['mentions', 'replies', 'payments']) {
      counted.push(`${table}_count_update`, `${table}_count_delete`);
    }
    expect(names).toEqual(expect.arrayContaining([...counted, 'mentions_next_leads', 'mentions_next_leads_on_delete']));
  });
});

describe('the queue of one author', () => {
  test('security: takes one place among what may be leased, however long it is', async () => {
    const store = await openSqliteStore({ path, migrationsFolder: MIGRATIONS });
    const insert = (number: number, authorId: string) =>
      store.transaction((tx) => {
        const post = `p${number}`;
        const mention = { postId: post, replyTo: post, threadId: post, authorId, authorUsername: null, text: '' };
        return tx.insertMention(
          { version: 1, platform: 'farcaster', postedAt: 1, ...mention },
          { now: number, source: 'webhook' },
        );
      });
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
