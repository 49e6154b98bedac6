import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import type { DurableWay } from '../../domain/settings/database.ts';
import { isPostgres } from '../../domain/settings/database-url.ts';
import { databasePath } from '../open.ts';
import { type Move, type MoveState, READ_MOVE, refuseMove } from '../sql/moves.ts';
import { createReading, type SideReading } from './digest.ts';
import { COPIED, COUNTED, EMPTY_AT_FIRST, PLAN, type TablePlan } from './plan.ts';
import { withPostgresSide } from './postgres-side.ts';
import { refuseDatabase, type Side, type SideOptions } from './side.ts';
import { withSqliteSide } from './sqlite-side.ts';

/** What has been done when {@link CopyOptions.onStep} is called; a copy may break off after each. */
export type CopyStep = 'held' | 'locked' | 'loaded' | 'verified' | 'committed' | 'moved' | 'opened';

interface Reports {
  /** Called after each step, which goes on when the promise settles. */
  readonly onStep?: ((step: CopyStep) => void | Promise<void>) | undefined;
  /** Called after each table that has rows. */
  readonly onTable?: ((table: string, rows: number) => void) | undefined;
  /** Called after some rows were copied, or read again to compare them; they are counted first for it. */
  readonly onRows?: ((work: 'copied' | 'compared', done: number, total: number) => void) | undefined;
}

interface SourceOptions {
  /** The URL of the store that is copied. */
  readonly from: string;
  readonly migrationsFolder: string;
  /** What makes a commit on PostgreSQL last, on either side; the server's own disk when absent. */
  readonly durable?: DurableWay | undefined;
}

export interface CopyOptions extends SourceOptions, Reports {
  /** The URL of an empty database; a file is made if it is missing. */
  readonly to: string;
}

/** How the two sides are called, and how many rows were copied; null when an earlier run had copied them. */
export interface Copied {
  readonly source: string;
  readonly target: string;
  readonly rows: number | null;
}

interface Sides {
  readonly source: Side;
  readonly target: Side;
}

async function runAll(side: Side, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await side.run(statement);
}

/** No other connection writes meanwhile. */
async function transaction<T>(side: Side, work: () => Promise<T>): Promise<T> {
  try {
    await runAll(side, side.begin);
    const result = await work();
    await side.run('commit');
    return result;
  } catch (error) {
    // Where that fails, the transaction has ended, or its connection has.
    await side.run('rollback').catch(() => undefined);
    throw error;
  }
}

async function readMove(side: Side): Promise<Move | undefined> {
  const [row] = await side.run(READ_MOVE);
  if (row === undefined) return undefined;
  const [state, move = '', other = ''] = row.map(String);
  return { state: state as MoveState, move, other };
}

/** Has nothing open a side, and nothing that has opened it write to it, until {@link open}. */
async function close(side: Side, { state, move, other }: Move): Promise<void> {
  await open(side);
  await runAll(
    side,
    side.fences.map(([, make]) => make),
  );
  await side.run('insert into store_moves (id, state, move, other) values (1, $1, $2, $3)', [state, move, other]);
}

async function open(side: Side): Promise<void> {
  await runAll(side, [...side.fences.map(([drop]) => drop), 'delete from store_moves']);
}

async function readAll(
  side: Side,
  tables: readonly TablePlan[],
  reading: SideReading,
  onRows: (rows: number) => void = () => undefined,
): Promise<SideReading> {
  for (const table of tables) {
    for await (const rows of side.rows(table)) {
      reading.add(table, rows);
      onRows(rows.length);
    }
  }
  return reading;
}

/** Has `onRows` called with sums. */
function countRows({ onRows }: Reports, work: 'copied' | 'compared', total: number): (rows: number) => void {
  let done = 0;
  return (rows) => {
    done += rows;
    onRows?.(work, done, total);
  };
}

async function countCopied(side: Side): Promise<number> {
  let count = 0;
  for (const { name } of COPIED) {
    const [row] = await side.run(`select count(*) from ${name}`);
    count += Number(row?.[0] ?? 0);
  }
  return count;
}

