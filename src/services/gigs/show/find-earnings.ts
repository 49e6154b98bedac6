import type { AccountKey, AccountName, Platform } from '../../../domain/account.ts';
import type { ActKind, Target } from '../../../domain/earning/act.ts';
import type { Earning, EarningState } from '../../../domain/earning/earning.ts';
import { byHandHint, type Decider, deciderOf } from '../../../domain/earning/payouts/verifier.ts';
import { payoutOf, type RuleType } from '../../../domain/earning/rules/index.ts';
import type { EarningRules, Gates } from '../../../domain/earning/terms/rules.ts';
import { readStoredRules } from '../../../domain/earning/terms/rules-json.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import type { Actor } from '../../../domain/operators/actor.ts';
import type { EarningOverview, TwoWayPage } from '../../../store/port/index.ts';
import type { ReadContext } from '../../context.ts';
import { findSeenGig } from '../command-gig.ts';
import type { EarningReads } from '../context.ts';
import { findGig } from '../find-gigs.ts';
import { findMissing, withHeld } from './find-held.ts';
import { findSubmissions, type Submission } from './find-submissions.ts';

export interface GigEarning {
  readonly rules: EarningRules;
  readonly target: Target;
  /** Who decides on submissions; null where nobody does. */
  readonly decidedBy: Decider | null;
  /** Why a `verifier` that is a URL is not asked, as a sentence; null where there is none, or it is asked. */
  readonly byHandHint: string | null;
  /** When everything was decided, or the earliest time at which it can be; epoch milliseconds. */
  readonly settlesAt: number;
  readonly isDecided: boolean;
  /** When the next round is divided, or the raffle drawn, at the earliest, epoch milliseconds; null when none is left. */
  readonly nextDivisionAt: number | null;
  /** How many accounts are in each state. */
  readonly counts: Readonly<Record<EarningState, number>>;
  /** What the accounts in each state get by the rules, in base units; held and refused ones have no amount. */
  readonly sums: Readonly<Record<EarningState, bigint>>;
}

function countsOf(counts: EarningOverview['counts']): GigEarning['counts'] {
  const found = new Map(counts.map(({ state, count }) => [state, count]));
  const of = (state: EarningState) => found.get(state) ?? 0;
  return { held: of('held'), eligible: of('eligible'), awarded: of('awarded'), refused: of('refused') };
}

function toGigEarning(
  gig: Gig,
  { stored, counts, earned, divided, overAt }: EarningOverview,
  verifiers: EarningReads['verifiers'],
): GigEarning {
  const rules = readStoredRules(stored.rules);
  const payout = payoutOf(rules.rule);
  const decidedBy = payout.hasSubmissions ? deciderOf(gig.verifier, verifiers) : null;
  return {
    rules,
    target: stored.target,
    decidedBy,
    byHandHint: decidedBy === null ? null : byHandHint(gig.verifier, decidedBy),
    settlesAt: overAt ?? payout.settlesAt(rules, gig),
    isDecided: overAt !== null,
    nextDivisionAt: overAt === null ? payout.nextDivisionAt(rules, gig, divided) : null,
    counts: countsOf(counts),
    sums: { held: 0n, eligible: gig.reservedAmount, awarded: earned, refused: 0n },
  };
}

/** Those of these gigs that are earned by rules, by their ids; the others are manual. */
export async function findGigEarnings(
  { store, verifiers }: EarningReads,
  gigs: readonly Gig[],
): Promise<ReadonlyMap<number, GigEarning>> {
  const overviews = await store.earningOverviews(gigs.map(({ id }) => id));
  const byGig = new Map(overviews.map((overview) => [overview.stored.gigId, overview]));
  return new Map(
    gigs.flatMap((gig) => {
      const overview = byGig.get(gig.id);
      return overview === undefined ? [] : [[gig.id, toGigEarning(gig, overview, verifiers)]];
    }),
  );
}

/** How a gig is earned by rules; null when it is manual. */
export async function findGigEarning(deps: EarningReads, gig: Gig): Promise<GigEarning | null> {
  return (await findGigEarnings(deps, [gig])).get(gig.id) ?? null;
}

export interface AccountEarning {
  readonly platform: Platform;
  /** Null for a handle that no known account holds. */
  readonly platformUserId: string | null;
  readonly username: string | null;
  /** Null when nothing of the account was seen. */
  readonly earning: Earning | null;
  /** What it did and is not there any more, of a held one; null when it is, or that is not known. */
  readonly missing: ActKind | null;
  /** What is to be decided on, for those who decide; absent for others. */
  readonly submission?: Submission;
}

