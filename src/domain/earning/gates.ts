import type { Address } from '../gigs/token.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time.ts';
import { type ActKind, STANDS_BY, type Target } from './act.ts';
import { type GigWindow, SEEING_GRACE_MS } from './due.ts';
import { type EarningFacts, type Observation, REFUSAL_REASONS, type RefusalReason, type SpamLabel } from './earning.ts';
import type { HoldingStanding } from './holding/holding.ts';
import type { AccountFacts } from './platform.ts';
import { payoutOf } from './rules/index.ts';
import type { EarningRules, Gates } from './terms/rules.ts';
import type { SweptWatch } from './watch.ts';

/** An account with all its acts in a gig, and what the platform says about them. */
export interface Candidate {
  readonly accountId: string;
  /** At least one, by rank. */
  readonly observations: readonly Observation[];
  readonly isBlocked: boolean;
  readonly label: SpamLabel;
  /** `missing` when the platform's answer lacks the account, `gone` when it still does after {@link MISSING_WAITS_MS}. */
  readonly facts: AccountFacts | 'missing' | 'gone';
  /** When it is due again if it is missing: see {@link missingWait}. */
  readonly dueAgainAt: number;
  /** Those of its posts that still exist. */
  readonly posts: ReadonlySet<string>;
  /** How it stands to what it is to hold; absent where the gig asks for nothing. */
  readonly holding?: HoldingStanding | undefined;
}

/** What accounts of a gig are judged by. */
export interface Judging {
  readonly rules: EarningRules;
  readonly window: GigWindow;
  readonly gigCreatedAt: number;
  readonly watch: SweptWatch;
  /** Acts that are due by then can be decided: see `judgeTime`. */
  readonly settleBy: number;
  /** The bot, the gig's owners, and {@link targetAccount}. */
  readonly ownAccounts: ReadonlySet<string>;
  /** Which accepted account of the gig has verified an address, or used a text; by account id. */
  readonly addressHolders: ReadonlyMap<Address, string>;
  readonly textHolders: ReadonlyMap<string, string>;
}

/**
 * How long an account waits that is missing in one answer, in two in a row, and in more. Those ranked after it also wait, so
 * the first waits are short, and need no new sweep. Missing after the longest one, it is gone.
 */
export const MISSING_WAITS_MS = { first: MINUTE_MS, second: 5 * MINUTE_MS, later: HOUR_MS } as const;

/** When an account is asked about again that is missing, as it was in so many answers in a row before. */
export function missingWait(
  before: number,
  { dueAt, now }: { dueAt: number; now: number },
): { readonly dueAt: number; readonly pauseMs: number | null } {
  const { first, second, later } = MISSING_WAITS_MS;
  return before < 2 ? { dueAt, pauseMs: before === 0 ? first : second } : { dueAt: now + later, pauseMs: null };
}

/** The outcome of an account. */
export type Judgement = {
  /** The act that counts, or the one that came furthest. */
  readonly observation: Observation;
  /** Null when the account is missing or gone. */
  readonly facts: EarningFacts | null;
} & (
  | { readonly state: 'eligible'; readonly addresses: readonly Address[]; readonly textHash: string | null }
  /** A later act may pass, the account may be found, or what it holds be known, at this time. */
  | { readonly state: 'held'; readonly dueAt: number }
  | { readonly state: 'refused'; readonly reason: RefusalReason }
);

interface Trial {
  readonly candidate: Candidate;
  readonly judging: Judging;
  readonly observation: Observation;
}

/** The account that a target is or was written by, which earns nothing from its own gig; null for a keyword. */
export function targetAccount(target: Target): string | null {
  switch (target.kind) {
    case 'post':
      return target.authorId;
    case 'account':
      return target.accountId;
    case 'keyword':
      return null;
  }
}

/** The platform's time, else the earliest at which the act can have happened. */
function timeOf({ source, actedAt, rankedAt }: Observation): number {
  if (actedAt !== null) return actedAt;
  return source === 'start' ? Number.NEGATIVE_INFINITY : rankedAt;
}

function isLate({ observation, judging: { window } }: Trial): boolean {
  return timeOf(observation) >= window.endTime || observation.firstSeenAt > window.endTime + SEEING_GRACE_MS;
}

function isKnown(facts: Candidate['facts']): facts is AccountFacts {
  return typeof facts === 'object';
}

interface SeenAct {
  readonly kind: ActKind;
  readonly undoneAt: number | null;
  readonly lastSeenAt: number;
}

/** Whether an act is known to be undone: the platform told about it, or the last complete sweep did not find it. */
export function isUndone(
  { kind, undoneAt, lastSeenAt }: SeenAct,
  { window, watch }: { readonly watch: SweptWatch; readonly window: { readonly endTime: number } },
): boolean {
  if (undoneAt !== null && undoneAt < window.endTime) return true;
  // Deleting the target saves its owner nothing.
  if (watch.goneAt !== null || STANDS_BY[kind] !== 'sweep') return false;
  return watch.sweptAt !== null && lastSeenAt < watch.sweptAt;
}

function isWithdrawn({ candidate: { facts, posts }, judging, observation }: Trial): boolean {
  if (isUndone(observation, judging)) return true;
  if (judging.watch.goneAt !== null) return false;
  switch (STANDS_BY[observation.kind]) {
    case 'sweep':
    case 'always':
      return false;
    case 'post':
      return !posts.has(observation.objectId);
    case 'follow':
      return isKnown(facts) && facts.follows === false;
  }
}

