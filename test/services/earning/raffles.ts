import type { Gig } from '../../../src/domain/gigs/gig.ts';
import type { WatchContext } from '../../../src/services/earning/context.ts';
import { closeDraw, fixDraw } from '../../../src/services/earning/ways/draw.ts';
import type { WrapStore } from '../../support/database.ts';
import { decideAs, sampleAccount, sampleAct, seedActs } from '../../support/earning.ts';
import { perCase, storePerCase } from '../../support/per-case.ts';
import { seedAddress } from '../../support/store.ts';
import { createBlocks } from './blocks.ts';
import { CROWD_POST, createCrowd } from './crowd.ts';
import { createEngine, type SetClock } from './engine.ts';
import { END, HOUR, openGig, START } from './gigs.ts';

/** Raffles whose steps a test takes one by one, a day after their end. */
export function rafflesPerCase({ wrap }: { wrap?: WrapStore } = {}) {
  const { store } = storePerCase(wrap === undefined ? {} : { wrap });
  const clock = perCase((): SetClock => ({ now: END + 24 * HOUR }));
  const blocks = perCase(() => createBlocks(clock));
  const deps: WatchContext = perCase(
    () => createEngine({ store, clock, reader: createCrowd(clock).reader, chain: blocks }).deps,
  );

  /** A raffle in which these accounts are eligible; each has the address of its id. */
  async function enter(ids: readonly number[], { winners = 2, rewardAmount = 100n } = {}): Promise<Gig> {
    const gig = await openGig(store, {
      target: CROWD_POST,
      rule: { type: 'raffle', winners },
      rewardAmount,
      holdMs: HOUR,
    });
    await seedActs(
      store,
      gig,
      ids.map((id) => sampleAct(id)),
      { dueAt: START + HOUR },
    );
    await store.transaction(async (tx) => {
      for (const id of ids) await decideAs(tx, gig, sampleAccount(id), { addresses: [seedAddress(id)] });
    });
    return gig;
  }

  return {
    store,
    clock,
    blocks,
    deps,
    enter,
    /** The same, with its entrants fixed. */
    async fix(ids: readonly number[], terms: { winners?: number; rewardAmount?: bigint } = {}): Promise<Gig> {
      const gig = await enter(ids, terms);
      await closeDraw(deps, gig.id);
      await fixDraw(deps, gig, terms.winners ?? 2);
      return gig;
    },
  };
}