export interface GigAccounts {
  readonly gig: Gig;
  /** Null when the gig is manual. */
  readonly overview: GigEarning | null;
  readonly accounts: readonly AccountEarning[];
}

/** The outcome of one account in a gig. */
export async function findAccountEarning({ store }: ReadContext, gig: Gig, name: AccountName): Promise<AccountEarning> {
  const { platform } = name;
  const known = 'handle' in name ? await store.accountByHandle(platform, name.handle) : await store.account(name);
  if (known === null && 'handle' in name) {
    return { platform, platformUserId: null, username: name.handle, earning: null, missing: null };
  }
  const { platformUserId } = known ?? (name as AccountKey);
  const earning = await store.earning(gig.id, { platform, platformUserId });
  const missing = earning === null ? null : await findMissing(store, gig, earning);
  return { platform, platformUserId, username: known?.username ?? earning?.facts?.username ?? null, earning, missing };
}

/**
 * The outcome of some accounts in a gig, in the order in which they are named.
 * @param options.readNames the accounts that are asked for, on the gig's platform
 * @throws DomainError `gig_not_found`
 */
export async function findAccountEarnings(
  deps: EarningReads,
  { gigId, readNames }: { gigId: number; readNames: (gig: Gig) => readonly AccountName[] },
): Promise<GigAccounts> {
  const gig = await findGig(deps, { gigId });
  const names = readNames(gig);
  const overview = await findGigEarning(deps, gig);
  const accounts = await Promise.all(names.map((name) => findAccountEarning(deps, gig, name)));
  return { gig, overview, accounts };
}

/** A page of earnings; `next` is the `before` or `after` of the next page, or null on the last one. */
export async function pageOfEarnings(
  { store }: ReadContext,
  { gig, ...wanted }: TwoWayPage & { readonly gig: Gig; readonly state?: EarningState | undefined },
): Promise<{ accounts: AccountEarning[]; next: number | null }> {
  const { limit } = wanted;
  const found = await store.earnings({ ...wanted, gigId: gig.id, limit: limit + 1 });
  const page = found.slice(0, limit);
  const accounts = page.map((earning) => {
    const { platform, platformUserId, facts } = earning;
    return { platform, platformUserId, username: facts?.username ?? null, earning };
  });
  return {
    accounts: await withHeld(store, gig, accounts),
    next: found.length > limit ? (page.at(-1)?.observationId ?? null) : null,
  };
}

/** Only a verifier's rule has anything to decide. */
async function withSubmissions(
  { store }: ReadContext,
  { overview, accounts }: GigAccounts,
): Promise<readonly AccountEarning[]> {
  if (overview === null || overview.decidedBy === null) return accounts;
  const open = accounts.flatMap(({ earning }) => (earning?.state === 'eligible' ? [earning] : []));
  const submissions = new Map((await findSubmissions(store, open)).map((each) => [each.earning, each]));
  return accounts.map((account) => {
    const submission = account.earning === null ? undefined : submissions.get(account.earning);
    return submission === undefined ? account : { ...account, submission };
  });
}

/**
 * A page of everything that is earned from a gig, for its client.
 * @throws DomainError `gig_not_found`, also when the actor may not see the gig
 */
export async function listGigEarnings(
  deps: EarningReads,
  { gigId, actor, limit, before }: { gigId: number; actor: Actor; limit: number; before?: number | undefined },
): Promise<GigAccounts & { next: number | null }> {
  const gig = await findSeenGig(deps.store, { gigId, actor });
  const overview = await findGigEarning(deps, gig);
  const { accounts, next } = await pageOfEarnings(deps, { gig, limit, before });
  return { gig, overview, accounts: await withSubmissions(deps, { gig, overview, accounts }), next };
}

/** An earning that is not awarded, with the gates that its sentence needs. */
export interface UnawardedEarning {
  readonly earning: Earning;
  readonly gates: Gates;
  readonly ruleType: RuleType;
}

/** What an account has not earned, or not yet, in all gigs; newest first by the act that counts, whose id `before` is. */
export async function findUnawarded(
  { store }: ReadContext,
  { account, limit, before }: { account: AccountKey; limit: number; before?: number | undefined },
): Promise<UnawardedEarning[]> {
  const found = await store.earningsOf(account, { limit, before });
  if (found.length === 0) return [];
  const overviews = await store.earningOverviews([...new Set(found.map(({ gigId }) => gigId))]);
  const rulesOf = new Map(overviews.map(({ stored: { gigId, rules } }) => [gigId, readStoredRules(rules)]));
  return found.flatMap((earning) => {
    const rules = rulesOf.get(earning.gigId);
    return rules === undefined ? [] : [{ earning, gates: rules.gates, ruleType: rules.rule.type }];
  });
}
