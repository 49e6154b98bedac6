import pg, { type ClientBase, type Pool, type PoolConfig } from 'pg';

/** How long a statement may run, and a transaction may wait for a lock or for its caller, in milliseconds. */
const STATEMENT_MS = 10_000;
const LOCK_MS = 5_000;
const IDLE_MS = 10_000;
/** After it a statement without an answer counts as lost: longer than the server lets it run. */
const ANSWER_MS = 15_000;
const CONNECT_MS = 5_000;

const SESSION = [
  'set synchronous_commit = on',
  `set statement_timeout = ${STATEMENT_MS}`,
  `set lock_timeout = ${LOCK_MS}`,
  `set idle_in_transaction_session_timeout = ${IDLE_MS}`,
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
  };
}

async function begin(client: ClientBase): Promise<void> {
  // What waits for an answer is told by its own promise; nobody waits when an idle connection breaks.
  client.on('error', () => undefined);
  await client.query(SESSION);
}

/** The pool's own limit would also count the wait for a free connection, which is as long as the work before it. */
export class LimitedClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_MS });
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
