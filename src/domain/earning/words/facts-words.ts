import { isoText } from '../../time.ts';
import type { EarningFacts } from '../earning.ts';
import { MILLION } from '../terms/rules.ts';
import { countOf } from './sentence.ts';

/** What was known of an account when it was decided about, for the operator. */
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
