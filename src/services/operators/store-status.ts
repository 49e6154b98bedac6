import type { EngineName, EngineStatus, PoolStatus, ServerStatus, Store } from '../../store/port/index.ts';

export const ENGINE_NAMES: Readonly<Record<EngineName, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

/** How many standbys there are, by whether a commit waits for them. */
export interface StandbyCounts {
  readonly synchronous: number;
  readonly asynchronous: number;
  /** This user may not see it. */
  readonly unknown: number;
}

export function countStandbys({ standbys }: { readonly standbys: ServerStatus['standbys'] }): StandbyCounts {
  const count = (kind: boolean | null) => standbys.filter(({ isSynchronous }) => isSynchronous === kind).length;
  return { synchronous: count(true), asynchronous: count(false), unknown: count(null) };
}

/** Whether a standby has every commit, so that it may become the primary. */
export interface StandbyFinding {
  /** `failed` when what was answered is lost with the server, although there are standbys. */
  readonly state: 'safe' | 'warning' | 'failed';
  /** A sentence without a full stop at its end. */
  readonly text: string;
  /** What to do; empty when that is nothing. */
  readonly remedy: string;
}

const NAME_THEM = 'Set synchronous_standby_names on the server, and let only a synchronous standby become the primary.';

function named(count: number): string {
  return count === 1 ? '1 standby' : `${count} standbys`;
}

/** Whether the standbys of a server are such that one of them may become the primary. */
export function judgeStandbys({
  standbys,
  synchronousNames,
  user,
  isKeptByStorage,
}: Omit<ServerStatus, 'connections' | 'doubts'>): StandbyFinding {
  const { length } = standbys;
  const { synchronous, asynchronous, unknown } = countStandbys({ standbys });
  const grant =
    unknown === 0 ? '' : ` Run grant pg_monitor to ${user}: without it backups and copies also count as standbys.`;
  if (length === 0 && isKeptByStorage) {
    const text = 'The storage of your host keeps your latest commits, as POSTGRES_DURABLE=storage says';
    return { state: 'safe', text, remedy: '' };
  }
  if (length === 0) {
    return {
      state: 'warning',
      text: 'No standby holds your latest commits',
      remedy: 'Add a synchronous standby, or back up often enough.',
    };
  }
  if (synchronousNames.trim() === '') {
    const text = `${named(length)}, and none is synchronous: the newest commits would be lost with the server`;
    return { state: 'failed', text, remedy: `${NAME_THEM}${grant}` };
  }
  if (synchronous > 0) {
    const others = asynchronous === 0 ? '' : `, and ${asynchronous} that must not become the primary`;
    return { state: 'safe', text: `${named(synchronous)} with all that is committed${others}`, remedy: '' };
  }
  if (unknown > 0) {
    const text = `${named(length)}, and this user may not see whether they are synchronous`;
    return { state: 'warning', text, remedy: `Run grant pg_monitor to ${user}.` };
  }
  const text = `${named(length)}, and none of them is named by synchronous_standby_names (${synchronousNames})`;
  return { state: 'failed', text, remedy: NAME_THEM };
}

/** What keeps the store, with the connections of this process to it. */
export interface StoreStatus extends EngineStatus {
  readonly pools: readonly PoolStatus[];
}

export async function readStoreStatus({ store }: { readonly store: Store }): Promise<StoreStatus> {
  return { ...(await store.engine()), pools: await store.pools() };
}
