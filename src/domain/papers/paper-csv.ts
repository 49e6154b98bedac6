import { formatAmount } from '../amount.ts';
import { csvLine } from '../gigs/gig-report-csv.ts';
import { isIncoming, type Movement, type Purpose } from './movement.ts';

/** A form of papers: the columns of some program, and what each movement becomes in them. */
export interface PaperForm {
  /** In paths and names of files. */
  readonly name: 'koinly' | 'ledger';
  /** On buttons. */
  readonly label: string;
  /** The first line. */
  readonly header: string;
  /** @param usd what it was worth then, as decimal text; null where that is not known */
  lines(movement: Movement, usd: string | null): string;
}

const WORDS: Readonly<Record<Purpose, string>> = {
  funding: 'Paid into',
  payout: 'Tips of',
  fee: 'Fee of',
  refund: 'Refund of',
  return: 'Returned by',
  reward: 'Tips of',
};

function descriptionOf({ purpose, gigId }: Movement): string {
  return `${WORDS[purpose]} gig ${gigId}`;
}

/** `2026-11-28 23:56 UTC`, as Koinly's templates write it. */
function utcText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

const KOINLY_COLUMNS = [
  ...['Date', 'Sent Amount', 'Sent Currency', 'Received Amount', 'Received Currency', 'Fee Amount', 'Fee Currency'],
  ...['Net Worth Amount', 'Net Worth Currency', 'Label', 'Description', 'TxHash'],
];

/** Koinly's tags. What only changes its place within an owner's wallets has none. */
const KOINLY_LABELS: Readonly<Partial<Record<Purpose, string>>> = { payout: 'cost', fee: 'cost', reward: 'reward' };

/** The universal template of Koinly. No fee: the gas is the operator's. */
const KOINLY: PaperForm = {
  name: 'koinly',
  label: 'CSV for Koinly',
  header: csvLine(KOINLY_COLUMNS),
  lines(movement, usd) {
    const { token, amount, at, purpose, hash } = movement;
    const moved = [formatAmount(amount, token.decimals), token.symbol];
    const none = [null, null];
    const [sent, received] = isIncoming(movement) ? [none, moved] : [moved, none];
    const label = KOINLY_LABELS[purpose] ?? null;
    const worth = usd === null ? none : [usd, 'USD'];
    return csvLine([utcText(at), ...sent, ...received, ...none, ...worth, label, descriptionOf(movement), hash]);
  },
};

const LEDGER_COLUMNS = [
  ...['Date', 'Account', 'Debit', 'Credit', 'Currency', 'Net Worth USD', 'Label', 'Description', 'Transaction'],
];

/** The account at the other side of the wallet. */
const ACCOUNTS: Readonly<Record<Purpose, string>> = {
  funding: 'Funding',
  payout: 'Rewards paid',
  fee: 'Platform fees',
  refund: 'Funding',
  return: 'Funding',
  reward: 'Rewards earned',
};

const WALLET = 'Wallet';

/** A journal with double entry: a debit and a credit of the same amount for each movement. */
const LEDGER: PaperForm = {
  name: 'ledger',
  label: 'CSV for a ledger',
  header: csvLine(LEDGER_COLUMNS),
  lines(movement, usd) {
    const { token, amount, at, purpose, hash } = movement;
    const moved = formatAmount(amount, token.decimals);
    const shared = [token.symbol, usd, purpose, descriptionOf(movement), hash];
    const [debit, credit] = isIncoming(movement) ? [WALLET, ACCOUNTS[purpose]] : [ACCOUNTS[purpose], WALLET];
    const line = (account: string, sides: readonly (string | null)[]) =>
      csvLine([utcText(at), account, ...sides, ...shared]);
    return line(debit, [moved, null]) + line(credit, [null, moved]);
  },
};

export const PAPER_FORMS: readonly PaperForm[] = [KOINLY, LEDGER];
