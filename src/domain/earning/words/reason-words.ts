import { countOf } from '../../count.ts';
import { dayText } from '../../time.ts';
import type { EarningFacts, RefusalReason, SpamLabel } from '../earning.ts';
import { ageInDays } from '../gates.ts';
import { heldWords, tooLittleWords } from '../holding/words.ts';
import { type Gates, MILLION } from '../terms/rules.ts';

export interface RefusalFacts {
  /** What was known of the account; null when nothing was. */
  readonly facts: EarningFacts | null;
  readonly gates: Gates;
  /** The rank of the act that counted: the account's age is told as of then. */
  readonly rankedAt: number;
  /** The verifier's words; absent or null without any. */
  readonly note?: string | null | undefined;
  /** Whether the account itself reads it, and is addressed as you. */
  readonly isOwn?: boolean | undefined;
}

const your = ({ isOwn = false }: Pick<RefusalFacts, 'isOwn'>) => (isOwn ? 'your' : 'the');

function youthWords(refusal: RefusalFacts): string {
  const { facts, gates, rankedAt } = refusal;
  const age = ageInDays(facts?.registeredAt ?? null, rankedAt);
  const needed = gates.minAccountAgeDays;
  if (age === null)
    return `the age of ${your(refusal)} account is unknown; this gig requires ${countOf(needed, 'day')}`;
  if (age >= needed) return `${your(refusal)} account was created after the gig`;
  return `${your(refusal)} account was ${countOf(age, 'day')} old; this gig requires ${needed}`;
}

function followerWords(refusal: RefusalFacts): string {
  const followers = refusal.facts?.followers ?? null;
  const required = `this gig requires ${refusal.gates.minFollowers}`;
  if (followers === null) return `the number of followers is unknown; ${required}`;
  return `${your(refusal)} account has ${countOf(followers, 'follower')}; ${required}`;
}

/** That a text with so many letters is too short. */
export function shortTextWords(
  letters: number,
  { gates, isOwn = false }: Pick<RefusalFacts, 'gates' | 'isOwn'>,
): string {
  if (isOwn) return `add at least ${countOf(gates.minLetters, 'letter')} of text besides links and names`;
  return `the text has ${countOf(letters, 'letter')} besides links and names; this gig requires ${gates.minLetters}`;
}

const WORDS: Readonly<Record<RefusalReason, (refusal: RefusalFacts) => string>> = {
  before_start: () => 'it happened before the gig started',
  after_end: () => 'it happened, or was first seen, after the gig ended',
  own_account: ({ isOwn = false }) =>
    isOwn
      ? 'you own this gig, or it is about your post or profile'
      : 'the account owns this gig, or the gig is about its post or profile',
  blocked: (refusal) => `the operator has blocked ${your(refusal)} account`,
  withdrawn: ({ isOwn = false }) => `${isOwn ? 'you' : 'the account'} undid it before the decision`,
  account_gone: (refusal) => `${your(refusal)} account no longer exists`,
  score_unknown: (refusal) =>
    `${your(refusal)} account has no Farcaster score; this gig requires ${refusal.gates.minScore / MILLION}`,
  score_too_low: (refusal) => {
    const score = (refusal.facts?.score ?? 0) / MILLION;
    return `${your(refusal)} Farcaster score is ${score}; this gig requires ${refusal.gates.minScore / MILLION}`;
  },
  too_young: youthWords,
  too_few_followers: followerWords,
  labelled_spam: (refusal) =>
    refusal.gates.spamLabel === 'trusted'
      ? `${your(refusal)} account is not labeled as trusted`
      : `${your(refusal)} account is labeled as spam`,
  no_verified_address: (refusal) => `${your(refusal)} account has no verified address`,
  same_address: () => 'a verified address of the account has already earned from this gig',
  text_too_short: (refusal) => shortTextWords(refusal.facts?.letters ?? 0, refusal),
  duplicate_text: () => 'another account has already earned from this gig with the same text',
  too_little_held: ({ facts, isOwn = false }) => tooLittleWords(facts?.holding, isOwn),
  reward_used_up: (refusal) =>
    refusal.facts === null
      ? `the reward was used up before ${your(refusal)} account was checked`
      : 'the reward was used up',
  share_too_small: (refusal) => `${your(refusal)} share was too small to pay`,
  not_drawn: () => 'it was not drawn',
  verifier_refused: (refusal) => {
    const refused = `the verifier refused ${your(refusal)} submission`;
    return refusal.note ? `${refused}: ${refusal.note}` : refused;
  },
  not_decided: () => 'no decision was made in time',
};

/** Why an account earned nothing, as a clause: `the account was 3 days old; this gig requires 7`. */
export function reasonWords(reason: RefusalReason, refusal: RefusalFacts): string {
  return WORDS[reason](refusal);
}

const LABEL_WORDS: Readonly<Record<SpamLabel, string>> = {
  spam: 'labeled as spam',
  trusted: 'labeled as trusted',
  unknown: 'no spam data',
};

/** The facts on which the decision about an account rests, in words for the operator. */
export function factsWords(facts: EarningFacts | null): string {
  if (facts === null) return 'No data about the account';
  const { score, followers, registeredAt, label, verifiedAddresses, letters } = facts;
  return [
    score === null ? 'No score' : `Score ${score / MILLION}`,
    followers === null ? 'followers unknown' : countOf(followers, 'follower'),
    registeredAt === null ? 'age unknown' : `joined ${dayText(registeredAt)}`,
    LABEL_WORDS[label],
    `${verifiedAddresses} verified address${verifiedAddresses === 1 ? '' : 'es'}`,
    ...(letters === null ? [] : [countOf(letters, 'letter')]),
    ...heldWords(facts.holding),
  ].join(' · ');
}
