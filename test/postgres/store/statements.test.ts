import { Column, getTableName, Param, Placeholder, type Query } from 'drizzle-orm';
import { PgDatabase, PgDialect, type PgPreparedQuery, PgSession, type PreparedQueryConfig } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGigIds } from '../../../src/store/postgres/gig-ids.ts';
import { POSTGRES_KIT } from '../../../src/store/postgres/kit.ts';
import * as tables from '../../../src/store/postgres/tables.ts';
import type { Built, Sql } from '../../../src/store/sql/engine.ts';
import { createNouns } from '../../../src/store/sql/nouns.ts';
import { openTestDatabase, type TestDatabase } from '../../support/postgres.ts';

/** Keeps the queries that are to be prepared, and runs none. */
class CollectingSession extends PgSession {
  readonly queries: Query[] = [];

  prepareQuery<T extends PreparedQueryConfig>(query: Query) {
    this.queries.push(query);
    // Drizzle passes on its token, which is for hosted databases.
    return { setToken: () => undefined } as unknown as PgPreparedQuery<T>;
  }

  transaction(): never {
    throw new TypeError('nothing is run');
  }
}

/** Every statement that the store prepares when it is opened. */
function collectStatements(): readonly Query[] {
  const dialect = new PgDialect();
  const session = new CollectingSession(dialect);
  const never = () => Promise.reject(new TypeError('nothing is run'));
  const collect = (query: Built<unknown>) => {
    query.prepare('');
    return never;
  };
  const db: Sql = {
    kit: POSTGRES_KIT,
    tables,
    build: new PgDatabase(dialect, session, undefined),
    prepare: (query) => ({ all: collect(query), get: never, run: never }),
    prepareInsert: collect,
  };
  createNouns({ ...db, gigIds: createGigIds(db), beforeNumbers: never, rest: never });
  return session.queries;
}

let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

/** Has PostgreSQL prepare a statement; returns the types of its parameters, which it infers. */
async function typesOf(text: string): Promise<string[]> {
  const { client } = database;
  await client.query(`prepare stored as ${text}`);
  const { rows } = await client.query<{ types: string[] }>(
    "select parameter_types::text[] as types from pg_prepared_statements where name = 'stored'",
  );
  await client.query('deallocate stored');
  return rows.flatMap(({ types }) => types);
}

/** The name of a parameter, or of the column whose value it is; null for a value that the query has itself. */
function nameOf(param: unknown): string | null {
  if (param instanceof Placeholder) return String(param.name);
  if (!(param instanceof Param) || !(param.value instanceof Placeholder)) return null;
  const { encoder, value } = param;
  return encoder instanceof Column ? `${getTableName(encoder.table)}.${encoder.name}` : String(value.name);
}

/** What each parameter is taken for: a column's value has the column's type, and the others have one each, but for these. */
const SEVERAL: Record<string, readonly string[]> = {
  id: ['bigint', 'text'],
  scope: ['bigint', 'text'],
  from: ['numeric', 'text'],
  to: ['numeric', 'text'],
};

test('behavior: PostgreSQL can prepare every statement, and takes each parameter for what it is given', async () => {
  const statements = collectStatements();
  expect(statements.length).toBeGreaterThan(400);
  const found = new Map<string, Set<string>>();
  for (const { sql, params } of statements) {
    const types = await typesOf(sql);
    expect(types, sql).toHaveLength(params.length);
    for (const [index, param] of params.entries()) {
      const name = nameOf(param);
      if (name !== null) found.set(name, (found.get(name) ?? new Set()).add(types[index] ?? ''));
    }
  }
  const several = [...found].filter(([, types]) => types.size > 1);
  expect(Object.fromEntries(several.map(([name, types]) => [name, [...types].sort()]))).toEqual(SEVERAL);
  const taken = (name: string) => [...(found.get(name) ?? [])].join();
  const amounts = ['awarded', 'gigs.voided_amount', 'earned', 'reserved', 'weight', 'payments.amount'];
  expect(amounts.map(taken)).toEqual(amounts.map(() => 'numeric'));
  expect(['replies.follow_up', 'facts', 'blockNumber', 'dueAt'].map(taken)).toEqual([
    'boolean',
    'text',
    'bigint',
    'bigint',
  ]);
  expect(['ids', 'hashes', 'receivers'].map(taken)).toEqual(['bigint[]', 'text[]', 'text[]']);
  const rows = ['signed', 'made', 'missed', 'parts', 'accounts', 'tips'];
  expect(rows.map(taken)).toEqual(rows.map(() => 'json'));
});
