import { copyFileSync, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { GIGS, TIPS_OF_A_USER, tipColumns, usersOf } from './rows.ts';
import { insert, numbers, prepareSqlite } from './sqlite.ts';

const FEW_TIPS = 10_000;
/** Refuses tips of a settled gig: a service that was measured before on the few has settled all of them, whose time is over. */
const REFUSES_TIPS = 'tips_before_settlement';
/** The one of the gigs that has so many tips. */
export const REPORTED_GIG = GIGS;

/**
 * A database with few tips to look up, and one gig with so many more that are paid; made once in `folder` and kept there.
 * @returns its path
 */
export async function prepareReport(folder: string, lines: number): Promise<string> {
  const few = await prepareSqlite(folder, FEW_TIPS);
  const path = join(folder, `report-${lines}.db`);
  if (existsSync(path)) return path;
  const draft = `${path}.draft`;
  copyFileSync(few, draft);
  const database = new SqliteDatabase(draft);
  database.pragma('synchronous = OFF');
  const users = usersOf(FEW_TIPS);
  // After the pending ones of all users come paid ones.
  const pending = (users * TIPS_OF_A_USER) / 2;
  const first = 2 * FEW_TIPS;
  const columns = { ...tipColumns(users), gig_id: String(REPORTED_GIG), number: `${first} + i`, token_id: '2' };
  const refusing = database.prepare<[string], { sql: string }>('select sql from sqlite_schema where name = ?');
  const trigger = refusing.get(REFUSES_TIPS);
  if (trigger === undefined) throw new Error(`the database has no trigger ${REFUSES_TIPS}`);
  database.transaction(() => {
    database.exec(`drop trigger ${REFUSES_TIPS}`);
    database.prepare('update gigs set next_tip_number = ? where id = ?').run(first + pending + lines, REPORTED_GIG);
    const series = `(select i + ${pending} as i from ${numbers('i', lines)})`;
    database.exec(insert('tips', columns, series));
    database.exec(trigger.sql);
  })();
  database.close();
  renameSync(draft, path);
  return path;
}
