import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { equals } from './statements.ts';
import { gasTankNonces, gasTanks } from './tables.ts';

export function createGasTankReads(db: Db): Pick<SyncReads, 'gasTank' | 'gasTankNonces'> {
  const tank = prepare(db, db.select({ address: gasTanks.address }).from(gasTanks));
  const nonces = prepare(
    db,
    db.select({ spent: gasTankNonces.spent }).from(gasTankNonces).where(equals(gasTankNonces.chainId, 'chainId')),
  );
  return {
    gasTank: () => tank.get()?.address ?? null,
    gasTankNonces: (chainId) => nonces.get({ chainId })?.spent ?? null,
  };
}

export function createGasTankWrites(db: Db): Pick<SyncWrites, 'keepGasTank' | 'acknowledgeGasTankNonces'> {
  const { gasTank } = createGasTankReads(db);
  return {
    keepGasTank(address, now) {
      db.insert(gasTanks).values({ id: 1, address, createdAt: now }).onConflictDoNothing().run();
      return gasTank() ?? address;
    },
    acknowledgeGasTankNonces(chainId, spent, now) {
      db.insert(gasTankNonces)
        .values({ chainId, spent, updatedAt: now })
        .onConflictDoUpdate({ target: gasTankNonces.chainId, set: { spent, updatedAt: now } })
        .run();
    },
  };
}
