import SqliteDatabase from 'better-sqlite3';
import pg from 'pg';
import { POSTGRES_LOOKUP, SQLITE_BY_FID, SQLITE_BY_HANDLE, TABLES } from '../rivals/lookup-queries.ts';

/** To read fewer rows than this from beginning to end can be what is fastest, and no database needs an index for it. */
const LARGE = 5_000;

/** @throws Error with the whole plan when one of its lines reads a large table from beginning to end */
function assertNone(rival: string, scans: readonly string[], plan: string): void {
  if (scans.length === 0) return;
  throw new Error(`${rival} does not answer from an index (${scans.join('; ')}); its plan:\n${plan}`);
}

/** What is called a table in a query may be its short name there; what is neither is taken for large. */
function isLarge(rows: ReadonlyMap<string, number>, name: string): boolean {
  const tables: Readonly<Record<string, string>> = TABLES;
  return (rows.get(tables[name] ?? name) ?? Number.POSITIVE_INFINITY) >= LARGE;
}

/**
 * Reads the plan of a query on the filled file.
 * @throws Error when it has a SCAN of a large table, also one over an index, or when SQLite makes the plan anew at each run
 */
export function assertSqliteIndexed(rival: string, path: string, query: string): void {
  if (/ = \?/.test(query) && / (join|order by) /.test(query)) {
    throw new Error(`${rival} has its plan made at each run, because it says = ? beside a join or a sort: say in (?)`);
  }
  const database = new SqliteDatabase(path, { readonly: true });
  try {
    const rows = new Map(
      Object.values(TABLES).map((table) => {
        const counted = database.prepare<[], number>(`select count(*) from ${table}`).pluck().get();
        return [table, counted ?? 0] as const;
      }),
    );
    const plan = database
      .prepare<[string], { detail: string }>(`explain query plan ${query}`)
      .all('1')
      .map(({ detail }) => detail);
    const scans = plan.filter((line) => {
      const name = /^SCAN (\S+)/.exec(line)?.[1];
      return name !== undefined && isLarge(rows, name);
    });
    assertNone(rival, scans, plan.join('\n'));
  } finally {
    database.close();
  }
}

/** A step of PostgreSQL's plans, as `EXPLAIN (FORMAT JSON)` tells it. */
export interface PlanStep {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanStep[];
}

/**
 * The steps that read a large table, or an index of it, from beginning to end.
 * @param outer the table of the step around, which an index has that is read for a bitmap
 */
export function wholeTables(step: PlanStep, rows: ReadonlyMap<string, number>, outer?: string): string[] {
  const { 'Node Type': type, 'Relation Name': table = outer, 'Index Cond': condition, Plans: inner = [] } = step;
  const isWhole = type.endsWith('Seq Scan') || (/Index (Only )?Scan$/.test(type) && condition === undefined);
  const own = isWhole && isLarge(rows, table ?? '') ? [`${type} of ${table}`] : [];
  return [...own, ...inner.flatMap((one) => wholeTables(one, rows, table))];
}

/** What a reader looks for in a plan. */
function planLines(step: PlanStep, depth = 0): string[] {
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index, 'Index Cond': condition, Plans = [] } = step;
  const line = [type, table && `of ${table}`, index && `by ${index}`, condition].filter((part) => part !== undefined);
  return [`${'  '.repeat(depth)}${line.join(' ')}`, ...Plans.flatMap((one) => planLines(one, depth + 1))];
}

/** From its sixth use on PostgreSQL may keep one plan for all values of a prepared statement. */
const UNTIL_KEPT = 8;

/**
 * Reads the plans of a prepared query whose parameters are lists of texts, as it is asked again and again.
 * @throws Error when one of them has a Seq Scan of a large table
 */
export async function assertPostgresIndexed(
  rival: string,
  connection: pg.ClientConfig,
  { query, values }: { query: string; values: readonly (readonly string[])[] },
): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    const counted = await client.query<{ name: string; n: number }>(
      "select relname as name, reltuples::float8 as n from pg_class where relkind = 'r'",
    );
    const rows = new Map(counted.rows.map(({ name, n }) => [name, n]));
    await client.query(`prepare asked (${values.map(() => 'text[]').join(', ')}) as ${query}`);
    const given = values.map((list) => `array[${list.map((text) => client.escapeLiteral(text)).join(', ')}]::text[]`);
    for (let time = 1; time <= UNTIL_KEPT; time += 1) {
      const explained = await client.query<{ 'QUERY PLAN': { Plan: PlanStep }[] }>(
        `explain (format json) execute asked (${given.join(', ')})`,
      );
      const plans = explained.rows.flatMap((row) => row['QUERY PLAN'].map(({ Plan }) => Plan));
      const scans = plans.flatMap((plan) => wholeTables(plan, rows));
      assertNone(rival, scans, plans.flatMap((plan) => planLines(plan)).join('\n'));
    }
  } finally {
    await client.end();
  }
}

/** @throws Error when the rival written by hand does not answer look-ups from an index */
export function assertByHandIndexed(rival: string, path: string): void {
  for (const query of [SQLITE_BY_FID, SQLITE_BY_HANDLE]) assertSqliteIndexed(rival, path, query);
}

/** @throws Error when the rival on PostgreSQL does not answer look-ups from an index */
export async function assertExpressIndexed(rival: string, connection: pg.ClientConfig): Promise<void> {
  await assertPostgresIndexed(rival, connection, { query: POSTGRES_LOOKUP, values: [['100100'], ['user_101']] });
}
