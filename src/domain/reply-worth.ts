import type { Command } from './command.ts';

/** How much a reply is worth to its reader, the most first: a platform's replies go out in this order. */
export const REPLY_WORTH = { start: 0, claim: 1, lookUp: 2, help: 3, unaskedHelp: 4 } as const;
export type ReplyWorth = (typeof REPLY_WORTH)[keyof typeof REPLY_WORTH];

/** Every worth, the most first. */
export const REPLY_WORTHS: readonly ReplyWorth[] = Object.values(REPLY_WORTH);

/** Replies of these worths say nothing that still matters a day later. */
export const PERISHABLE: readonly ReplyWorth[] = [REPLY_WORTH.lookUp, REPLY_WORTH.help, REPLY_WORTH.unaskedHelp];

const WORTH_OF_COMMAND: Readonly<Record<Command['name'], ReplyWorth>> = {
  start: REPLY_WORTH.start,
  claim: REPLY_WORTH.claim,
  claims: REPLY_WORTH.lookUp,
  status: REPLY_WORTH.lookUp,
  stop: REPLY_WORTH.lookUp,
  unstop: REPLY_WORTH.lookUp,
  help: REPLY_WORTH.help,
  refused: REPLY_WORTH.help,
  unknown: REPLY_WORTH.unaskedHelp,
};

/** What the reply to a command is worth. */
export function worthOf(command: Command): ReplyWorth {
  return WORTH_OF_COMMAND[command.name];
}

/** How many posts a platform takes from the bot within a time. */
export interface ReplyAllowance {
  readonly limit: number;
  /** Milliseconds. */
  readonly windowMs: number;
}

/**
 * Which replies may be sent now: all, all but unasked help, or none.
 * @param spent how many of an allowance are used up; one number for each
 * @returns the least worth that may be sent, or null when nothing may
 */
export function leastWorthAllowed(
  budget: readonly { readonly allowance: ReplyAllowance; readonly spent: number }[],
): ReplyWorth | null {
  if (budget.some(({ allowance, spent }) => spent >= allowance.limit)) return null;
  // Unasked help goes only while more than half of each allowance is left.
  const plenty = budget.every(({ allowance, spent }) => (allowance.limit - spent) * 2 > allowance.limit);
  return plenty ? REPLY_WORTH.unaskedHelp : REPLY_WORTH.help;
}
