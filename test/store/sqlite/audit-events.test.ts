import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestStore } from '../../support/database.ts';

let opened: Awaited<ReturnType<typeof openTestStore>>;
let sql: Database;

beforeEach(async () => {
  opened = await openTestStore();
  sql = new SqliteDatabase(opened.database.url);
  sql.exec(`insert into audit_events (at, actor, actor_name, action, subject, subject_id, detail)
    values (1, 'job', 'payments', 'gig.freeze', 'gig', '7', '{}')`);
});

afterEach(async () => {
  sql.close();
  await opened.close();
});

test('security: an audit event cannot be changed, deleted or replaced, not even by raw SQL', async () => {
  const columns = sql.prepare<[], string>("select name from pragma_table_info('audit_events')").pluck().all();
  expect(columns).toHaveLength(12);
  for (const column of columns) {
    const change = `update audit_events set ${column} = ${column}`;
    expect(() => sql.exec(change), column).toThrow('an audit event cannot be changed');
  }
  expect(() => sql.exec('delete from audit_events')).toThrow('an audit event cannot be deleted');
  const replace = 'insert or replace into audit_events select * from audit_events';
  expect(() => sql.exec(replace)).toThrow('an audit event cannot be replaced');
  expect(await opened.store.auditEvents({ limit: 9 })).toHaveLength(1);
});

test('error: what is no JSON or no kind of actor is refused', () => {
  const insert = (actor: string, detail: string) =>
    sql.exec(`insert into audit_events (at, actor, actor_name, action, subject, subject_id, detail)
      values (1, '${actor}', 'x', 'gig.freeze', 'gig', '7', '${detail}')`);
  expect(() => insert('stranger', '{}')).toThrow('audit_events_actor');
  expect(() => insert('job', '{')).toThrow('audit_events_detail');
});
