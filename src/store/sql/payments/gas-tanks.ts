import type { Address } from '../../../domain/gigs/token.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { boundTo } from '../statements.ts';
import { nothing } from '../subjects.ts';

export const gasTanks = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { gasTanks } = tables;
  const kept = prepare(build.select({ address: gasTanks.address }).from(gasTanks));
  const gasTank = async (): Promise<Address | null> => (await kept.get())?.address ?? null;
  const tank = { id: 1, ...boundTo(gasTanks, 'address', 'createdAt') };
  const keep = prepare(build.insert(gasTanks).values(tank).onConflictDoNothing());
  return {
    reads: {
      /** The gas tank of the store's mnemonic; null before its first use. */
      gasTank: locked(nothing, gasTank),
    },
    writes: {
      /** Stores the gas tank's address at first use and returns the stored one, which never changes. */
      keepGasTank: locked(nothing, async (address: Address, now: number): Promise<Address> => {
        await keep.run({ address, createdAt: now });
        return (await gasTank()) ?? address;
      }),
    },
  };
});
