import type { Chains } from '../../domain/chain.ts';
import type { Address } from '../../domain/token.ts';
import { type Log, summarizeError } from '../../log.ts';
import type { Store } from '../../store/port/index.ts';
import type { PlatformBreaker, PlatformStatus } from '../mentions/platform-breaker.ts';
import { isHeldTopUp } from '../payments/foreign-nonces.ts';
import type { GasTank, TankStanding } from '../payments/gas-tank.ts';

export interface Readiness {
  /** Whether the service can keep what it is given: the store takes writes and its migrations are done. */
  readonly ready: boolean;
  readonly store: { readonly writable: boolean };
  /** Each enabled chain with the last time its endpoint answered, epoch milliseconds. */
  readonly chains: readonly { readonly key: string; readonly chainId: number; readonly lastSuccess: number | null }[];
  readonly platforms: readonly PlatformStatus[];
  /** How many gigs are frozen and pay nothing; null when the store cannot be read. */
  readonly gigs: { readonly frozen: number | null };
  /** Null without a mnemonic to derive it from. */
  readonly gasTank: { readonly address: Address; readonly standings: readonly ReadyTank[] } | null;
}

/** How the gas tank stands on one enabled chain. */
export interface ReadyTank extends TankStanding {
  /** Whether it signs nothing until `gas-tank accept`, because the chain is ahead of the ledger; null when the store does not say. */
  readonly topUpsHeld: boolean | null;
}

interface TankDeps {
  readonly store: Pick<Store, 'nextPlanned'>;
  readonly log: Log;
}

async function readyTank(
  { store, log }: TankDeps,
  { address, standings }: Pick<GasTank, 'address' | 'standings'>,
): Promise<Readiness['gasTank']> {
  const looks = standings().map(async (standing) => {
    const next = await store.nextPlanned({ chainId: standing.chain.id, sender: address });
    return { ...standing, topUpsHeld: next !== null && isHeldTopUp(next) };
  });
  const seen = await Promise.all(looks).catch((error: unknown) => {
    log.error({ error: summarizeError(error) }, 'the store does not say which top-ups are held');
    return standings().map((standing) => ({ ...standing, topUpsHeld: null }));
  });
  return { address, standings: seen };
}

/**
 * How the service stands. Only the store decides about `ready`: without a chain, a platform or gas, and with gigs
 * that are frozen, everything else is still served, and what concerns them waits.
 */
export async function checkReadiness(deps: {
  store: Pick<Store, 'checkWritable' | 'frozenGigs' | 'nextPlanned'>;
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
  return {
    ready: writable,
    store: { writable },
    chains: deps.chains.list().map((reader) => ({
      key: reader.chain.key,
      chainId: reader.chain.id,
      lastSuccess: reader.lastSuccess(),
    })),
    platforms: deps.health.standings(),
    gigs: { frozen: frozen?.length ?? null },
    gasTank: deps.gasTank && (await readyTank(deps, deps.gasTank)),
  };
}
