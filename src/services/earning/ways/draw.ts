import type { BlockRef } from '../../../domain/chains/block.ts';
import { closesAt } from '../../../domain/earning/due.ts';
import { AWARD_BATCH } from '../../../domain/earning/payouts/by-rank.ts';
import {
  createLottery,
  createRoot,
  DRAW_DELAY_MS,
  type Draw,
  headLine,
  ROOT_VERSION,
  seedOf,
  type Winner,
} from '../../../domain/earning/payouts/draw.ts';
import { type DrawStep, drawProgress } from '../../../domain/earning/payouts/draw-step.ts';
import type { RulePayout } from '../../../domain/earning/payouts/payout.ts';
import { prizeOf } from '../../../domain/earning/payouts/shares.ts';
import { AdapterError } from '../../../domain/errors.ts';
import { awardableOf, type Gig } from '../../../domain/gigs/gig.ts';
import { DAY_MS } from '../../../domain/time.ts';
import type { Store, StoreTx } from '../../../store/port/index.ts';
import type { ServiceContext } from '../../context.ts';
import { type Commanded, commandGig } from '../../gigs/command-gig.ts';
import { recordGigEvent } from '../../operators/audit-events.ts';
import { ENGINE } from '../award/award-earnings.ts';
import { runBatches } from '../award/batches.ts';
import { refuseOpen, refusePaid } from '../award/refuse.ts';
import { readEntrants } from '../award/show-draw.ts';
import type { WatchContext } from '../context.ts';
import { handOutShares } from './rounds.ts';
import type { PayingWay } from './way.ts';

/** How often the chain is asked for a block that it does not have yet. */
const BLOCK_PAUSE_MS = 15_000;
/** A chain without a block for so long is said not to answer. */
const PATIENCE_MS = 600_000;
/**
 * A newest block that is further ahead of the clock, or behind it, shows that one of both is wrong: what is fixed by a clock
 * of another year is drawn in that year. A chain that is not used may make no block for hours.
 */
const MOST_APART_MS = { ahead: 600_000, behind: DAY_MS };
/** The root is public for the rest of the delay before the block can exist. */
const FIXING_MS = 20_000;

/** Closes a draw: from now on nobody enters or leaves. */
export async function closeDraw({ store, clock }: ServiceContext, gigId: number): Promise<void> {
  await store.transaction(async (tx) => {
    const [held, draw] = [await tx.nextHeldDue(gigId), await tx.draw(gigId)];
    if (held !== null || draw?.state !== 'open') return;
    const now = clock();
    await refusePaid(tx, gigId, now);
    await tx.closeDraw(gigId, now);
  });
}

/** The block that decides exists neither by the clock nor by the chain yet. Epoch milliseconds. */
async function readTimes({ clock, chains }: WatchContext, chainId: number) {
  const reader = chains.reader(chainId);
  const newest = await reader.newestBlock();
  const fixedAt = clock();
  const aheadMs = newest.at - fixedAt;
  const isAhead = aheadMs > MOST_APART_MS.ahead;
  if (!isAhead && -aheadMs <= MOST_APART_MS.behind) {
    return { fixedAt, notBefore: Math.max(fixedAt, newest.at) + DRAW_DELAY_MS };
  }
  const apart = `${Math.floor(Math.abs(aheadMs) / 1_000)} s ${isAhead ? 'ahead of' : 'behind'} the clock`;
  const message = `chain ${reader.chain.key}: the time of its newest block is ${apart}, so no draw is fixed`;
  throw new AdapterError({ retry: 'safe', reason: 'bad_response', message });
}

/**
 * Fixes the entrants of a closed draw and the time of the block that decides, under one hash.
 * @throws AdapterError when the chain does not answer, when its time and the clock are far apart, or when hashing took long
 */
export async function fixDraw(deps: WatchContext, gig: Gig, places: number): Promise<void> {
  const { store, clock } = deps;
  const { id: gigId, token } = gig;
  const { fixedAt, notBefore } = await readTimes(deps, token.chainId);
  const hash = createRoot(headLine({ gigId, chainId: token.chainId, places, notBefore }));
  for await (const page of readEntrants(store, gigId)) hash.add(page);
  const { entrants, root } = hash.done();
  await store.transaction(async (tx) => {
    const tookMs = clock() - fixedAt;
    if (tookMs < 0 || tookMs > FIXING_MS) {
      // The block may exist by now, or the clock was set back meanwhile.
      const message = `gig ${gigId}: its draw was not fixed within ${FIXING_MS / 1_000} s`;
      throw new AdapterError({ retry: 'safe', reason: 'timeout', message });
    }
    if (!(await tx.fixDraw(gigId, { entrants, root, rootVersion: ROOT_VERSION, fixedAt, notBefore }))) return;
    const change = { action: 'draw.fix', gigId, detail: { entrants, root, notBefore } } as const;
    await recordGigEvent(tx, { actor: ENGINE, now: fixedAt }, change);
  });
}

