import { DomainError, type RefusalCode } from '../../../src/domain/errors.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { openPostgresStore } from '../../../src/store/postgres/store.ts';
import { openTestDatabase, POSTGRES_MIGRATIONS } from '../../support/postgres.ts';

/** Two stores of one database, as two instances have. */
export interface Instances {
  readonly stores: readonly [Store, Store];
  /** Begins the work so many times at once, by one store after the other; gives what came of each, or its refusal. */
  atOnce<T>(count: number, work: (store: Store, turn: number) => Promise<T>): Promise<(T | RefusalCode)[]>;
  close(): Promise<void>;
}

async function orRefusal<T>(work: Promise<T>): Promise<T | RefusalCode> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DomainError) return error.refusal.code;
    throw error;
  }
}

export async function openInstances(): Promise<Instances> {
  const database = await openTestDatabase();
  const open = () => openPostgresStore({ url: database.url, migrationsFolder: POSTGRES_MIGRATIONS });
  const stores = [await open(), await open()] as const;
  return {
    stores,
    async atOnce(count, work) {
      const turns = Array.from({ length: count }, (_, turn) => turn);
      return await Promise.all(turns.map((turn) => orRefusal(work(stores[turn % 2 === 0 ? 0 : 1], turn))));
    },
    async close() {
      await Promise.all(stores.map((store) => store.close()));
      await database.close();
    },
  };
}

/** How often each outcome came. */
export function tally(outcomes: readonly unknown[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[String(outcome)] = (counts[String(outcome)] ?? 0) + 1;
  return counts;
}
