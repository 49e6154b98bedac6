import type { StoreReads, StoreTx } from '../port/index.ts';
import type { Sql } from './engine.ts';

export function createGasTankReads({ build, prepare, tables }: Sql): Pick<StoreReads, 'gasTank'> {
  const { gasTanks } = tables;
  const tank = prepare(build.select({ address: gasTanks.address }).from(gasTanks));
  return { gasTank: async () => (await tank.get())?.address ?? null };
}

export function createGasTankWrites(db: Sql): Pick<StoreTx, 'keepGasTank'> {
  const { build, prepare, tables } = db;
  const { gasTank } = createGasTankReads(db);
  return {
    async keepGasTank(address, now) {
      const tank = { id: 1, address, createdAt: now };
      await prepare(build.insert(tables.gasTanks).values(tank).onConflictDoNothing()).run();
      return (await gasTank()) ?? address;
    },
  };
}
