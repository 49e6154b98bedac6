import { isoText } from '../../time.ts';
import type { EarningFacts, RefusalReason } from '../earning.ts';
import { ageInDays } from '../gates.ts';
import { type Gates, MILLION } from '../terms/rules.ts';
import { countOf } from './sentence.ts';

/** What a refusal is told with. */
export interface RefusalFacts {
  /** What was known of the account; null when nothing was. */
  readonly facts: EarningFacts | null;
  readonly gates: Gates;
  /** The rank of the act that counted: the account's age is told as of then. */
  readonly rankedAt: number;
  /** The verifier's words; absent or null without any. */
  readonly note?: string | null | undefined;
}

function youthWords({ facts, gates, rankedAt }: RefusalFacts): string {
  const age = ageInDays(facts?.registeredAt ?? null, rankedAt);
  const needed = gates.minAccountAgeDays;
  if (age === null)
    return `the age of the account is not known, ${countOf(needed, 'day')} ${needed === 1 ? 'is' : 'are'} needed`;
  if (age >= needed) return 'the account was made after the gig';
  return `the account was ${countOf(age, 'day')} old, ${needed} are needed`;
}

function followerWords({ facts, gates }: RefusalFacts): string {
  const followers = facts?.followers ?? null;
  if (followers === null) return `the number of followers is not known, ${gates.minFollowers} are needed`;
  return `the account has ${countOf(followers, 'follower')}, ${gates.minFollowers} are needed`;
}

const WORDS: Readonly<Record<RefusalReason, string | ((refusal: RefusalFacts) => string)>> = {
  before_start: 'it happened before the gig started',
  after_end: 'it happened, or was seen, after the gig ended',
  own_account: 'the account belongs to the gig itself',
  blocked: 'the operator has blocked the account',
  withdrawn: 'it was undone before it was decided about',
  account_gone: 'the account does not exist any more',
  score_unknown: 'the account has no score',
  score_too_low: ({ facts, gates }) =>
    `the score is ${(facts?.score ?? 0) / MILLION}, ${gates.minScore / MILLION} is needed`,
  too_young: youthWords,
  too_few_followers: followerWords,
  labelled_spam: ({ gates }) =>
    gates.spamLabel === 'trusted' ? 'the account has no trusted label' : 'the account has a spam label',
  no_verified_address: 'the account has no verified address',
  same_address: 'a verified address of the account has earned from this gig already',
  text_too_short: ({ facts, gates }) =>
    `the text has ${countOf(facts?.letters ?? 0, 'letter')} of its own, ${gates.minLetters} are needed`,
  duplicate_text: 'another account has earned from this gig with the same text',
  reward_used_up: ({ facts }) =>
    facts === null ? 'the reward was used up before the account was looked at' : 'the reward was used up',
  share_too_small: 'its share came to less than can be paid',
  not_drawn: 'the draw went to others',
  verifier_refused: ({ note }) => (note ? `the verifier refused it: ${note}` : 'the verifier refused it'),
  not_decided: 'it was not decided about in time',
};

/** Why an account earned nothing, as a clause: `the account was 3 days old, 7 are needed`. */
export function reasonWords(reason: RefusalReason, refusal: RefusalFacts): string {
  const words = WORDS[reason];
  return typeof words === 'string' ? words : words(refusal);
}

/** The facts on which the decision about an account rests, in words for the operator. */
export function factsWords(facts: EarningFacts | null): string {
  if (facts === null) return 'nothing was known of the account';
  const { score, followers, registeredAt, label, verifiedAddresses, letters } = facts;
  return [
    score === null ? 'no score' : `score ${score / MILLION}`,
    followers === null ? 'followers unknown' : countOf(followers, 'follower'),
    registeredAt === null ? 'age unknown' : `made ${isoText(registeredAt).slice(0, 10)}`,
    `label ${label}`,
    `${verifiedAddresses} verified address${verifiedAddresses === 1 ? '' : 'es'}`,
    ...(letters === null ? [] : [countOf(letters, 'letter')]),
  ].join(', ');
}
