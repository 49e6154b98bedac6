import { minuteText } from '../time.ts';
import type { Earning } from './earning.ts';
import { reasonWords } from './reason-words.ts';
import type { EarningRules, Gates } from './rules.ts';

/** What an earning is told with. */
export interface EarningContext {
  readonly gates: Gates;
  /** Whether who earns is drawn after the end. */
  readonly isRaffle: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  /** An amount of the gig's token with its symbol. */
  readonly amountText: (amount: bigint) => string;
}

/** The part of what an earning is told with that its gig's rules decide. */
export function toldBy({
  gates,
  rule,
}: Pick<EarningRules, 'gates' | 'rule'>): Pick<EarningContext, 'gates' | 'isRaffle'> {
  return { gates, isRaffle: rule.type === 'raffle' };
}

/** What becomes of an account in a gig, in a sentence for people. `earning` is null for an account of which nothing was seen. */
export function earningSentence(earning: Earning | null, { gates, isRaffle, now, amountText }: EarningContext): string {
  if (earning === null) return 'Nothing that counts for this gig was seen of the account.';
  const { state, reason, facts, rankedAt, dueAt, amount } = earning;
  switch (state) {
    case 'held':
      return dueAt > now
        ? `Held until ${minuteText(dueAt)}, and decided after that.`
        : 'Held, and about to be decided.';
    case 'eligible':
      if (!isRaffle) return 'Accepted: the tip follows, by rank.';
      return earning.round === null ? 'Accepted: it takes part in the draw after the end.' : 'Drawn: the tip follows.';
    case 'awarded':
      return amount === null ? 'Awarded.' : `Awarded ${amountText(amount)}.`;
    case 'refused':
      return reason === null ? 'Refused.' : `Refused: ${reasonWords(reason, { facts, gates, rankedAt })}.`;
  }
}
