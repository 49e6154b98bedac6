import { formatAmount } from '../../../domain/amount.ts';
import type { Earning, EarningState } from '../../../domain/earning/earning.ts';
import { readStoredRules } from '../../../domain/earning/terms/rules-json.ts';
import { earningSentence, toldBy } from '../../../domain/earning/words/earning-words.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import type { TwoWayPage } from '../../../store/port/index.ts';
import type { TimedReads } from '../../context.ts';
import { withHeld } from './find-held.ts';

/** An account without a tip, with why, as a sentence. */
export interface UnawardedAccount {
  readonly earning: Earning;
  readonly username: string | null;
  readonly sentence: string;
}

interface UnawardedPage {
  readonly accounts: readonly UnawardedAccount[];
  /** The `before` or `after` of the next page, the id of an act; null on the last one. */
  readonly next: number | null;
}

/** A page of the accounts in a state of a gig's rules, by the act that counts; none of a gig without rules. */
export async function pageOfUnawarded(
  { store, clock }: TimedReads,
  gig: Gig,
  { state, limit, before, after }: TwoWayPage & { readonly state: Exclude<EarningState, 'awarded'> },
): Promise<UnawardedPage> {
  const { id: gigId, token } = gig;
  const stored = await store.earningRules(gigId);
  if (stored === null) return { accounts: [], next: null };
  const amountText = (amount: bigint) => `${formatAmount(amount, token.decimals)} ${token.symbol}`;
  const told = { ...toldBy(readStoredRules(stored.rules)), now: clock(), amountText };
  const found = await store.earnings({ gigId, state, limit: limit + 1, before, after });
  const page = found.slice(0, limit).map((earning) => ({ earning, username: earning.facts?.username ?? null }));
  return {
    accounts: (await withHeld(store, gig, page)).map(({ earning, username, missing }) => {
      return { earning, username, sentence: earningSentence(earning, { ...told, missing }) };
    }),
    // A page of none ends where it began.
    next: found.length > limit ? (page.at(-1)?.earning.observationId ?? before ?? Number.MAX_SAFE_INTEGER) : null,
  };
}

/** How many refused accounts are searched for refusals by gates. */
const LOOKED_AT = 200;

/** The accounts of a gig that its gates refuse or do not let through yet: the newest of each kind, at most `limit`. */
export async function findHeldBack(
  deps: TimedReads,
  gig: Gig,
  { limit }: { readonly limit: number },
): Promise<readonly UnawardedAccount[]> {
  const held = await pageOfUnawarded(deps, gig, { state: 'held', limit });
  const refused = await pageOfUnawarded(deps, gig, { state: 'refused', limit: LOOKED_AT });
  // What people decided is no gate.
  const byGates = refused.accounts.filter(({ earning }) => earning.reason !== 'verifier_refused');
  return [...held.accounts, ...byGates.slice(0, limit)];
}
