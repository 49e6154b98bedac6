import { Gauge, type Registry } from 'prom-client';
import type { ServiceContext } from '../../../services/context.ts';
import { countStandbys } from '../../../services/operators/store-status.ts';

export interface StoreMetricsOptions {
  readonly store: ServiceContext['store'];
  readonly instances: { living(): number };
}

const POOL_GAUGES = [
  ['limit', 'Connections to the database that this instance may have'],
  ['open', 'Connections to the database that this instance has'],
  ['idle', 'Connections to the database that do nothing'],
  ['waiting', 'Work that waits for a connection to the database'],
] as const;

/** The gauges of what keeps the store; those of a server are absent where it is a file. */
export function watchStore({ store, instances }: StoreMetricsOptions, registers: Registry[]) {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const up = gauge('gigclaim_store_up', '1 while the database answers; 0: its other metrics are from its last answer');
  const info = gauge('gigclaim_store_info', 'Always 1; the labels tell what keeps the store', ['engine', 'version']);
  const living = gauge('gigclaim_instances', 'Instances that serve the store, this one included');
  /** Registered at their first values, so that there is none without a server. */
  const late = new Map<string, Gauge>();
  const set = (name: string, help: string, label: string, values: Readonly<Record<string, number>>) => {
    if (Object.keys(values).length === 0) return;
    const made = late.get(name) ?? gauge(name, help, [label]);
    late.set(name, made);
    for (const [key, value] of Object.entries(values)) made.set({ [label]: key }, value);
  };

  async function lookAtPools(): Promise<void> {
    const pools = await store.pools();
    for (const [count, help] of POOL_GAUGES) {
      const values = Object.fromEntries(pools.map((pool) => [pool.name, pool[count]]));
      set(`gigclaim_pool_${count}`, help, 'pool', values);
    }
  }

  async function lookAtServer(): Promise<void> {
    const { engine, version, server } = await store.engine();
    info.reset();
    info.set({ engine, version }, 1);
    if (server === null) return;
    const { open, limit } = server.connections;
    set('gigclaim_standbys', 'Servers that follow the database’s', 'sync', { ...countStandbys(server) });
    set(
      'gigclaim_server_connections',
      'Connections of all programs to the server of the database: how many are open, and how many it gives',
      'kind',
      { open, limit },
    );
  }

  return {
    /** What is known without the database. */
    async lookHere(): Promise<void> {
      living.set(instances.living());
      await lookAtPools();
    },
    lookAtServer,
    tell: (isUp: boolean) => up.set(isUp ? 1 : 0),
  };
}
