import { HOUR_MS, MINUTE_MS } from '../time.ts';

/** The value of a reply to its reader, highest first: a platform's replies are sent in this order. */
export const REPLY_WORTH = { start: 0, claim: 1, lookUp: 2, help: 3, unaskedHelp: 4 } as const;
export type ReplyWorth = (typeof REPLY_WORTH)[keyof typeof REPLY_WORTH];

/** A notice is worth as much as help that was asked for. */
export const NOTICE_WORTH: ReplyWorth = REPLY_WORTH.help;

/** Every worth, highest first. */
export const REPLY_WORTHS: readonly ReplyWorth[] = Object.values(REPLY_WORTH);

/** The worths of replies that are of no use a day later. */
export const PERISHABLE: readonly ReplyWorth[] = [REPLY_WORTH.lookUp, REPLY_WORTH.help, REPLY_WORTH.unaskedHelp];

export interface ReplyAllowance {
  readonly limit: number;
  /** Milliseconds. */
  readonly windowMs: number;
}

const ALLOWANCE = /^([1-9][0-9]{0,5})\/([1-9][0-9]{0,3})([mh])$/;

/** `100/15m,300/3h`: at most 100 in 15 minutes and 300 in three hours; `none`: no limit. Null for a text that is neither. */
export function readReplyBudget(value: string): ReplyAllowance[] | null {
  if (value === 'none') return [];
  const allowances = value.split(',').map((item) => {
    const [, limit, count, unit] = ALLOWANCE.exec(item.trim()) ?? [];
    const windowMs = Number(count) * (unit === 'h' ? HOUR_MS : MINUTE_MS);
    return limit === undefined ? null : { limit: Number(limit), windowMs };
  });
  return allowances.every((allowance) => allowance !== null) ? allowances : null;
}

/**
 * Which replies may be sent now: all, all but unasked help, or none.
 * @param budget each allowance with the number of replies already sent within it
 * @returns the least worth that may be sent, or null for none
 */
export function leastWorthAllowed(
  budget: readonly { readonly allowance: ReplyAllowance; readonly spent: number }[],
): ReplyWorth | null {
  if (budget.some(({ allowance, spent }) => spent >= allowance.limit)) return null;
  // Unasked help is sent only while more than half of each allowance is left.
  const plenty = budget.every(({ allowance, spent }) => (allowance.limit - spent) * 2 > allowance.limit);
  return plenty ? REPLY_WORTH.unaskedHelp : REPLY_WORTH.help;
}
