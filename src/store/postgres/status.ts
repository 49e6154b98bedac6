import type { EngineStatus, PoolStatus, ServerFindings, Standby } from '../port/status.ts';
import type { Pools } from './connections/pools.ts';
import type { DatabaseSession } from './connections/session.ts';

/** `reserved_connections` came with version 16. */
const SERVER = `
  select split_part(current_setting('server_version'), ' ', 1), current_user::text, current_setting('synchronous_standby_names'),
    (select coalesce(sum(numbackends), 0)::int from pg_stat_database),
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true), '0')::int`;

/** A role that may not read all statistics sees only that these are there, and their names. */
const STANDBYS = `
  select coalesce(nullif(application_name, ''), 'without a name'), sync_state from pg_stat_replication
  where state is distinct from 'backup' and application_name is distinct from 'pg_receivewal'
    and pid not in (select active_pid from pg_replication_slots where slot_type = 'logical' and active_pid is not null)
  order by 1, pid`;

function standbyOf([name, state]: readonly unknown[]): Standby {
  return { name: String(name), isSynchronous: state === null ? null : state === 'sync' || state === 'quorum' };
}

/** Asks the server how it stands. */
export async function readServer(session: DatabaseSession, findings: ServerFindings): Promise<EngineStatus> {
  const [server, standbys] = await Promise.all([session.query({ text: SERVER }), session.query({ text: STANDBYS })]);
  const [version, user, synchronousNames, open, limit] = server.rows[0] ?? [];
  return {
    engine: 'postgres',
    version: String(version),
    server: {
      connections: { open: Number(open), limit: Number(limit) },
      synchronousNames: String(synchronousNames),
      standbys: standbys.rows.map(standbyOf),
      user: String(user),
      ...findings,
    },
  };
}

/** How the connections of this process stand. */
export function poolStatuses({ writes, reads, lookups }: Pools): PoolStatus[] {
  const pools = { transactions: writes, reads, lookups } as const;
  return (['transactions', 'reads', 'lookups'] as const).map((name) => {
    const { options, totalCount, idleCount, waitingCount } = pools[name];
    return { name, limit: options.max ?? 0, open: totalCount, idle: idleCount, waiting: waitingCount };
  });
}
