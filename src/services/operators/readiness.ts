import type { Chains } from '../../domain/chain.ts';
import type { Address } from '../../domain/token.ts';
import { type Log, summarizeError } from '../../log.ts';
import type { Store } from '../../store/port/index.ts';
import type { PlatformBreaker, PlatformStatus } from '../mentions/platform-breaker.ts';
import type { GasTank, TankStanding } from '../payments/gas-tank.ts';
import { findWatchedGigs } from './watched-gigs.ts';

export interface Readiness {
  /** Whether the store takes writes and its migrations are done. */
  readonly ready: boolean;
  readonly store: { readonly writable: boolean };
  /** Each enabled chain with the last time its endpoint answered, epoch milliseconds. */
  readonly chains: readonly { readonly key: string; readonly chainId: number; readonly lastSuccess: number | null }[];
  readonly platforms: readonly PlatformStatus[];
  /** How many gigs are frozen, and how many overdue; null when the store cannot be read. */
  readonly gigs: {
    readonly frozen: number | null;
    /** Watched gigs that have had no successful step for a day, although one was due. */
    readonly overdue: number | null;
  };
  /** Null without a mnemonic. */
  readonly gasTank: { readonly address: Address; readonly standings: readonly TankStanding[] } | null;
}

/**
 * The readiness of the service. Only the store decides `ready`: while a chain, a platform or gas is missing, or gigs
 * are frozen or overdue, only the work that needs them waits.
 */
export async function checkReadiness(deps: {
  store: Pick<Store, 'checkWritable' | 'frozenGigs' | 'openWatches'>;
  clock: () => number;
  chains: Chains;
  health: PlatformBreaker;
  gasTank: Pick<GasTank, 'address' | 'standings'> | null;
  log: Log;
}): Promise<Readiness> {
  const writable = await deps.store.checkWritable().then(
    () => true,
    (error: unknown) => {
      deps.log.error({ error: summarizeError(error) }, 'database is not writable');
      return false;
    },
  );
  const frozen = await deps.store.frozenGigs().catch((error: unknown) => {
    deps.log.error({ error: summarizeError(error) }, 'cannot read which gigs are frozen');
    return null;
  });
  const watched = await findWatchedGigs(deps).catch((error: unknown) => {
    deps.log.error({ error: summarizeError(error) }, 'cannot read which gigs are watched');
    return null;
  });
  return {
    ready: writable,
    store: { writable },
    chains: deps.chains.list().map((reader) => ({
      key: reader.chain.key,
      chainId: reader.chain.id,
      lastSuccess: reader.lastSuccess(),
    })),
    platforms: deps.health.standings(),
    gigs: { frozen: frozen?.length ?? null, overdue: watched?.overdue.length ?? null },
    gasTank: deps.gasTank && { address: deps.gasTank.address, standings: deps.gasTank.standings() },
  };
}
