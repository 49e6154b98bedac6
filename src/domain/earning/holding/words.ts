import { formatAmount } from '../../amount.ts';
import { minuteText } from '../../time.ts';
import type { HoldingFacts } from './holding.ts';

const amountIn = ({ token }: HoldingFacts, amount: string) =>
  `${formatAmount(BigInt(amount), token.decimals)} ${token.symbol}`;

/** Why an account that held too little earned nothing, as a clause. @param whose `your` or `the account’s` */
export function tooLittleWords(facts: HoldingFacts | undefined, isOwn: boolean): string {
  const whose = isOwn ? 'your' : 'its';
  if (facts === undefined) return `${whose} addresses held too little`;
  const { entry, last, counted = 0, needed } = facts;
  const seen = last ?? entry;
  const when = last === undefined || entry === undefined ? '' : ' after the hours';
  const held = seen === undefined ? 'nothing' : amountIn(facts, seen.amount);
  const at = seen === undefined ? '' : ` in block ${seen.block}`;
  const others = counted === 0 ? '' : `, without ${counted} that count${counted === 1 ? 's' : ''} for another account,`;
  return `${whose} addresses${others} held ${held}${when}${at}; this gig requires ${amountIn(facts, needed)}`;
}

/** What a held account waits for because of what it is to hold; null when that is all known. */
export function waitingWords({ token, isUnknown, entry, last }: HoldingFacts, dueAt: number): string | null {
  if (isUnknown === true) return `${token.symbol} does not tell balances now, so it is asked again.`;
  if (entry === undefined) return null;
  return last === undefined ? `Entered. Keep holding: your balance is looked at again by ${minuteText(dueAt)}.` : null;
}

/** What an account held, in words for the operator; nothing for one of which it was not asked. */
export function heldWords(facts: HoldingFacts | undefined): readonly string[] {
  if (facts === undefined) return [];
  const { entry, last, counted = 0, isUnknown } = facts;
  return [
    ...(entry === undefined ? [] : [`held ${amountIn(facts, entry.amount)} in block ${entry.block}`]),
    ...(last === undefined ? [] : [`then ${amountIn(facts, last.amount)} in block ${last.block}`]),
    ...(counted === 0 ? [] : [`${counted} of its addresses count for others`]),
    ...(isUnknown === true ? ['the token does not tell'] : []),
  ];
}
