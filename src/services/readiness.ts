import type { Chains } from '../domain/chain.ts';
import { type Log, summarizeError } from '../log.ts';
import type { Store } from '../store/port.ts';
import type { PlatformHealth, PlatformStanding } from './health.ts';

export interface Readiness {
  /** Whether the service can keep what it is given: the store takes writes and its migrations are done. */
  readonly ready: boolean;
  readonly store: { readonly writable: boolean };
  /** Each enabled chain with the last time its endpoint answered, epoch milliseconds. */
  readonly chains: readonly { readonly key: string; readonly chainId: number; readonly lastSuccess: number | null }[];
  readonly platforms: readonly PlatformStanding[];
}

/**
 * How the service stands. Only the store decides about `ready`: without a chain or a platform everything else is still
 * served, and what concerns it waits.
 */
export async function checkReadiness(deps: {
  store: Pick<Store, 'checkWritable'>;
  chains: Chains;
  health: PlatformHealth;
  log: Log;
}): Promise<Readiness> {
  const writable = await deps.store.checkWritable().then(
    () => true,
    (error: unknown) => {
      deps.log.error({ error: summarizeError(error) }, 'the store takes no writes');
      return false;
    },
  );
  return {
    ready: writable,
    store: { writable },
    chains: deps.chains.list().map((reader) => ({
      key: reader.chain.key,
      chainId: reader.chain.id,
      lastSuccess: reader.lastSuccess(),
    })),
    platforms: deps.health.standings(),
  };
}