/** `seed` is the number that decided. */
async function drawWinners(
  store: Store,
  { gigId, secret }: Draw,
  { root, winners, block }: { root: string; winners: number; block: BlockRef },
): Promise<{ seed: string; won: readonly Winner[] }> {
  const seed = seedOf({ secret, blockHash: block.hash, root });
  const lottery = createLottery({ seed, winners });
  for await (const page of readEntrants(store, gigId)) lottery.enter(page);
  return { seed, won: lottery.winners() };
}

/** The winners are the members of the gig's one round. */
async function divideAmong(
  tx: StoreTx,
  gig: Commanded,
  { winners, won, now }: { winners: number; won: readonly Winner[]; now: number },
) {
  const pool = awardableOf(gig);
  const reserved = prizeOf(pool, winners) * BigInt(won.length);
  const part = { round: 1, weight: 1n };
  for (const [index, winner] of won.entries()) {
    if (index > 0 && index % AWARD_BATCH === 0) await tx.rest();
    const earning = await tx.earning(gig.id, winner);
    if (earning === null) throw new TypeError(`gig ${gig.id}: an entrant has no earning`);
    // Its addresses and its text stay as they are.
    const stays = { from: 'eligible', to: 'eligible', reason: null, part, addresses: [], textHash: null } as const;
    if (await tx.decideEarning({ ...earning, ...stays }, now)) continue;
    throw new TypeError(`an account of gig ${gig.id} is not eligible any more`);
  }
  await tx.divideRound(gig.id, { number: 1, pool, total: BigInt(winners), members: won.length, reserved, now });
  return { pool, reserved };
}

/**
 * Draws the winners by the first block of the gig's chain with the time that was fixed, or a later one.
 * @returns when the chain is to be asked again, because it has no such block yet; null after the draw
 * @throws AdapterError when the chain does not answer, or has made no block for long
 */
export async function drawRaffle(
  { store, clock, chains }: WatchContext,
  { id: gigId, token }: Gig,
  winners: number,
): Promise<number | null> {
  const draw = await store.draw(gigId);
  if (draw === null || draw.fixed === null || draw.lot !== null) return null;
  const { root, notBefore } = draw.fixed;
  const reader = chains.reader(token.chainId);
  const block = await reader.firstBlockSince(notBefore);
  if (block === null) {
    if (clock() < notBefore + PATIENCE_MS) return clock() + BLOCK_PAUSE_MS;
    const message = `chain ${reader.chain.key}: no settled block has the time of the draw or a later one`;
    throw new AdapterError({ retry: 'safe', reason: 'not_found', message });
  }
  const { seed, won } = await drawWinners(store, draw, { root, winners, block });
  await store.transaction(async (tx) => {
    if ((await tx.draw(gigId))?.state !== 'fixed') return;
    const now = clock();
    const gig = await commandGig(tx, { gigId, actor: ENGINE, act: 'award' });
    const { pool, reserved } = await divideAmong(tx, gig, { winners, won, now });
    await tx.storeDrawn(gigId, { block, seed, drawnAt: now, winners: won });
    const detail = { block: block.number, pool, winners: won.length, reserved };
    await recordGigEvent(tx, { actor: ENGINE, now }, { action: 'draw.draw', gigId, detail });
  });
  return null;
}

async function refuseOthers(deps: ServiceContext, gigId: number): Promise<void> {
  await runBatches(deps, async (tx, now) => {
    const isHeld = (await tx.nextHeldDue(gigId)) !== null;
    // The one round of a raffle is that of the drawn.
    const isOver = (await tx.lastRound(gigId))?.state === 'over';
    if (isHeld || !isOver) return 0;
    return await refuseOpen(tx, gigId, { reason: 'not_drawn', now });
  });
}

/** After the end a block decides who wins, with a secret from the start of the gig. */
export function drawWay({ places }: RulePayout<'draw'>): PayingWay {
  return {
    asksChain: ['fix_draw', 'draw'],
    async progress({ store }, { gig, rules }, { first }) {
      const [draw, round] = await Promise.all([store.draw(gig.id), store.lastRound(gig.id)]);
      if (draw === null) throw new TypeError(`gig ${gig.id} is a raffle without a draw`);
      const { state, fixed } = draw;
      const isHandingOut = round?.state === 'divided';
      const facts = { state, closesAt: closesAt(rules, gig), notBefore: fixed?.notBefore ?? null, isHandingOut };
      return drawProgress(facts, first !== undefined);
    },
    async joining(tx, gig) {
      const isOpen = (await tx.draw(gig.id))?.state === 'open';
      return () => (isOpen ? null : 'after_end');
    },
    async take(deps, { gig }, { kind }: DrawStep) {
      if (kind === 'draw') return await drawRaffle(deps, gig, places);
      const take = {
        close_draw: () => closeDraw(deps, gig.id),
        fix_draw: () => fixDraw(deps, gig, places),
        hand_out: () => handOutShares(deps, gig.id, null),
        refuse_others: () => refuseOthers(deps, gig.id),
      };
      await take[kind]();
      return null;
    },
  };
}
