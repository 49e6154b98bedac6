import { setImmediate } from 'node:timers/promises';
import type { Account, AccountKey } from '../../../domain/account.ts';
import { type Draw, drawsAt, headLine, linesText, type Winner } from '../../../domain/earning/payouts/draw.ts';
import { prizeOf } from '../../../domain/earning/payouts/shares.ts';
import { payoutOf } from '../../../domain/earning/rules/index.ts';
import { readStoredRules } from '../../../domain/earning/terms/rules-json.ts';
import { type DomainError, invalidRequest } from '../../../domain/errors.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import { minuteText } from '../../../domain/time.ts';
import type { StoreReads } from '../../../store/port/index.ts';
import type { ReadContext } from '../../context.ts';
import { findGig } from '../../gigs/find-gigs.ts';

const PAGE = 1_000;

/** What anyone may know of a draw. */
export interface ShownDraw extends Omit<Draw, 'secret'> {
  readonly gig: Gig;
  /** How many are drawn, if so many are eligible. */
  readonly places: number;
  /** When it is drawn at the earliest, epoch milliseconds. */
  readonly drawsAt: number;
  /** Null before the draw. */
  readonly secret: string | null;
  /** What each winner gets, in base units; null before the draw. */
  readonly prize: bigint | null;
  /** By their place; none before the draw. */
  readonly winners: readonly (Winner & Account)[];
}

function noRaffle(gigId: number): DomainError {
  return invalidRequest(`Gig ${gigId} is no raffle, so it has no draw.`);
}

/** A raffle's draw, without what must not be known yet. @throws DomainError `gig_not_found`, or `invalid_request` when there is none */
export async function findDraw({ store }: ReadContext, { gigId }: { gigId: number }): Promise<ShownDraw> {
  const gig = await findGig({ store }, { gigId });
  const [stored, draw] = await Promise.all([store.earningRules(gigId), store.draw(gigId)]);
  if (stored === null) throw noRaffle(gigId);
  const rules = readStoredRules(stored.rules);
  const payout = payoutOf(rules.rule);
  if (payout.by !== 'draw') throw noRaffle(gigId);
  if (draw === null) throw invalidRequest(`Gig ${gigId} is not live yet; its draw begins with its start.`);
  const isDrawn = draw.state === 'drawn';
  const { places } = payout;
  const [winners, round] = isDrawn ? await Promise.all([store.drawWinners(gigId), store.lastRound(gigId)]) : [[], null];
  return {
    gigId,
    gig,
    places,
    drawsAt: drawsAt(rules, gig),
    commitment: draw.commitment,
    state: draw.state,
    fixed: draw.fixed,
    lot: draw.lot,
    secret: isDrawn ? draw.secret : null,
    prize: round === null ? null : prizeOf(round.pool, places),
    winners,
  };
}

/** Reads all entrants, page by page, with a pause after each, so that a large draw delays nothing else. */
export async function* readEntrants(store: StoreReads, gigId: number): AsyncGenerator<readonly AccountKey[]> {
  for (let after: AccountKey | null = null; ; await setImmediate()) {
    const page: AccountKey[] = await store.entrants(gigId, { after, limit: PAGE });
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    after = page.at(-1) ?? null;
  }
}

/** The first line of the text that a draw's root is the hash of; none in a root of version 1, or before it is fixed. */
export function headOf({ gig, fixed, places }: ShownDraw): string {
  if (fixed === null || fixed.rootVersion === 1) return '';
  return headLine({ gigId: gig.id, chainId: gig.token.chainId, places, notBefore: fixed.notBefore });
}

async function* readRootText(store: StoreReads, draw: ShownDraw): AsyncGenerator<string> {
  const head = headOf(draw);
  if (head !== '') yield head;
  for await (const page of readEntrants(store, draw.gigId)) yield linesText(page);
}

/**
 * The text that a draw's root is the hash of, once that is fixed, part by part.
 * @throws DomainError as {@link findDraw}, and `invalid_request` before the entrants are fixed
 */
export async function findEntrants(deps: ReadContext, { gigId }: { gigId: number }): Promise<AsyncGenerator<string>> {
  const draw = await findDraw(deps, { gigId });
  const { fixed, drawsAt } = draw;
  if (fixed !== null) return readRootText(deps.store, draw);
  const words = `The entrants of gig ${gigId} are not fixed yet; it is drawn from ${minuteText(drawsAt)} on.`;
  throw invalidRequest(words);
}
