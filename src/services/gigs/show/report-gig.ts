import { setImmediate } from 'node:timers/promises';
import { DomainError } from '../../../domain/errors.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import {
  type GigSums,
  type Refund,
  type ReportedAccount,
  refundOf,
  reportTip,
  reportUntipped,
  type Statement,
  stateGig,
  type TipSums,
} from '../../../domain/gigs/gig-report.ts';
import type { Actor } from '../../../domain/operators/actor.ts';
import type { ReadContext, ServiceContext } from '../../context.ts';
import { requireSeen } from '../command-gig.ts';
import type { RefundReads } from '../context.ts';
import { pageOfUnawarded } from './unawarded-accounts.ts';

const PAGE = 100;
/** How often the tips are read again because the gig has changed meanwhile. */
const TRIES = 3;

/** The closing statement of a gig, or where it stands before its end. */
export interface GigReport {
  readonly gig: Gig;
  readonly gasUsed: GigSums['gasUsed'];
  readonly payments: GigSums['payments'];
  readonly statement: Statement;
  readonly refund: Refund;
}

/** The sums of a gig. @throws DomainError `gig_not_found` */
export async function requireSums({ store }: ReadContext, gigId: number): Promise<GigSums> {
  const sums = await store.gigSums(gigId);
  if (sums === null) throw new DomainError({ code: 'gig_not_found', gigId });
  return sums;
}

function toReport(sums: GigSums, tips: TipSums | null, refundDelayMs: number): GigReport {
  const { gig, gasUsed, payments } = sums;
  return { gig, gasUsed, payments, statement: stateGig(sums, tips), refund: refundOf(sums, refundDelayMs) };
}

/**
 * The statement of a gig from its kept sums, which cost the same for any number of tips.
 * @param request `actor`: who must see the gig; null for what anyone may see
 * @throws DomainError `gig_not_found`
 */
export async function reportGig(
  deps: RefundReads,
  { gigId, actor }: { gigId: number; actor: Actor | null },
): Promise<GigReport> {
  const sums = await requireSums(deps, gigId);
  if (actor !== null) await requireSeen(deps.store, sums.gig, actor);
  return toReport(sums, null, deps.refundDelayMs);
}

async function addTips({ store }: ReadContext, gigId: number): Promise<TipSums> {
  const sums = { pending: 0n, claimed: 0n, voided: 0n };
  for (let before: number | undefined; ; await setImmediate()) {
    const page = await store.tipsOfGig(gigId, { limit: PAGE, before });
    for (const { amount, status, voidedAt } of page) sums[voidedAt === null ? status : 'voided'] += amount;
    if (page.length < PAGE) return sums;
    before = page.at(-1)?.number;
  }
}

function isSame(some: GigSums, other: GigSums): boolean {
  const textOf = ({ gig, paid, voided }: GigSums) => [gig.awardedAmount, paid, voided].join();
  return textOf(some) === textOf(other);
}

/**
 * The statement of a gig, compared with each of its tips. They are read page by page; when the gig changes all the time,
 * they are left out of it.
 * @throws DomainError `gig_not_found`
 */
export async function auditReport(deps: RefundReads, { gigId }: { gigId: number }): Promise<GigReport> {
  let sums = await requireSums(deps, gigId);
  for (let left = TRIES; left > 0; left--) {
    const tips = await addTips(deps, gigId);
    const after = await requireSums(deps, gigId);
    if (isSame(sums, after)) return toReport(after, tips, deps.refundDelayMs);
    sums = after;
  }
  return toReport(sums, null, deps.refundDelayMs);
}

/** Where a list of a gig's accounts goes on: among the tips, below a number, or among the refused accounts, below an act. */
export interface ReportPlace {
  readonly of: 'tips' | 'refused';
  readonly before?: number | undefined;
}

interface AccountPage {
  readonly accounts: readonly ReportedAccount[];
  /** Null on the last page. */
  readonly next: ReportPlace | null;
}

async function pageOfRefused(
  deps: ServiceContext,
  gig: Gig,
  page: { limit: number; before?: number | undefined },
): Promise<AccountPage> {
  const { accounts, next } = await pageOfUnawarded(deps, gig, { ...page, state: 'refused' });
  return {
    accounts: accounts.map(({ earning, username, sentence }) =>
      reportUntipped({ ...earning, username }, 'refused', sentence),
    ),
    next: next === null ? null : { of: 'refused', before: next },
  };
}

/** A page of a gig's accounts: its tips, the newest first, then those that were refused, newest act first. */
export async function pageOfReport(
  deps: ServiceContext,
  gig: Gig,
  { limit, place }: { limit: number; place: ReportPlace },
): Promise<AccountPage> {
  if (place.of === 'refused') return await pageOfRefused(deps, gig, { limit, before: place.before });
  const found = await deps.store.tipsOfGig(gig.id, { limit: limit + 1, before: place.before });
  const tips = found.slice(0, limit);
  const accounts = tips.map(reportTip);
  if (found.length > limit) return { accounts, next: { of: 'tips', before: tips.at(-1)?.number } };
  const refused = await pageOfRefused(deps, gig, { limit: limit - tips.length });
  return { accounts: [...accounts, ...refused.accounts], next: refused.next };
}

/** Reads all accounts of a gig, page by page, with a pause after each, so that a large gig delays nothing else. */
export async function* readReport(deps: ServiceContext, gig: Gig): AsyncGenerator<readonly ReportedAccount[]> {
  for (let place: ReportPlace | null = { of: 'tips' }; place !== null; await setImmediate()) {
    const page: AccountPage = await pageOfReport(deps, gig, { limit: PAGE, place });
    yield page.accounts;
    place = page.next;
  }
}
