import { formatAmount } from '../amount.ts';
import { platformFacts } from '../platforms/platforms.ts';
import { isoText } from '../time.ts';
import { csvLine } from './csv.ts';
import type { ReportedAccount } from './gig-report.ts';
import type { TokenUnit } from './token.ts';
import { checksummed } from './token.ts';

const COLUMNS = [
  ...['platform', 'platform_user_id', 'username', 'status', 'amount', 'token'],
  ...['tip_id', 'tip_number', 'awarded_at', 'recipient', 'tx_hash', 'paid_at', 'reason'],
];

/** The first line of a gig's accounts as CSV. */
export const REPORT_HEADER = csvLine(COLUMNS);

const timeText = (time: number | null) => (time === null ? null : isoText(time));

/** Accounts of a gig's report as lines of CSV; amounts in whole tokens. */
export function reportLines(accounts: readonly ReportedAccount[], { decimals, symbol }: TokenUnit): string {
  const lines = accounts.map(({ platform, amount, recipient, awardedAt, paidAt, ...account }) =>
    csvLine([
      ...[platformFacts(platform).slug, account.platformUserId, account.username, account.status],
      ...[amount === null ? null : formatAmount(amount, decimals), symbol, account.tipId, account.tipNumber],
      ...[timeText(awardedAt), recipient && checksummed(recipient), account.hash, timeText(paidAt), account.reason],
    ]),
  );
  return lines.join('');
}
