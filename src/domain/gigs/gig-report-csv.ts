import { formatAmount } from '../amount.ts';
import { platformFacts } from '../platforms/platforms.ts';
import { isoText } from '../time.ts';
import type { ReportedAccount } from './gig-report.ts';
import { checksummed, type TokenUnit } from './token.ts';

/** What a spreadsheet would take for a formula, or for a command before one. */
const FORMULA = /^[=+\-@\t\r]/;
const QUOTED = /[",\r\n]/;

function cellText(value: string | number | null): string {
  if (typeof value === 'number') return String(value);
  const text = value ?? '';
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return QUOTED.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/**
 * A record of a CSV file as RFC 4180 says, with its line break; null is an empty field. A text that a spreadsheet would
 * run as a formula gets an apostrophe before it.
 */
export function csvLine(values: readonly (string | number | null)[]): string {
  return `${values.map(cellText).join(',')}\r\n`;
}

const COLUMNS = [
  ...['platform', 'platform_user_id', 'username', 'status', 'amount', 'token'],
  ...['tip_id', 'tip_number', 'awarded_at', 'recipient', 'tx_hash', 'paid_at', 'reason'],
];

/** The first line of a gig's accounts as CSV. */
export const REPORT_HEADER = csvLine(COLUMNS);

/** Accounts of a gig's report as lines of CSV; amounts in whole tokens. */
export function reportLines(accounts: readonly ReportedAccount[], { decimals, symbol }: TokenUnit): string {
  const lines = accounts.map(({ platform, amount, recipient, awardedAt, paidAt, ...account }) =>
    csvLine([
      ...[platformFacts(platform).slug, account.platformUserId, account.username, account.status],
      ...[amount === null ? null : formatAmount(amount, decimals), symbol, account.tipId, account.tipNumber],
      ...[isoText(awardedAt), recipient && checksummed(recipient), account.hash, isoText(paidAt), account.reason],
    ]),
  );
  return lines.join('');
}