async function highestId(side: Side, { name, id }: TablePlan): Promise<bigint> {
  if (id === null) return 0n;
  const [row] = await side.run(side.highestId(name, id));
  return BigInt(row?.[0] ?? 0);
}

async function insertAll({ source, target }: Sides, reports: Reports): Promise<SideReading> {
  const { onTable, onRows } = reports;
  const reading = createReading();
  const onCopied = countRows(reports, 'copied', onRows === undefined ? 0 : await countCopied(source));
  for (const table of COPIED) {
    for await (const rows of source.rows(table)) {
      reading.add(table, rows);
      await target.insert(table, rows).catch((cause: unknown) => {
        const said = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`database ${target.name}: rows of ${table.name} cannot be written: ${said}`, { cause });
      });
      onCopied(rows.length);
    }
    const { rows } = reading.digest(table);
    if (rows > 0) onTable?.(table.name, rows);
    const highest = await highestId(source, table);
    if (table.id !== null && highest > 0n) await runAll(target, target.keepHighestId(table.name, table.id, highest));
  }
  for (const [table, counted] of Object.entries(COUNTED)) await target.run(target.counts(table, counted).insert);
  return await readAll(
    source,
    PLAN.filter(({ name }) => COUNTED[name] !== undefined),
    reading,
  );
}

/** @throws Error naming the target when it is not what was read of the source */
async function verify({ source, target }: Sides, read: SideReading, reports: Reports): Promise<void> {
  const total = PLAN.reduce((sum, table) => sum + read.digest(table).rows, 0);
  const found = await readAll(target, PLAN, createReading(), countRows(reports, 'compared', total));
  for (const table of PLAN) {
    const [there, here] = [read.digest(table), found.digest(table)];
    if (there.rows === here.rows && there.hash === here.hash) continue;
    const shown = [there, here].map(({ rows, hash }) => `${rows} rows of SHA-256 ${hash.slice(0, 16)}…`);
    refuseDatabase(target.name, `${table.name} is not what it is in ${source.name}: ${shown.join(' there, ')} here`);
  }
  const problems = found.problems();
  if (problems.length > 0)
    refuseDatabase(target.name, `the ledger does not add up, as in ${source.name}: ${problems.join('; ')}`);
  for (const table of PLAN.filter(({ name }) => name === 'gigs')) {
    const [given, kept] = [await highestId(source, table), await highestId(target, table)];
    if (kept < given) refuseDatabase(target.name, `the last gig was ${given} in ${source.name}, and is ${kept} here`);
  }
}

/** Runs within a transaction of each side. @returns how many rows were copied */
async function load(sides: Sides, reports: Reports): Promise<number> {
  const { onStep } = reports;
  const { target } = sides;
  const extras = await target.extras();
  const places = PLAN.map(({ name }) => (COUNTED[name] === undefined ? name : target.counts(name, '').table));
  await runAll(target, [...extras.map(([drop]) => drop), ...places.map((table) => `delete from ${table}`)]);
  const read = await insertAll(sides, reports);
  await onStep?.('loaded');
  await verify(sides, read, reports);
  await target.finish();
  await runAll(target, extras.map(([, make]) => make).toReversed());
  await onStep?.('verified');
  return COPIED.reduce((sum, table) => sum + read.digest(table).rows, 0);
}

/** @throws Error naming the side that cannot be copied, or copied to, with what to do */
async function refuseSides({ source, target }: Sides): Promise<void> {
  const [there, here] = [await readMove(source), await readMove(target)];
  refuseMove(there, source.name);
  if (here?.state === 'moved') refuseDatabase(target.name, 'it is a store that was moved itself');
  // The rows of a copy of this source that broke off were never served: they are replaced.
  const isLeft = here?.state === 'arrived' && here.other === source.name;
  const some = EMPTY_AT_FIRST.map(({ name }) => `exists (select 1 from ${name})`).join(' or ');
  if (!isLeft && (here !== undefined || (await target.run(`select 1 where ${some}`)).length > 0)) {
    refuseDatabase(target.name, 'it is not empty; name a new file, or a new and empty database');
  }
  const doubt = await source.findDoubt();
  if (doubt !== null)
    refuseDatabase(source.name, `${doubt}; start the service with it, run reconcile, stop it, and copy then`);
}

