import { setImmediate } from 'node:timers/promises';
import { type ReportedTip, reportTip } from '../../../domain/gigs/gig-report.ts';
import type { Token } from '../../../domain/gigs/token.ts';
import type { Actor } from '../../../domain/operators/actor.ts';
import type { ReadContext } from '../../context.ts';
import { findSeenGig } from '../command-gig.ts';

/** How many tips one page of the store has, and how many pages one request reads for tips of one status. */
const SCANNED = 100;
const SCANS = 10;

export interface TipList {
  readonly token: Token;
  readonly tips: readonly ReportedTip[];
  /** The number below which the list goes on; null at its end. */
  readonly next: number | null;
}

/**
 * Tips of a gig, the newest first, below the number `before`. With a status there may be fewer than `limit` before the end of
 * the list, because a request reads a bounded number of tips.
 * @throws DomainError `gig_not_found`
 */
export async function listTips(
  deps: ReadContext,
  request: {
    readonly gigId: number;
    readonly actor: Actor;
    readonly status: ReportedTip['status'] | undefined;
    readonly limit: number;
    readonly before: number | undefined;
  },
): Promise<TipList> {
  const { gigId, actor, status, limit } = request;
  const { token } = await findSeenGig(deps.store, { gigId, actor });
  const tips: ReportedTip[] = [];
  let { before } = request;
  for (let scan = 0; scan < SCANS; scan += 1) {
    const page = await deps.store.tipsOfGig(gigId, { limit: SCANNED + 1, before });
    for (const tip of page.slice(0, SCANNED).map(reportTip)) {
      if (tips.length === limit) return { token, tips, next: before ?? null };
      before = tip.tipNumber;
      if (status === undefined || tip.status === status) tips.push(tip);
    }
    if (page.length <= SCANNED) return { token, tips, next: null };
    await setImmediate();
  }
  return { token, tips, next: before ?? null };
}
