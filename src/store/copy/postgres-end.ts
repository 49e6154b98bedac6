import type { Client } from 'pg';
import { serverDatabaseName } from '../../domain/database-url.ts';
import { explainServerFault } from '../postgres/errors.ts';
import { STOP } from '../postgres/identity.ts';
import { COUNT_ALIVE } from '../postgres/instances.ts';
import { migratePostgres, readPostgresState } from '../postgres/migrations.ts';
import { connectionConfig, LimitedClient } from '../postgres/pools.ts';
import { refuseUnsafeServer } from '../postgres/server.ts';
import { openDatabaseSession } from '../postgres/session.ts';
import { createPostgresSql } from '../postgres/sql.ts';
import { missingMigrations } from '../sql/migrations.ts';
import { FENCE_REFUSES, type Move, READ_MOVE } from '../sql/moves.ts';
import { endLeases } from '../sql/queues.ts';
import {
  BATCH,
  type EndOptions,
  type EndReads,
  explaining,
  type Loading,
  NOT_ALONE,
  NOT_IN_STATE,
  NOT_MIGRATED,
  OLDER_SCHEMA,
  refuseDatabase,
  type StoreEnd,
} from './end.ts';
import { COPIED, COUNTED, type ColumnPlan, EMPTY_AT_FIRST, OPENED, type Row } from './plan.ts';

const FENCE = 'store_moves_fence';
const TABLES = COPIED.map(({ name }) => name).join();
/** Held while a copy uses the database. */
const LOCK = "hashtextextended('copy:', 0)";

/** A statement may take as long as the ledger is large; a lock is waited for longer than a stopped instance can hold it. */
const SESSION = [
  'set synchronous_commit = on',
  'set statement_timeout = 0',
  'set idle_in_transaction_session_timeout = 0',
  'set idle_session_timeout = 0',
  // Since PostgreSQL 17.
  "select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout'",
  "set lock_timeout = '15s'",
].join('; ');

function textOf({ name, type }: ColumnPlan): string {
  return type === 'boolean' ? `${name}::int::text` : `${name}::text`;
}

function createReads(client: Client): EndReads {
  return {
    async *rows({ name, columns, key }) {
      const counting = COUNTED[name] === undefined ? '' : 'where n <> 0';
      // Without the table a name would be that of the text which is selected, and 10 come before 9.
      const order = key.map((column) => `${name}.${column}`).join();
      const select = `select ${columns.map(textOf).join()} from ${name} ${counting} order by ${order}`;
      await client.query(`declare copied no scroll cursor for ${select}`);
      for (;;) {
        const { rows } = await client.query<(string | null)[]>({
          text: `fetch ${BATCH} from copied`,
          rowMode: 'array',
        });
        if (rows.length > 0) yield rows;
        if (rows.length < BATCH) break;
      }
      await client.query('close copied');
    },
    async highestId({ name, id }) {
      if (id === null) return 0n;
      const sequence = await sequenceOf(client, name, id);
      const given = sequence === null ? 'null' : `(select case when is_called then last_value end from ${sequence})`;
      const { rows } = await client.query<{ id: string }>(
        `select coalesce(greatest((select max(${id}) from ${name}), ${given}), 0)::text as id`,
      );
      return BigInt(rows[0]?.id ?? 0);
    },
  };
}

async function sequenceOf(client: Client, table: string, column: string): Promise<string | null> {
  const text = 'select pg_get_serial_sequence($1, $2) as sequence';
  const { rows } = await client.query<{ sequence: string | null }>(text, [table, column]);
  return rows[0]?.sequence ?? null;
}

function createLoading(client: Client): Loading {
  return {
    ...createReads(client),
    async insert({ name, columns }, rows) {
      const names = columns.map((column) => column.name).join();
      const values = columns.map((column) => `${column.name}::${column.type}`).join();
      const lists = columns.map((_, place) => `$${place + 1}::text[]`).join();
      const text = `insert into ${name} (${names}) select ${values} from unnest(${lists}) as given (${names})`;
      const cells = columns.map((_, place) => rows.map((row: Row) => row[place] ?? null));
      await client.query({ name: `copy ${name}`, text, values: cells });
    },
    async count() {
      for (const [table, counts] of Object.entries(COUNTED)) {
        const subject = table === 'state_counts' ? 'subject' : 'gig_id';
        const parts = table.replace(/s$/, '_parts');
        await client.query(
          `insert into ${parts} (${subject}, state, part, n) select ${subject}, state, 0, n from (${counts}) as counted`,
        );
      }
    },
    async keepHighestId({ name, id: column }, id) {
      const sequence = column === null ? null : await sequenceOf(client, name, column);
      if (sequence !== null && id > 0n) await client.query('select setval($1, $2)', [sequence, String(id)]);
    },
    async endLeases() {
      const session = openDatabaseSession(client);
      await endLeases(createPostgresSql(() => session));
    },
  };
}

/** What is made again once the rows are there: faster than keeping it up for each row, and checked then all the same. */
const EXTRAS = `
  select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make
  from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace and conrelid::regclass::text = any($1)
  union all
  select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
  from pg_index where indrelid::regclass::text = any($1)
    and not exists (select 1 from pg_constraint where conindid = indexrelid)
  order by 1`;

