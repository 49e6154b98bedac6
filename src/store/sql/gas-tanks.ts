import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { gasTanks } from './tables.ts';

export function createGasTankReads(db: Db): Pick<SyncReads, 'gasTank'> {
  const tank = prepare(db, db.select({ address: gasTanks.address }).from(gasTanks));
  return { gasTank: () => tank.get()?.address ?? null };
}

export function createGasTankWrites(db: Db): Pick<SyncWrites, 'keepGasTank'> {
  const { gasTank } = createGasTankReads(db);
  return {
    keepGasTank(address, now) {
      db.insert(gasTanks).values({ id: 1, address, createdAt: now }).onConflictDoNothing().run();
      return gasTank() ?? address;
    },
  };
}
