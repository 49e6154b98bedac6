import { capitalized } from '../../gigs/gig-type.ts';
import { minuteText } from '../../time.ts';
import type { ActKind } from '../act.ts';
import type { Earning } from '../earning.ts';
import { waitingWords } from '../holding/words.ts';
import { noteOf } from '../payouts/decisions.ts';
import { kindOf, type RuleType } from '../rules/index.ts';
import type { EarningRules, Gates } from '../terms/rules.ts';
import { reasonWords } from './reason-words.ts';

/** What the sentence of an earning needs. */
export interface EarningContext {
  readonly gates: Gates;
  /** The type of the gig's rule; one by which tips follow of themselves when absent. */
  readonly ruleType?: RuleType;
  /** What a held account did and is not there any more; absent or null when it is, or that is not known. */
  readonly missing?: ActKind | null | undefined;
  /** Whether the account itself reads it, and is addressed as you. */
  readonly isOwn?: boolean | undefined;
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

function awardSentence({ amount, voidReason = null }: Earning, amountText: EarningContext['amountText']): string {
  const awarded = amount === null ? 'Awarded' : `Awarded ${amountText(amount)}`;
  if (voidReason === null) return `${awarded}.`;
  const why = voidReason.replace(/[.:,;]$/, '');
  return `${awarded}, but the operator voided the tip${why === '' ? '' : `: ${why}`}.`;
}

/** The state of an earning that is not awarded, in a word or two. */
export function stateLabel({ state, round }: Earning, ruleType: RuleType): string {
  if (state !== 'eligible') return capitalized(state);
  return kindOf({ type: ruleType }).accepted.label(round !== null);
}

function heldSentence({ dueAt, facts }: Earning, { missing = null, now }: EarningContext): string {
  const waits = facts?.holding === undefined ? null : waitingWords(facts.holding, dueAt);
  if (waits !== null) return waits;
  const held =
    dueAt > now ? `Held until ${minuteText(dueAt)}. The decision follows.` : 'Held. The decision is due now.';
  return missing === null ? held : `${held} The ${missing} is no longer there.`;
}

/** The part of an earning's context that its gig's rules decide. */
export function toldBy({ gates, rule }: EarningRules): { gates: Gates; ruleType: RuleType } {
  return { gates, ruleType: rule.type };
}

/** What an account does to be paid. */
export const TO_CLAIM = 'To claim, mention me with "claim my rewards".';

/** That an entry for a gig is awarded, for its author. @param amount with its symbol, safe to post */
export function wonSentence(gigId: number, amount: string): string {
  return `Your entry for gig ${gigId} was awarded ${amount}. ${TO_CLAIM}`;
}

/** The outcome of an account in a gig, in a sentence for people. `earning` is null for an account of which nothing was seen. */
export function earningSentence(earning: Earning | null, context: EarningContext): string {
  if (earning === null) return 'No activity that counts for this gig was found.';
  const { state, reason, facts, rankedAt, note } = earning;
  const { gates, ruleType = 'fixed', amountText, isOwn } = context;
  switch (state) {
    case 'held':
      return heldSentence(earning, context);
    case 'eligible':
      return kindOf({ type: ruleType }).accepted.sentence(earning.round !== null);
    case 'awarded':
      return awardSentence(earning, amountText);
    case 'refused':
      // An entrant was eligible, and had bad luck.
      if (reason === 'not_drawn' && isOwn === true) return "You weren't drawn.";
      return reason === null
        ? 'Not eligible.'
        : `Not eligible: ${reasonWords(reason, { facts, gates, rankedAt, note, isOwn })}.`;
  }
}
