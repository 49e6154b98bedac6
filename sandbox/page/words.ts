import { formatAmount } from '../../src/domain/amount.ts';
import type { TokenUnit } from '../../src/domain/gigs/token.ts';
import type { IgnoreReason } from '../../src/domain/mentions/mention.ts';
import { shortened } from '../../src/http/ui/badges.ts';
import type { ApiFault } from '../networks/faults.ts';

/** Why a mention got no reply, in words. */
export const SILENCE_WORDS: Readonly<Record<IgnoreReason, string>> = {
  opted_out: 'its author has said stop',
  author_limit: 'its author has had enough replies within the hour',
  thread_limit: 'its thread has had enough replies within the hour',
  help_already_given: 'its author has had the help within a day',
  gave_up: 'it was tried too often',
};

/** What the page calls each fault of a network's API. */
export const API_LABELS: Readonly<Record<ApiFault, string>> = {
  none: 'Works',
  drop_answer: 'Drops the answer',
  rate_limited: '429, too many requests',
  payment_required: '402, credits depleted',
  unauthorized: '401, credentials refused',
  server_error: '500, server error',
  html: '502, a page of HTML',
  hang: 'Time-out',
};

export const WEBHOOK_LABELS = { normal: 'Once', twice: 'Twice', late: 'Late', never: 'Never' } as const;

export const NO_BACKUP = 'Only a database in a file can be put back here. This sandbox’s database is on PostgreSQL.';

/** An amount in base units with its token's symbol. */
export function tokenText(amount: bigint, { decimals, symbol }: TokenUnit): string {
  return `${formatAmount(amount, decimals)} ${symbol}`;
}

/** A text in one line of at most `length` characters, addresses and hashes by their ends. */
export function excerpt(text: string, length = 90): string {
  const brief = text.replace(/\b0x[0-9a-f]{20,}\b/gi, shortened);
  const letters = Array.from(brief.replace(/\s+/g, ' ').trim());
  return letters.length <= length ? letters.join('') : `${letters.slice(0, length - 1).join('')}…`;
}

/** The clock's time of an instant, to the second, in UTC. */
export const clockTime = (at: number): string => new Date(at).toISOString().slice(11, 19);
