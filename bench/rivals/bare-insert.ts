import pg from 'pg';

const INSERT = { name: 'keep', text: 'insert into bare_events (hash, event) values ($1, $2) on conflict do nothing' };

/** What a bare insert keeps of a post. */
export interface BareEvent {
  readonly hash: string;
  readonly text: string;
  readonly fid: number;
  readonly username: string;
  readonly timestamp: string;
}

/** The least that keeps an event on PostgreSQL: one prepared insert through a pool of ten, and a commit of its own. */
export async function openBareInsert(database: pg.PoolConfig): Promise<(event: BareEvent) => Promise<void>> {
  const pool = new pg.Pool({ ...database, max: 10 });
  await pool.query('drop table if exists bare_events');
  await pool.query(
    'create table bare_events (id bigserial primary key, hash text not null unique, event text not null)',
  );
  return async ({ hash, ...event }) => {
    await pool.query({ ...INSERT, values: [hash, JSON.stringify(event)] });
  };
}