/** Runs work without triggers, indices and references. */
async function withoutExtras(client: Client, work: () => Promise<void>): Promise<void> {
  const names = COPIED.map(({ name }) => name);
  const { rows: extras } = await client.query<{ drop: string; make: string }>(EXTRAS, [names]);
  const triggers = (word: string) => names.map((name) => `alter table ${name} ${word} trigger user`);
  await client.query([...triggers('disable'), ...extras.map(({ drop }) => drop)].join(';'));
  await work();
  // Indices are created first: references look into them.
  await client.query([...extras.toReversed().map(({ make }) => make), ...triggers('enable')].join(';'));
}

function createEnd(client: Client, database: string): StoreEnd {
  async function transaction<T>(begin: string, work: () => Promise<T>): Promise<T> {
    await client.query(begin);
    try {
      const result = await work();
      await client.query('commit');
      return result;
    } catch (error) {
      // A connection that broke has undone it already.
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  }
  const change = async (text: string, ...values: readonly string[]) => {
    if ((await client.query(text, [...values])).rowCount !== 1) refuseDatabase(database, NOT_IN_STATE);
  };
  const advance: StoreEnd['advance'] = ({ move, from, to }) =>
    change('update store_moves set state = $1 where move = $2 and state = $3', to, move, from);
  async function isEmpty(): Promise<boolean> {
    const some = EMPTY_AT_FIRST.map(({ name }) => `exists (select 1 from ${name})`);
    const { rows } = await client.query<{ has: boolean }>(`select ${some.join(' or ')} as has`);
    return rows[0]?.has === false;
  }
  /** What removes each of the triggers. */
  async function fences(): Promise<string[]> {
    const text =
      "select format('drop trigger %I on %s', tgname, tgrelid::regclass) as drop from pg_trigger where tgname = $1";
    return (await client.query<{ drop: string }>(text, [FENCE])).rows.map((row) => row.drop);
  }
  return {
    ...createReads(client),
    name: database,
    readMove: async () => (await client.query<Move>(READ_MOVE)).rows[0],
    async findDoubt() {
      const { rows } = await client.query(STOP);
      return rows.length > 0 ? 'its server is another one than before, so that its payments are stopped' : null;
    },
    isEmpty,
    fence: ({ state, move, other }) =>
      transaction('begin', async () => {
        // Waits for the transactions under way; what writes afterwards finds the triggers.
        await client.query(`lock table ${TABLES} in share row exclusive mode`);
        const triggers = COPIED.map(
          ({ name }) => `create trigger ${FENCE} before insert or update or delete or truncate on ${name}
            for each statement execute function refuse('${FENCE_REFUSES}')`,
        );
        if ((await fences()).length === 0) await client.query(triggers.join(';'));
        await client.query('delete from store_moves');
        const text = 'insert into store_moves (id, state, move, other) values (1, $1, $2, $3)';
        await client.query(text, [state, move, other]);
      }),
    advance,
    open: ({ move, state }) =>
      transaction('begin', async () => {
        await change('delete from store_moves where move = $1 and state = $2', move, state);
        for (const drop of await fences()) await client.query(drop);
      }),
    snapshot: (work) => transaction('begin isolation level repeatable read read only', work),
    load: (step, work) =>
      transaction('begin', async () => {
        await client.query(`lock table ${TABLES} in share row exclusive mode`);
        if (!(await isEmpty())) refuseDatabase(database, 'it is not empty');
        await withoutExtras(client, async () => {
          for (const name of OPENED) await client.query(`delete from ${name}`);
          await work(createLoading(client));
        });
        await advance(step);
      }),
    // Without statistics, and without what only a vacuum notes, the first plans would be bad ones.
    settle: async () => {
      await client.query(`vacuum (analyze) ${TABLES}`);
    },
  };
}

async function prepare(client: Client, database: string, options: EndOptions): Promise<void> {
  const { migrationsFolder, isTarget, isAnyVersion = false } = options;
  await client.query(SESSION);
  await refuseUnsafeServer(client, database);
  const { rows } = await client.query<{ isHeld: boolean }>(`select pg_try_advisory_lock(${LOCK}) as "isHeld"`);
  if (rows[0]?.isHeld !== true)
    refuseDatabase(database, 'another copy uses it, or it is the database of DATABASE_URL itself');
  const folder = `${migrationsFolder}-postgres`;
  const { applied, hasTables } = await readPostgresState(client);
  const isFresh = applied.length === 0 && !hasTables;
  if (isFresh && isTarget) await migratePostgres(client, { folder, name: database });
  else if (isFresh) refuseDatabase(database, NOT_MIGRATED);
  else if (missingMigrations({ applied, hasTables }, { folder, database }).length > 0 && !isAnyVersion)
    refuseDatabase(database, OLDER_SCHEMA);
  const { rows: counted } = await client.query<{ alive: number }>(COUNT_ALIVE);
  if (counted[0]?.alive !== 0) refuseDatabase(database, NOT_ALONE);
}

/** Runs work on a PostgreSQL database that no instance serves meanwhile. @throws Error naming the database */
export async function withPostgresEnd<T>(options: EndOptions, work: (end: StoreEnd) => Promise<T>): Promise<T> {
  const database = serverDatabaseName(options.url);
  const explain = (error: unknown) => explainServerFault(error, database);
  const client = new LimitedClient({ ...connectionConfig(options.url), query_timeout: 0, pipeline: false });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await prepare(client, database, options);
    return await work(explaining(createEnd(client, database), explain));
  } catch (error) {
    throw explain(error);
  } finally {
    await client.end();
  }
}
