import { dayText } from '../time.ts';
import type { OwnTip } from './tip.ts';

interface Told {
  /** Who earned, as the sentence begins. */
  readonly who: string;
  readonly gigId: number;
  readonly amountText: (amount: bigint) => string;
  /** How many tips are read at most: of so many the sum is a least. */
  readonly most: number;
}

/** The sum of some tips, of any state. */
export function sumOfTips(tips: readonly OwnTip[]): bigint {
  return tips.reduce((total, { amount }) => total + amount, 0n);
}

/** The tips that are not paid yet. */
export function pendingOf(tips: readonly OwnTip[]): readonly OwnTip[] {
  return tips.filter(({ status }) => status === 'pending');
}

/** What one account earned from a gig by these tips, and when that was paid, in a sentence without its full stop. */
export function tipsWords(tips: readonly OwnTip[], { who, gigId, amountText, most }: Told): string {
  const sum = sumOfTips(tips);
  const pending = sumOfTips(pendingOf(tips));
  const earned = `${who} earned ${tips.length < most ? '' : 'at least '}${amountText(sum)} from gig ${gigId}`;
  if (pending === sum) return `${earned}, not paid yet`;
  if (pending > 0n) return `${earned}; ${amountText(pending)} of it is not paid yet`;
  const times = tips.map(({ claimedAt }) => claimedAt ?? 0);
  const isOneDay = new Set(times.map(dayText)).size === 1;
  return `${earned}, ${isOneDay ? '' : 'last '}paid on ${dayText(Math.max(...times))}`;
}
