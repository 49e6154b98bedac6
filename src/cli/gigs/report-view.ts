import { formatAmount } from '../../domain/amount.ts';
import { chainById } from '../../domain/chains/chain.ts';
import { gigPhase } from '../../domain/gigs/gig.ts';
import type { Statement } from '../../domain/gigs/gig-report.ts';
import { checksummed } from '../../domain/gigs/token.ts';
import { isoText } from '../../domain/time.ts';
import type { GigReport } from '../../services/gigs/show/report-gig.ts';
import { paymentItem } from '../payments/payment.ts';

/** The statement of a gig in JSON. Amounts are decimal text in whole tokens. */
export function reportItem({ gig, statement, refund, payments, gasUsed }: GigReport, now: number) {
  const { token } = gig;
  const { voided, feePaid, feeOwed, lost, differences, addsUp, ...sums } = statement;
  const text = (amount: bigint) => formatAmount(amount, token.decimals);
  const texts = Object.entries(sums).map(([name, amount]) => [name, text(amount)] as const);
  return {
    gig_id: gig.id,
    title: gig.title,
    state: gigPhase(gig, now),
    settled_at: isoText(gig.settledAt),
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
      due_at: isoText(refund.dueAt),
    },
    payments: payments.map(paymentItem),
    gas_used: Number(gasUsed),
  };
}

type Item = ReturnType<typeof reportItem>;

const DIFFERENCES = {
  sums: 'incoming and outgoing money differ',
  claimed: 'claimed tips exceed the payouts',
  void: 'void tips differ from their sum',
} as const;

function standingText({ adds_up: addsUp, differences, token }: Item, { beyond, feeOwed }: Statement): string {
  if (!addsUp)
    return `no: ${differences.map(({ of, amount }) => `${DIFFERENCES[of]}, by ${amount} ${token.symbol}`).join('; ')}`;
  const cameIn = ['reward', 'fee', ...(beyond === 0n ? [] : ['beyond the reward'])];
  const went = ['paid', 'pending', 'refund', 'fee paid', ...(feeOwed === 0n ? [] : ['fee owed']), 'left'];
  return `yes: ${cameIn.join(' + ')} = ${went.join(' + ')}`;
}

/** Until the refund is planned, its amount is in what is left, and not a sum of its own. */
function standingOfRefund({ refund, token }: Item): string {
  const { state, amount, recipient, hash, due_at: due } = refund;
  const to = recipient ?? 'an address that is not set';
  if (state === 'nothing') return 'nothing was left';
  if (state === 'open') return `the gig is not settled; ${amount} ${token.symbol} would return to ${to}`;
  if (state === 'due') return `not planned yet; ${amount} ${token.symbol} to ${to}, not before ${due}`;
  return [state, `to ${to}`, ...(hash === null ? [] : [hash])].join(', ');
}

/** The labelled sums of a gig's statement. */
export function reportFields(item: Item, { statement, gig: { token, status } }: GigReport): Record<string, string> {
  const text = (amount: bigint) => `${formatAmount(amount, token.decimals)} ${token.symbol}`;
  const { reward, fee, awarded, paid, pending, voided, feePaid, feeOwed, left, beyond, lost } = statement;
  const { refund: refunded } = statement;
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
    refund: text(refunded),
    'fee paid': text(feePaid),
    ...optional('fee owed', feeOwed),
    left: text(left),
    ...optional('beyond the reward', beyond),
    ...(status === 'live' ? { 'the refund': standingOfRefund(item) } : {}),
    gas: `${item.gas_used} units; their price in wei is not stored`,
    'adds up': standingText(item, statement),
    ...(lost === null ? { tips: 'not compared: the gig changed while they were read' } : {}),
  };
}
