import { formatAmount } from '../../../domain/amount.ts';
import type { Earning } from '../../../domain/earning/earning.ts';
import { readStoredRules } from '../../../domain/earning/terms/rules-json.ts';
import { earningSentence, toldBy } from '../../../domain/earning/words/earning-words.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import type { ReportedAccount } from '../../../domain/gigs/gig-report.ts';
import type { TwoWayPage } from '../../../store/port/index.ts';
import type { ServiceContext } from '../../context.ts';

/** Accounts that a gig's rules have refused. */
export interface RefusedPage {
  readonly accounts: readonly ReportedAccount[];
  /** The `before` or `after` of the next page, the id of an act; null on the last one. */
  readonly next: number | null;
}

function reportRefused({ platform, platformUserId, facts }: Earning, reason: string): ReportedAccount {
  const none = {
    amount: null,
    tipId: null,
    tipNumber: null,
    awardedAt: null,
    recipient: null,
    hash: null,
    paidAt: null,
  };
  return { platform, platformUserId, username: facts?.username ?? null, status: 'refused', ...none, reason };
}

/** A page of the accounts that a gig's rules have refused, by the act that counts; none of a gig without rules. */
export async function pageOfRefused(
  { store, clock }: ServiceContext,
  { id: gigId, token }: Gig,
  { limit, before, after }: TwoWayPage,
): Promise<RefusedPage> {
  const stored = await store.earningRules(gigId);
  if (stored === null) return { accounts: [], next: null };
  const amountText = (amount: bigint) => `${formatAmount(amount, token.decimals)} ${token.symbol}`;
  const told = { ...toldBy(readStoredRules(stored.rules)), now: clock(), amountText };
  const found = await store.earnings({ gigId, state: 'refused', limit: limit + 1, before, after });
  const page = found.slice(0, limit);
  return {
    accounts: page.map((earning) => reportRefused(earning, earningSentence(earning, told))),
    // A page of none ends where it began.
    next: found.length > limit ? (page.at(-1)?.observationId ?? before ?? Number.MAX_SAFE_INTEGER) : null,
  };
}
