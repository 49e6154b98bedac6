import SqliteDatabase from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { prepareGrown } from '../../bench/data/grown.ts';
import { prepareReport, REPORTED_GIG } from '../../bench/data/report.ts';
import { prepareSqlite } from '../../bench/data/sqlite.ts';
import { temporaryFolder } from '../support/store.ts';

test('behavior: the gig of the report has so many tips more, none of which is to be claimed', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const counted = (path: string) => {
    const database = new SqliteDatabase(path, { readonly: true });
    const count = (where: string) =>
      database.prepare<[], number>(`select count(*) from tips where ${where}`).pluck().get() ?? 0;
    const found = { gig: count(`gig_id = ${REPORTED_GIG}`), pending: count("status = 'pending'"), all: count('1') };
    database.close();
    return found;
  };
  const few = counted(await prepareSqlite(folder.path, 10_000));
  const { gig, pending, all } = counted(await prepareReport(folder.path, 7_000));
  expect([gig - few.gig, pending - few.pending, all - few.all]).toEqual([7_000, 0, 7_000]);
});

test('behavior: a grown database has as many rows of everything, its counts are right, and nothing refers to nothing', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const rows = 2_000;
  const { path, gigId } = await prepareGrown(folder.path, rows);
  expect(await prepareGrown(folder.path, rows)).toEqual({ path, gigId });
  const database = new SqliteDatabase(path, { readonly: true });
  onTestFinished(() => void database.close());
  const count = (table: string) => database.prepare<[], number>(`select count(*) from ${table}`).pluck().get();
  for (const table of [
    'payments',
    'mentions',
    'replies',
    'events',
    "audit_events where action = 'tips.award'",
    `tips where gig_id = ${gigId}`,
  ]) {
    expect([table, count(table)]).toEqual([table, rows]);
  }
  expect(database.pragma('foreign_key_check')).toEqual([]);
  expect(
    database.prepare('select subject, state, n from state_counts where n > 0 order by subject').raw().all(),
  ).toEqual([
    ['mentions', 'answered', rows],
    ['payments', 'confirmed', rows],
    ['replies', 'sent', rows],
  ]);
});
