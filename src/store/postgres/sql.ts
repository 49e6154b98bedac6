import { createHash } from 'node:crypto';
import type { Query } from 'drizzle-orm';
import {
  PgDatabase,
  PgDialect,
  type PgPreparedQuery,
  PgSession,
  type PreparedQueryConfig,
  type SelectedFieldsOrdered,
} from 'drizzle-orm/pg-core';
import type { Built, PreparedStatement, RowOf, Sql, Values } from '../sql/engine.ts';
import { createBinding, createMapping } from '../sql/mapping.ts';
import type { DatabaseSession } from './connections/session.ts';
import { POSTGRES_KIT } from './kit.ts';
import * as tables from './tables.ts';

interface Described {
  readonly query: Query;
  readonly fields: SelectedFieldsOrdered | undefined;
}

/** Describes queries instead of running them: the same statement runs on many connections. */
class DescribingSession extends PgSession {
  prepareQuery<T extends PreparedQueryConfig>(query: Query, fields: SelectedFieldsOrdered | undefined) {
    const described: Described & { setToken(): Described } = { query, fields, setToken: () => described };
    // Only `createPostgresSql` gets what is prepared. Drizzle itself calls `setToken` alone, which is for a service of a vendor's.
    return described as unknown as PgPreparedQuery<T>;
  }

  transaction(): never {
    throw new TypeError('transactions are opened by the store alone');
  }
}

/** Each session prepares the statement once, under its name. */
function createStatement<Row>({ query, fields }: Described, current: () => DatabaseSession, suffix = '') {
  const text = query.sql + suffix;
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 22);
  const bind = createBinding(query.params);
  const toObject = createMapping(fields ?? []) as (row: readonly unknown[]) => Row;
  const send = (values: Values | undefined) => current().query({ name, text, values: bind(values) });
  return { send, toObject };
}

/**
 * The shared queries' way to PostgreSQL. Each statement is built at its first use.
 * @param current the session in which a statement runs now
 */
export function createPostgresSql(current: () => DatabaseSession): Sql {
  const dialect = new PgDialect();
  const build = new PgDatabase(dialect, new DescribingSession(dialect), undefined);

  function createLate<Rows>(query: Built<Rows>, suffix?: string) {
    let made: ReturnType<typeof createStatement<RowOf<Rows>>> | undefined;
    return () => {
      made ??= createStatement<RowOf<Rows>>(query.prepare('') as Described, current, suffix);
      return made;
    };
  }

  return {
    kit: POSTGRES_KIT,
    tables,
    build,
    prepare<Rows>(query: Built<Rows>): PreparedStatement<RowOf<Rows>> {
      const statement = createLate(query);
      return {
        async all(values) {
          const { send, toObject } = statement();
          return (await send(values)).rows.map(toObject);
        },
        async get(values) {
          const { send, toObject } = statement();
          const [row] = (await send(values)).rows;
          return row === undefined ? undefined : toObject(row);
        },
        run: async (values) => (await statement().send(values)).count,
      };
    },
    prepareInsert(query) {
      const statement = createLate(query, ' returning id');
      return async (values) => {
        const [row] = (await statement().send(values)).rows;
        return row === undefined ? null : Number(row[0]);
      };
    },
  };
}