/** How old an account was at an act, in whole days; null when the platform does not tell. */
export function ageInDays(registeredAt: number | null, at: number): number | null {
  return registeredAt === null ? null : Math.max(0, Math.floor((at - registeredAt) / DAY_MS));
}

function isTooYoung({ registeredAt }: AccountFacts, { judging, observation }: Trial): boolean {
  const { minAccountAgeDays } = judging.rules.gates;
  if (registeredAt === null) return minAccountAgeDays > 0;
  const age = ageInDays(registeredAt, observation.rankedAt) ?? 0;
  return age < minAccountAgeDays || registeredAt > judging.gigCreatedAt;
}

function isLabelled(label: SpamLabel, { spamLabel }: Gates): boolean {
  if (spamLabel === 'any') return false;
  return spamLabel === 'trusted' ? label !== 'trusted' : label === 'spam';
}

function isHeldByOther<Key>(holders: ReadonlyMap<Key, string>, key: Key, accountId: string): boolean {
  const holder = holders.get(key);
  return holder !== undefined && holder !== accountId;
}

function accountFailure(facts: AccountFacts, trial: Trial): RefusalReason | null {
  const { candidate, judging } = trial;
  const { gates } = judging.rules;
  if (gates.minScore > 0 && facts.score === null) return 'score_unknown';
  if ((facts.score ?? 0) < gates.minScore) return 'score_too_low';
  if (isTooYoung(facts, trial)) return 'too_young';
  if ((facts.followers ?? 0) < gates.minFollowers) return 'too_few_followers';
  if (isLabelled(candidate.label, gates)) return 'labelled_spam';
  if (gates.verifiedAddress && facts.addresses.length === 0) return 'no_verified_address';
  const isShared = facts.addresses.some((address) =>
    isHeldByOther(judging.addressHolders, address, candidate.accountId),
  );
  return isShared ? 'same_address' : null;
}

function textFailure({ candidate, judging, observation }: Trial): RefusalReason | null {
  const { kind, letters, textHash } = observation;
  const hasText = STANDS_BY[kind] === 'post';
  if (hasText && (letters ?? 0) < judging.rules.gates.minLetters) return 'text_too_short';
  if (textHash === null) return null;
  return isHeldByOther(judging.textHolders, textHash, candidate.accountId) ? 'duplicate_text' : null;
}

function holdingFailure({ holding }: Candidate): RefusalReason | null {
  if (holding?.state === 'never_known') return 'not_decided';
  return holding?.state === 'too_little' ? 'too_little_held' : null;
}

function failureOf(trial: Trial): RefusalReason | null {
  const { candidate, judging, observation } = trial;
  if (timeOf(observation) < judging.window.startTime) return 'before_start';
  if (isLate(trial)) return 'after_end';
  if (judging.ownAccounts.has(candidate.accountId)) return 'own_account';
  if (candidate.isBlocked) return 'blocked';
  if (isWithdrawn(trial)) return 'withdrawn';
  if (!isKnown(candidate.facts)) return 'account_gone';
  return accountFailure(candidate.facts, trial) ?? textFailure(trial) ?? holdingFailure(candidate);
}

function keptFacts({ facts, label, holding }: Candidate, { letters }: Observation): EarningFacts | null {
  if (!isKnown(facts)) return null;
  const { username, score, followers, registeredAt, addresses } = facts;
  const known = { username, score, followers, registeredAt, label, verifiedAddresses: addresses.length, letters };
  return holding === undefined ? known : { ...known, holding: holding.facts };
}

/** Of failures that came equally far, the earliest. */
function furthest(failures: readonly { observation: Observation; reason: RefusalReason }[]) {
  const order = ({ reason }: { reason: RefusalReason }) => REFUSAL_REASONS.indexOf(reason);
  return failures.reduce((best, failure) => (order(failure) > order(best) ? failure : best));
}

/**
 * Judges an account: the earliest of its acts that stands and passes every gate counts, with its own rank and hold. The
 * order of its acts decides alone: it waits for an earlier act that is not due.
 * @throws TypeError without acts
 */
export function judgeAccount(candidate: Candidate, judging: Judging): Judgement {
  const { rules, window } = judging;
  const failures: { observation: Observation; reason: RefusalReason }[] = [];
  for (const observation of candidate.observations) {
    const reason = failureOf({ candidate, judging, observation });
    if (reason !== null) {
      failures.push({ observation, reason });
      continue;
    }
    const facts = keptFacts(candidate, observation);
    const { holding } = candidate;
    if (holding?.state === 'waits') return { state: 'held', observation, facts, dueAt: holding.dueAt };
    const dueAt = payoutOf(rules.rule).dueOf(rules, window, observation);
    if (dueAt > judging.settleBy) return { state: 'held', observation, facts, dueAt };
    const addresses = isKnown(candidate.facts) ? candidate.facts.addresses : [];
    return { state: 'eligible', observation, facts, addresses, textHash: observation.textHash };
  }
  const { observation, reason } = furthest(failures);
  if (reason === 'account_gone' && candidate.facts === 'missing') {
    return { state: 'held', observation, facts: null, dueAt: candidate.dueAgainAt };
  }
  return { state: 'refused', observation, facts: keptFacts(candidate, observation), reason };
}
