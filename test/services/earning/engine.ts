import type { ChainReader } from '../../../src/domain/chains/chain.ts';
import type { SpamLabel } from '../../../src/domain/earning/earning.ts';
import type { Verifiers } from '../../../src/domain/earning/payouts/verifier.ts';
import type { ActReader } from '../../../src/domain/earning/platform.ts';
import type { SocialPlatform } from '../../../src/domain/mentions/mention.ts';
import { advanceNextWatch } from '../../../src/services/earning/advance-watch.ts';
import { EARNING_TIMING, type WatchContext } from '../../../src/services/earning/context.ts';
import type { AskingLanes } from '../../../src/services/earning/decide/asking-lanes.ts';
import { createEarningMemory } from '../../../src/services/earning/memory.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { FARCASTER } from '../../platforms/setup.ts';
import { createNetwork, keepLog } from '../fakes.ts';
import { createBlocks } from './blocks.ts';
import { MINUTE } from './gigs.ts';

/** A clock that is set. */
export interface SetClock {
  now: number;
}

export const LOOK_MS = 10 * MINUTE;
/** By how much time goes on while a lease lasts. */
const LEASED_MS = 30_000;
/** More steps than any test's gigs need at one time. */
const MOST_STEPS = 5_000;

let engines = 0;

/** A process's earning engine for Farcaster, on a store that others may share. */
export function createEngine(options: {
  store: Store;
  clock: SetClock;
  reader: ActReader;
  labels?: ReadonlyMap<string, SpamLabel>;
  verifiers?: Verifiers | undefined;
  lanes?: AskingLanes;
  /** One that makes a block every two seconds when absent. */
  chain?: Pick<ChainReader, 'chain' | 'firstBlockSince' | 'newestBlock'> & Partial<ChainReader>;
  /** On which it works; Farcaster when absent. */
  platform?: 'farcaster' | 'twitter';
}) {
  const { store, clock, reader, labels, verifiers, lanes, chain = createBlocks(clock) } = options;
  const { platform = 'farcaster' } = options;
  engines += 1;
  const name = engines;
  let leases = 0;
  const { log, lines } = keepLog();
  const bot = { id: String(FARCASTER.botFid), username: FARCASTER.botUsername };
  const network: SocialPlatform = {
    ...createNetwork(platform).network,
    bot,
    acts: platform === 'farcaster' ? reader : null,
  };
  const deps: WatchContext = {
    store,
    chains: { list: () => [], reader: () => chain as ChainReader },
    platforms: new Map([[platform, network]]),
    labelOf: ({ platformUserId }) => labels?.get(platformUserId) ?? 'unknown',
    verifiers,
    ...(lanes === undefined ? {} : { lanes }),
    timing: { ...EARNING_TIMING, lookMs: LOOK_MS },
    memory: createEarningMemory(),
    clock: () => clock.now,
    newId: () => {
      leases += 1;
      return `engine-${name}-${leases}`;
    },
    log,
  };
  const step = () => advanceNextWatch(deps, platform);

  /** Does whatever is due now. */
  async function work(): Promise<void> {
    for (let steps = 0; await step(); steps += 1) {
      if (steps > MOST_STEPS) throw new Error('the engine does not come to rest');
    }
  }

  async function nextAt(): Promise<number> {
    const watches = await store.openWatches(platform, { limit: 1_000 });
    return Math.min(...watches.map((watch) => watch.nextAt));
  }

  return {
    deps,
    lines,
    step,
    work,
    /** Lets time pass until then, doing whatever is due when it is due. */
    async until(time: number): Promise<void> {
      await work();
      for (let next = await nextAt(); next <= time; next = await nextAt()) {
        // A watch that is overdue is leased by an engine that has died.
        clock.now = next > clock.now ? next : clock.now + LEASED_MS;
        await work();
      }
      clock.now = Math.max(clock.now, time);
      await work();
    },
  };
}

export type Engine = ReturnType<typeof createEngine>;
