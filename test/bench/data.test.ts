import SqliteDatabase from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
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
