import type { Address } from '../../domain/gigs/token.ts';
import { summarizeError } from '../../log.ts';
import type { PlatformStatus } from '../mentions/platform-breaker.ts';
import type { TankStatus } from '../payments/gas-tank.ts';
import type { ConditionContext } from './conditions/define-condition.ts';
import {
  type ConditionKind,
  type Conditions,
  type FoundCondition,
  findConditions,
  isStopped,
  isUnknown,
} from './conditions/index.ts';
import { readStoreStatus, type StoreStatus } from './store-status.ts';

export interface Readiness {
  /** Whether the store takes writes and its migrations are done, and the clock agrees with the store's. */
  readonly ready: boolean;
  /** Everything that is wrong now, so that the operator must act. */
  readonly reasons: readonly FoundCondition[];
  readonly store: {
    readonly writable: boolean;
    /** Null when it cannot be read. */
    readonly standing: StoreStatus | null;
    readonly instances: number;
    /** By how many milliseconds the clock of this one is ahead of the store's. */
    readonly clockAheadMs: number;
  };
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
  readonly gasTank: { readonly address: Address; readonly standings: readonly TankStatus[] } | null;
}

async function isWritable({ store, log }: ConditionContext): Promise<boolean> {
  try {
    await store.checkWritable();
    return true;
  } catch (error) {
    log.error({ error: summarizeError(error) }, 'database is not writable');
    return false;
  }
}

async function standingOf(deps: ConditionContext): Promise<StoreStatus | null> {
  try {
    return await readStoreStatus(deps);
  } catch (error) {
    deps.log.error({ error: summarizeError(error) }, 'database does not tell how it stands');
    return null;
  }
}

function countOf(conditions: Conditions, kind: ConditionKind): number | null {
  if (isUnknown(conditions, { kind, subject: '' })) return null;
  return conditions.found.filter((condition) => condition.kind === kind).length;
}

/**
 * The readiness of the service. Only the store decides `ready`: while a chain, a platform or gas is missing, or gigs
 * are frozen or overdue, only the work that needs them waits.
 */
export async function checkReadiness(deps: ConditionContext): Promise<Readiness> {
  const conditions = await findConditions(deps);
  const writable = !isStopped(conditions) && (await isWritable(deps));
  return {
    ready: writable && deps.instances.isOnTime(),
    reasons: conditions.found,
    store: {
      writable,
      standing: writable ? await standingOf(deps) : null,
      instances: deps.instances.living(),
      clockAheadMs: deps.instances.clockAheadMs(),
    },
    chains: deps.chains.list().map((reader) => ({
      key: reader.chain.key,
      chainId: reader.chain.id,
      lastSuccess: reader.lastSuccess(),
    })),
    platforms: deps.health.standings(),
    gigs: { frozen: countOf(conditions, 'gig_frozen'), overdue: countOf(conditions, 'earning_overdue') },
    gasTank: deps.gasTank && { address: deps.gasTank.address, standings: deps.gasTank.standings() },
  };
}
