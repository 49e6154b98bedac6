import type { Target } from '../domain/earning/act.ts';
import type { EarningRules } from '../domain/earning/terms/rules.ts';
import { commandSentence, type DescribedGig, describeRule, describeRules } from '../domain/earning/words/sentence.ts';
import { type Gig, gigPhase } from '../domain/gigs/gig.ts';
import { MARK_LENGTH, type Measure, safeSymbol } from '../domain/mentions/reply-text.ts';

export interface Earned {
  readonly rules: EarningRules;
  readonly target: Target;
}

/** A keyword, safe to post: with a `$` it would be a tag, and some letters are invisible. */
function safeTarget(target: Target): Target {
  if (target.kind !== 'keyword') return target;
  const keyword = target.keyword.normalize('NFKC').replace(/[^\p{L}\p{N}]|\p{Default_Ignorable_Code_Point}/gu, '');
  return { kind: 'keyword', keyword: keyword === '' ? 'its keyword' : keyword };
}

/**
 * Who earns how, in as much detail as fits: with what an account needs, without it, or not at all; for a bounty that has not
 * ended also how something is submitted, and how one enters.
 */
export function whoEarns(gig: Gig, { rules, target }: Earned, now: number): readonly string[] {
  const { gigType, platform, token } = gig;
  const { decimals } = token;
  const described: DescribedGig = {
    gigType,
    platform,
    target: safeTarget(target),
    token: { decimals, symbol: safeSymbol(token) },
  };
  const told = gigPhase(gig, now) === 'ended' ? null : commandSentence({ ...gig, target }, 'me');
  const how = told === null ? '' : ` ${told}`;
  return [` ${describeRules(rules, described)}${how}`, ` ${describeRule(rules, described)}${how}`, how, ''];
}

/** The first of these texts that fits; the last one if none does. */
export function fitting(texts: readonly string[], { measure, replyLimit }: Measure): string {
  return texts.find((text) => measure(text) <= replyLimit - MARK_LENGTH) ?? texts.at(-1) ?? '';
}
