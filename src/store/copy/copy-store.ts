import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { isPostgres } from '../../domain/database-url.ts';
import { databasePath } from '../open.ts';
import type { Move } from '../sql/moves.ts';
import { createReading, type SideReading } from './digest.ts';
import { type EndOptions, type EndReads, type Loading, refuseDatabase, type StoreEnd } from './end.ts';
import { COPIED, PLAN, type TablePlan } from './plan.ts';
import { withPostgresEnd } from './postgres-end.ts';
import { withSqliteEnd } from './sqlite-end.ts';

/** What has been done when {@link CopyOptions.onStep} is called; a copy may break off after each. */
export type CopyStep = 'held' | 'marked' | 'fenced' | 'loaded' | 'verified' | 'committed' | 'moved' | 'opened';

export interface CopyOptions {
  /** The URL of the store that is copied. */
  readonly from: string;
  /** The URL of an empty database; a file is made if it is missing. */
  readonly to: string;
  readonly migrationsFolder: string;
  /** Called after each step, which goes on when the promise settles. */
  readonly onStep?: ((step: CopyStep) => void | Promise<void>) | undefined;
  /** Called after each table that has rows. */
  readonly onTable?: ((table: string, rows: number) => void) | undefined;
}

/** How the two sides are called, and how many rows were copied; null when an earlier run had copied them. */
export interface Copied {
  readonly source: string;
  readonly target: string;
  readonly rows: number | null;
}

async function withEnd<T>(options: EndOptions, work: (end: StoreEnd) => Promise<T>): Promise<T> {
  if (isPostgres(options.url)) return await withPostgresEnd(options, work);
  return await withSqliteEnd(databasePath(options.url), options, work);
}

/** A file cannot be locked twice, so that it is told before. PostgreSQL tells of its databases itself. */
function refuseSameFile(from: string, to: string): void {
  if (isPostgres(from) || isPostgres(to)) return;
  const [one, other] = [from, to].map((url) => statSync(databasePath(url), { throwIfNoEntry: false }));
  if (one === undefined || other === undefined || one.dev !== other.dev || one.ino !== other.ino) return;
  refuseDatabase(databasePath(to), 'it is the database of DATABASE_URL itself');
}

/** Reads all tables of a side; gives what it holds. */
async function readAll(end: EndReads, tables: readonly TablePlan[], reading: SideReading): Promise<void> {
  for (const table of tables) {
    for await (const rows of end.rows(table)) reading.add(table, rows);
  }
}

interface Inserting {
  /** How the target is called. */
  readonly target: string;
  readonly loading: Loading;
  readonly reading: SideReading;
  readonly onTable: CopyOptions['onTable'];
}

async function insertAll(source: StoreEnd, { target, loading, reading, onTable }: Inserting): Promise<number> {
  let total = 0;
  for (const table of COPIED) {
    for await (const rows of source.rows(table)) {
      reading.add(table, rows);
      await loading.insert(table, rows).catch((cause: unknown) => {
        const said = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`database ${target}: rows of ${table.name} cannot be written: ${said}`, { cause });
      });
    }
    const { rows } = reading.digest(table);
    if (rows > 0) onTable?.(table.name, rows);
    total += rows;
    await loading.keepHighestId(table, await source.highestId(table));
  }
  return total;
}

/** @throws Error naming the target when it is not what the source is */
async function verify(
  source: StoreEnd,
  { target, loading, read }: { target: string; loading: Loading; read: SideReading },
) {
  const counted = PLAN.filter((table) => !COPIED.includes(table));
  await readAll(source, counted, read);
  const found = createReading();
  await readAll(loading, PLAN, found);
  for (const table of PLAN) {
    const [there, here] = [read.digest(table), found.digest(table)];
    if (there.rows === here.rows && there.hash === here.hash) continue;
    const shown = [there, here].map(({ rows, hash }) => `${rows} rows of SHA-256 ${hash.slice(0, 16)}…`);
    refuseDatabase(target, `${table.name} is not what it is in ${source.name}: ${shown.join(' there, ')} here`);
  }
  const problems = found.problems();
  if (problems.length > 0)
    refuseDatabase(target, `the ledger does not add up, as in ${source.name}: ${problems.join('; ')}`);
  if (found.nextNonces() !== read.nextNonces()) refuseDatabase(target, 'the next nonces are others');
  for (const table of PLAN.filter(({ name }) => name === 'gigs')) {
    const [given, kept] = [await source.highestId(table), await loading.highestId(table)];
    if (kept < given) refuseDatabase(target, `the last gig was ${given} in ${source.name}, and is ${kept} here`);
  }
}

