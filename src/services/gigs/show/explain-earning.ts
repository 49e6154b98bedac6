import { type AccountKey, type AccountName, accountKeyText } from '../../../domain/account.ts';
import type { Observation } from '../../../domain/earning/earning.ts';
import { invalidRequest } from '../../../domain/errors.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import type { OwnTip } from '../../../domain/gigs/tip.ts';
import type { Evaluation } from '../../../store/port/index.ts';
import type { EarningReads } from '../context.ts';
import { findGig } from '../find-gigs.ts';
import { type AccountEarning, findAccountEarning, findGigEarning, type GigEarning } from './find-earnings.ts';
import { OWN_TIPS } from './show-earnings.ts';

const NO_SUCH_HANDLE = 'This service knows no account with this handle: use its id.';

/** A gig with its rules. @throws DomainError `gig_not_found`, or `invalid_request` when it is manual */
export async function requireGigEarning(
  deps: EarningReads,
  { gigId }: { gigId: number },
): Promise<{ gig: Gig; overview: GigEarning }> {
  const gig = await findGig(deps, { gigId });
  const overview = await findGigEarning(deps, gig);
  if (overview !== null) return { gig, overview };
  throw invalidRequest(`Gig ${gigId} is manual: nothing is watched, and its tips are awarded by request.`);
}

export interface ExplainedEarning {
  readonly gig: Gig;
  readonly overview: GigEarning;
  readonly account: AccountEarning;
  /** By rank. */
  readonly acts: readonly Observation[];
  /** Every decision about it, oldest first. */
  readonly evaluations: readonly Evaluation[];
}

/** What an account was awarded from a manual gig. */
export interface ExplainedTips {
  readonly gig: Gig;
  readonly account: AccountKey;
  readonly tips: readonly OwnTip[];
}

/**
 * What an account was awarded from a manual gig, for the operator.
 * @throws DomainError `gig_not_found`, or `invalid_request` when nobody known has the handle, or the account has no tips
 */
export async function explainTips(
  deps: EarningReads,
  { gigId, name }: { gigId: number; name: AccountName },
): Promise<ExplainedTips> {
  const gig = await findGig(deps, { gigId });
  const { platform, platformUserId } = await findAccountEarning(deps, gig, name);
  if (platformUserId === null) throw invalidRequest(NO_SUCH_HANDLE);
  const account = { platform, platformUserId };
  const tips = await deps.store.ownTips(gigId, account, OWN_TIPS);
  if (tips.length > 0) return { gig, account, tips };
  throw invalidRequest(`${accountKeyText(account)} has no tips from gig ${gigId}, which is manual.`);
}

/**
 * Why an account earns from a gig, or not, for the operator.
 * @throws DomainError `gig_not_found`, or `invalid_request` when the gig is manual or nothing was seen of the account
 */
export async function explainEarning(
  deps: EarningReads,
  { gigId, name }: { gigId: number; name: AccountName },
): Promise<ExplainedEarning> {
  const { store } = deps;
  const { gig, overview } = await requireGigEarning(deps, { gigId });
  const account = await findAccountEarning(deps, gig, name);
  const { earning } = account;
  if (earning === null) {
    const said = 'handle' in name ? `@${name.handle}` : name.platformUserId;
    const hint = account.platformUserId === null ? ` ${NO_SUCH_HANDLE}` : '';
    throw invalidRequest(`Nothing that counts for gig ${gigId} was seen of ${name.platform}:${said}.${hint}`);
  }
  const [acts, evaluations] = await Promise.all([
    store.observations(gigId, earning),
    store.evaluations(gigId, earning),
  ]);
  return { gig, overview, account, acts, evaluations };
}