/**
 * Copies into a target that cannot be opened, then marks the source. It takes no write until that mark is committed, which comes
 * last: a failure before leaves the source as it was.
 */
async function move(sides: Sides, reports: Reports): Promise<number> {
  const { source, target } = sides;
  const name = randomUUID();
  return await transaction(source, async () => {
    const rows = await transaction(target, async () => {
      await refuseSides(sides);
      await close(source, { state: 'moved', move: name, other: target.name });
      await reports.onStep?.('locked');
      const loaded = await load(sides, reports);
      await close(target, { state: 'arrived', move: name, other: source.name });
      return loaded;
    });
    await reports.onStep?.('committed');
    return rows;
  });
}

/** Copies between two sides that this process holds alone. */
export async function copyBetween(sides: Sides, reports: Reports): Promise<Copied> {
  const { source, target } = sides;
  await reports.onStep?.('held');
  const [there, here] = [await readMove(source), await readMove(target)];
  // An earlier run may have been killed before it could open the target.
  const isMoved = there?.state === 'moved' && here?.state === 'arrived' && here.move === there.move;
  const rows = isMoved ? null : await move(sides, reports);
  await reports.onStep?.('moved');
  await target.prepareToOpen();
  await transaction(target, () => open(target));
  await reports.onStep?.('opened');
  return { source: source.name, target: target.name, rows };
}

/**
 * Gives up a copy that broke off, so that its source can be used as before. This version leaves no mark on the source until the
 * copy is complete; an older one marked it first.
 * @returns how the sides are called; `target` is null when no copy of this store broke off
 * @throws StoreMoved when the store was moved, or is a copy itself
 */
export async function abandonCopy({ from, migrationsFolder, durable }: SourceOptions): Promise<{
  readonly source: string;
  readonly target: string | null;
}> {
  return await withSide({ url: from, migrationsFolder, durable, isTarget: false, isAnyVersion: true }, (source) =>
    transaction(source, async () => {
      const mark = await readMove(source);
      if (mark?.state !== 'moving') refuseMove(mark, source.name);
      await open(source);
      return { source: source.name, target: mark?.other ?? null };
    }),
  );
}

async function withSide<T>(options: SideOptions, work: (side: Side) => Promise<T>): Promise<T> {
  if (isPostgres(options.url)) return await withPostgresSide(options, work);
  return await withSqliteSide(databasePath(options.url), options, work);
}

/** One process cannot lock a file twice, so two names of one file are refused first. PostgreSQL itself refuses the same database. */
function refuseSameFile(from: string, to: string): void {
  if (isPostgres(from) || isPostgres(to)) return;
  const [one, other] = [from, to].map((url) => statSync(databasePath(url), { throwIfNoEntry: false }));
  if (one === undefined || other === undefined || one.dev !== other.dev || one.ino !== other.ino) return;
  refuseDatabase(databasePath(to), 'it is the database of DATABASE_URL itself');
}

/**
 * Copies a store into an empty database and has nothing open the old one again. When it breaks off before that, the old one can
 * be used as before, and running it again begins anew.
 * @throws Error naming one of the databases
 */
export async function copyStore({ from, to, migrationsFolder, durable, ...reports }: CopyOptions): Promise<Copied> {
  refuseSameFile(from, to);
  return await withSide({ url: from, migrationsFolder, durable, isTarget: false }, (source) =>
    withSide({ url: to, migrationsFolder, durable, isTarget: true }, (target) =>
      copyBetween({ source, target }, reports),
    ),
  );
}
