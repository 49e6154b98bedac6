import { formatAmount } from '../domain/amount.ts';
import { chainById } from '../domain/chain.ts';
import { gigPhase } from '../domain/gig.ts';
import { checksummed } from '../domain/token.ts';
import type { GigReport } from '../services/gigs/report-gig.ts';
import { momentText } from './output.ts';
import { paymentItem } from './payment-view.ts';

/** The statement of a gig in JSON. Amounts are decimal text in whole tokens. */
export function reportItem({ gig, statement, refund, payments, gasUsed }: GigReport, now: number) {
  const { token } = gig;
  const { voided, feePaid, feeOwed, lost, differences, addsUp, ...sums } = statement;
  const text = (amount: bigint) => formatAmount(amount, token.decimals);
  const texts = Object.entries(sums).map(([name, amount]) => [name, text(amount)] as const);
  return {
    gig_id: gig.id,
    state: gigPhase(gig, now),
    settled_at: momentText(gig.settledAt),
    chain: chainById(token.chainId)?.key ?? String(token.chainId),
    token: { symbol: token.symbol, address: checksummed(token.address), decimals: token.decimals },
    wallet_address: checksummed(gig.walletAddress),
    sums: {
      ...Object.fromEntries(texts),
      void: text(voided),
      fee_paid: text(feePaid),
      fee_owed: text(feeOwed),
      lost: lost === null ? null : text(lost),
    },
    adds_up: addsUp,
    differences: differences.map(({ of, amount }) => ({ of, amount: text(amount) })),
    refund: {
      state: refund.state,
      amount: text(refund.amount),
      recipient: refund.recipient && checksummed(refund.recipient),
      hash: refund.hash,
      due_at: momentText(refund.dueAt),
    },
    payments: payments.map(paymentItem),
    gas_used: Number(gasUsed),
  };
}

type Item = ReturnType<typeof reportItem>;

const DIFFERENCES = {
  sums: 'what came in is not where it went',
  claimed: 'claimed tips are more than the payouts',
  void: 'void tips are not their sum',
} as const;

function standingText({ adds_up: addsUp, differences, token }: Item): string {
  if (addsUp) return 'yes: reward + fee = paid + pending + refund + fee + left';
  return `no: ${differences.map(({ of, amount }) => `${DIFFERENCES[of]}, by ${amount} ${token.symbol}`).join('; ')}`;
}

function refundText({ refund, token }: Item): string {
  const { state, amount, recipient, hash, due_at: due } = refund;
  const parts = [
    `${amount} ${token.symbol}, ${state}`,
    recipient === null ? 'to an address that nothing names yet' : `to ${recipient}`,
    ...(due === null ? [] : [`due at ${due}`]),
    ...(hash === null ? [] : [hash]),
  ];
  return parts.join(', ');
}

/** The labelled sums of a gig's statement. */
export function reportFields(item: Item, { statement, gig: { token } }: GigReport): Record<string, string> {
  const text = (amount: bigint) => `${formatAmount(amount, token.decimals)} ${token.symbol}`;
  const { reward, fee, awarded, paid, pending, voided, feePaid, feeOwed, left, beyond, lost } = statement;
  const optional = (label: string, amount: bigint | null) =>
    amount === null || amount === 0n ? {} : { [label]: text(amount) };
  return {
    state: item.state,
    ...(item.settled_at === null ? {} : { settled: item.settled_at }),
    reward: text(reward),
    fee: text(fee),
    awarded: text(awarded),
    paid: text(paid),
    pending: text(pending),
    ...optional('of lost tips', lost),
    ...optional('void', voided),
    refund: refundText(item),
    'fee paid': text(feePaid),
    ...optional('fee owed', feeOwed),
    left: text(left),
    ...optional('beyond the reward', beyond),
    gas: `${item.gas_used} units; what they cost in wei is not stored`,
    'adds up': standingText(item),
    ...(lost === null ? { tips: 'not compared: the gig changed while they were read' } : {}),
  };
}
