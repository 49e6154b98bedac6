import type { Address } from '../../domain/token.ts';
import type { Sql } from './engine.ts';
import { locked, noun } from './noun.ts';
import { nothing } from './subjects.ts';

export function createGasTankReads({ build, prepare, tables }: Sql) {
  const { gasTanks } = tables;
  const tank = prepare(build.select({ address: gasTanks.address }).from(gasTanks));
  return {
    /** The gas tank of the store's mnemonic; null before its first use. */
    gasTank: locked(nothing, async (): Promise<Address | null> => (await tank.get())?.address ?? null),
  };
}

export function createGasTankWrites(db: Sql) {
  const { build, prepare, tables } = db;
  const { gasTank } = createGasTankReads(db);
  return {
    /** Stores the gas tank's address at first use and returns the stored one, which never changes. */
    keepGasTank: locked(nothing, async (address: Address, now: number): Promise<Address> => {
      const tank = { id: 1, address, createdAt: now };
      await prepare(build.insert(tables.gasTanks).values(tank).onConflictDoNothing()).run();
      return (await gasTank()) ?? address;
    }),
  };
}

export const gasTanks = noun((db) => ({ reads: createGasTankReads(db), writes: createGasTankWrites(db) }));
