import pg, { type ClientBase, type Pool, type PoolConfig, type QueryResult } from 'pg';
import { ReachedStandby } from '../errors.ts';

/** How long a statement may run, and a transaction may wait for a lock or for its caller, in milliseconds. */
const STATEMENT_MS = 10_000;
const LOCK_MS = 5_000;
const IDLE_MS = 10_000;
/** After it a statement without an answer counts as lost: longer than the server lets it run. */
const ANSWER_MS = 15_000;
const CONNECT_MS = 5_000;
const KEEP_ALIVE_MS = 30_000;

/**
 * What a host, a database or a role may set otherwise for every session. Locks come before reads, which READ COMMITTED alone
 * lets see what was committed meanwhile.
 */
export const STEADY = [
  'set synchronous_commit = on',
  "set default_transaction_isolation = 'read committed'",
  'set idle_session_timeout = 0',
  // Since PostgreSQL 17.
  "select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout'",
].join('; ');

const SESSION = [
  STEADY,
  `set statement_timeout = ${STATEMENT_MS}`,
  `set lock_timeout = ${LOCK_MS}`,
  `set idle_in_transaction_session_timeout = ${IDLE_MS}`,
  'select pg_is_in_recovery() as "isStandby"',
].join('; ');

export interface Pools {
  /** For transactions. */
  readonly writes: Pool;
  /** For reads outside transactions. */
  readonly reads: Pool;
  /** One, for look-ups. */
  readonly lookups: Pool;
  close(): Promise<void>;
}

/** The settings of every connection of any pool. */
export function connectionConfig(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    pipeline: true,
    application_name: 'gigclaim',
    query_timeout: ANSWER_MS,
    keepAlive: true,
    // Networks of hosts forget a connection that is idle for some minutes; the system itself asks after two hours.
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  };
}

async function begin(client: ClientBase): Promise<void> {
  // What waits for an answer is told by its own promise; nobody waits when an idle connection breaks.
  client.on('error', () => undefined);
  // One for each statement.
  const results = (await client.query(SESSION)) as unknown as QueryResult<{ isStandby: boolean }>[];
  // The name may have led to a standby since the start. It answers reads, and lacks commits that were told.
  if (results.at(-1)?.rows[0]?.isStandby !== false) throw new ReachedStandby();
}

/** The pool's own limit would also count the wait for a free connection, which is as long as the work before it. */
export class LimitedClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_MS });
  }
}

/** How long a server that is well takes for a statement of a start that waits for nobody. */
const PROMPT_MS = 5_000;

/** Asks on a connection whose other statements may take long. @throws Error when the server is connected, and hangs */
export function askPromptly<Row extends pg.QueryResultRow = pg.QueryResultRow>(
  client: ClientBase,
  text: string,
  values: unknown[] = [],
): Promise<QueryResult<Row>> {
  // The driver reads it also here, which its types do not say.
  const question: pg.QueryConfig & { query_timeout: number } = { text, values, query_timeout: PROMPT_MS };
  return client.query<Row>(question);
}

/** Works on a connection of its own, as its server, its database and its role set it. A statement may take as long as it takes. */
export async function withConnection<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new LimitedClient({ ...connectionConfig(url), query_timeout: 0, pipeline: false });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Opens the pools; connections are made when they are needed. */
export function openPools(url: string, size: number): Pools {
  const open = (max: number) => {
    const config: PoolConfig = { ...connectionConfig(url), max, idleTimeoutMillis: 0, onConnect: begin };
    const pool = new pg.Pool({ ...config, Client: LimitedClient });
    pool.on('error', () => undefined);
    return pool;
  };
  const [writes, reads, lookups] = [open(size), open(2), open(1)];
  return {
    writes,
    reads,
    lookups,
    async close() {
      await Promise.all([writes, reads, lookups].map((pool) => pool.end()));
    },
  };
}