/** Moves the rows, in one transaction of the target. */
async function load(
  { source, target, move }: { source: StoreEnd; target: StoreEnd; move: string },
  { onStep, onTable }: Pick<CopyOptions, 'onStep' | 'onTable'>,
): Promise<number> {
  let total = 0;
  await target.load({ move, from: 'arriving', to: 'arrived' }, (loading) =>
    source.snapshot(async () => {
      const read = createReading();
      total = await insertAll(source, { target: target.name, loading, reading: read, onTable });
      await loading.count();
      await onStep?.('loaded');
      await verify(source, { target: target.name, loading, read });
      await loading.endLeases();
      await onStep?.('verified');
    }),
  );
  return total;
}

/** Whether both are sides of one copy whose rows are there. @throws Error when the source was moved elsewhere */
function isLoaded(source: StoreEnd, { there, here }: { there: Move | undefined; here: Move | undefined }): boolean {
  if (there?.state === 'arriving' || there?.state === 'arrived') {
    refuseDatabase(source.name, `it is itself a copy that is not finished, of ${there.other}`);
  }
  const isOne = here?.state === 'arrived' && here.move === there?.move;
  if (there?.state === 'moved' && !isOne) refuseDatabase(source.name, `it was moved to ${there.other} already`);
  return isOne;
}

/** Copies between two sides that this process holds alone. */
export async function copyBetween(
  { source, target }: { source: StoreEnd; target: StoreEnd },
  { onStep, onTable }: Pick<CopyOptions, 'onStep' | 'onTable'>,
): Promise<Copied> {
  await onStep?.('held');
  const there = await source.readMove();
  const here = await target.readMove();
  const wasLoaded = isLoaded(source, { there, here });
  // A new name, so that another target of an earlier run can never be finished.
  const move = wasLoaded && there !== undefined ? there.move : randomUUID();
  let rows: number | null = null;
  if (!wasLoaded) {
    if (here?.state === 'moving' || here?.state === 'moved')
      refuseDatabase(target.name, `it is a store that was moved itself`);
    if (!(await target.isEmpty())) {
      refuseDatabase(target.name, 'it is not empty; name a new file, or a new and empty database');
    }
    const doubt = await source.findDoubt();
    if (doubt !== null) {
      const remedy =
        'start the service with it, run reconcile, stop it, and copy then; --abandon first if a copy broke off';
      refuseDatabase(source.name, `${doubt}; ${remedy}`);
    }
    await source.fence({ state: 'moving', move, other: target.name });
    await onStep?.('marked');
    await target.fence({ state: 'arriving', move, other: source.name });
    await onStep?.('fenced');
    rows = await load({ source, target, move }, { onStep, onTable });
    await onStep?.('committed');
  }
  await target.settle();
  // From here on only the target may be used; it can be once the source says so.
  if (there?.state !== 'moved') await source.advance({ move, from: 'moving', to: 'moved' });
  await onStep?.('moved');
  await target.open({ move, state: 'arrived' });
  await onStep?.('opened');
  return { source: source.name, target: target.name, rows };
}

/**
 * Copies a store into an empty database and has nobody open the old one again. When it breaks off at any point, running it
 * again finishes it.
 * @throws Error naming one of the databases
 */
export async function copyStore({ from, to, migrationsFolder, ...rest }: CopyOptions): Promise<Copied> {
  refuseSameFile(from, to);
  return await withEnd({ url: from, migrationsFolder, isTarget: false }, (source) =>
    withEnd({ url: to, migrationsFolder, isTarget: true }, (target) => copyBetween({ source, target }, rest)),
  );
}

/** Gives up a copy that broke off: its source can be used as before. @throws Error naming the database */
export async function abandonCopy({ from, migrationsFolder }: Pick<CopyOptions, 'from' | 'migrationsFolder'>) {
  return await withEnd({ url: from, migrationsFolder, isTarget: false, isAnyVersion: true }, async (source) => {
    const move = await source.readMove();
    if (move === undefined) refuseDatabase(source.name, 'no copy of it is under way');
    if (move.state === 'moved') refuseDatabase(source.name, `it was moved to ${move.other}, which may be used already`);
    if (move.state !== 'moving')
      refuseDatabase(source.name, `it is a copy itself; run --abandon where DATABASE_URL names ${move.other}`);
    await source.open({ move: move.move, state: 'moving' });
    return { source: source.name, target: move.other };
  });
}
