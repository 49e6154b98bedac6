import { capitalized } from '../gig-type.ts';
import { minuteText } from '../time.ts';
import { noteOf } from './decisions.ts';
import type { Earning } from './earning.ts';
import { reasonWords } from './reason-words.ts';
import type { EarningRules, Gates, RuleType } from './rules.ts';

/** What an earning is told with. */
export interface EarningContext {
  readonly gates: Gates;
  /** The type of the gig's rule; one by which tips follow of themselves when absent. */
  readonly ruleType?: RuleType;
  /** Epoch milliseconds. */
  readonly now: number;
  /** An amount of the gig's token with its symbol. */
  readonly amountText: (amount: bigint) => string;
}

/** The longest reason that is stored with a voided tip. */
const MAX_REASON = 500;

/** An earning as the public reads it: why its tip was voided comes in words alone, without links and names. */
export function forPublic(earning: Earning): Earning {
  const { voidReason = null } = earning;
  return voidReason === null ? earning : { ...earning, voidReason: noteOf(voidReason, MAX_REASON) ?? '' };
}

/** An award, and that its tip was voided since, with the operator's reason where there is one. */
function awardSentence({ amount, voidReason = null }: Earning, amountText: EarningContext['amountText']): string {
  const awarded = amount === null ? 'Awarded' : `Awarded ${amountText(amount)}`;
  if (voidReason === null) return `${awarded}.`;
  const why = voidReason.replace(/[.:,;]$/, '');
  return `${awarded}, but the operator voided the tip${why === '' ? '' : `: ${why}`}.`;
}

function eligibleSentence({ round }: Earning, ruleType: RuleType | undefined): string {
  if (ruleType === 'verifier') return 'Passed the checks, and waits for the decision about it.';
  if (ruleType !== 'raffle') return 'Accepted: the tip follows, by rank.';
  return round === null ? 'Accepted: it takes part in the draw.' : 'Drawn: the tip follows.';
}

/** The state of an earning that is not awarded, in a word or two. */
export function stateLabel({ state, round }: Earning, ruleType: RuleType): string {
  if (state !== 'eligible') return capitalized(state);
  if (ruleType === 'verifier') return 'To be decided';
  return ruleType === 'raffle' && round !== null ? 'Drawn' : 'Accepted';
}

/** The part of what an earning is told with that its gig's rules decide. */
export function toldBy({
  gates,
  rule,
}: Pick<EarningRules, 'gates' | 'rule'>): Pick<EarningContext, 'gates' | 'ruleType'> {
  return { gates, ruleType: rule.type };
}

/** What becomes of an account in a gig, in a sentence for people. `earning` is null for an account of which nothing was seen. */
export function earningSentence(earning: Earning | null, { gates, ruleType, now, amountText }: EarningContext): string {
  if (earning === null) return 'Nothing that counts for this gig was seen of the account.';
  const { state, reason, facts, rankedAt, dueAt, note } = earning;
  switch (state) {
    case 'held':
      return dueAt > now
        ? `Held until ${minuteText(dueAt)}, and decided after that.`
        : 'Held, and about to be decided.';
    case 'eligible':
      return eligibleSentence(earning, ruleType);
    case 'awarded':
      return awardSentence(earning, amountText);
    case 'refused':
      return reason === null ? 'Refused.' : `Refused: ${reasonWords(reason, { facts, gates, rankedAt, note })}.`;
  }
}
