import type { Chain } from '../chains/chain.ts';
import { NATIVE_TOKEN_ADDRESS } from '../gigs/token.ts';
import type { SignedBatch, WalletPayment } from './payer-chain.ts';
import { type NumberedPayment, ownNumber, type PaymentCandidate } from './payment.ts';
import { byWord, wordOf } from './payment-numbers.ts';

/** What one wallet is to pay in one transaction, oldest first. */
export interface PaymentGroup<P> {
  readonly gigId: number;
  readonly payments: readonly P[];
}

/** Payments by their wallets, oldest first. One that may fail on the chain goes alone, because it takes others with it. */
export function groupPayments<P extends PaymentCandidate>(
  payments: readonly P[],
  { most, isDoubtful }: { most: number; isDoubtful: (payment: P) => boolean },
): PaymentGroup<P>[] {
  let left = most;
  const groups: PaymentGroup<P>[] = [];
  for (const [gigId, ofGig] of Map.groupBy(payments, (payment) => payment.gigId)) {
    if (left <= 0) break;
    const first = ofGig.slice(0, 1);
    const together = first.some(isDoubtful) ? first : ofGig.filter((payment) => !isDoubtful(payment)).slice(0, left);
    left -= together.length;
    groups.push({ gigId, payments: together });
  }
  return groups;
}

/** What fits into so much gas, in its order. Payments that are too big let smaller ones pass. */
export function chooseFitting<C extends { readonly gas: bigint }>(calls: readonly C[], most: bigint): C[] {
  let left = most;
  const taken: C[] = [];
  for (const call of calls) {
    if (call.gas > left) continue;
    left -= call.gas;
    taken.push(call);
  }
  return taken;
}

type Signed = SignedBatch & { readonly gas: bigint };

/** `raw` has two digits for each byte, after the prefix. */
function bytesOf({ raw }: SignedBatch): number {
  return (raw.length - 2) / 2;
}

/** Whether the nodes of a chain take a signed transaction of this gas limit and length. */
export function fitsChain({ txGas, txBytes }: Chain, signed: Signed): boolean {
  return signed.gas <= txGas && bytesOf(signed) <= txBytes;
}

/**
 * Fewer of the calls of a transaction that does not fit, by how far it is above the limits; none when it has one alone.
 */
export function chooseFewer<C extends { readonly gas: bigint }>(
  calls: readonly C[],
  { txGas, txBytes }: Chain,
  signed: Signed,
): C[] {
  const sum = calls.reduce((total, { gas }) => total + gas, 0n);
  const byGas = (sum * txGas) / signed.gas;
  const byBytes = (sum * BigInt(txBytes)) / BigInt(bytesOf(signed));
  const most = byGas < byBytes ? byGas : byBytes;
  return chooseFitting(calls, most < sum ? most : sum - 1n);
}

/** So many words of numbers fit into a transaction, even when each takes all the gas that it may. */
const WORDS = 40;

/** Tips of one gig, token and account in parts of which each can be one payment. */
export function splitTips<T extends { readonly number: number }>(tips: readonly T[]): T[][] {
  const words = [...Map.groupBy(tips, ({ number }) => wordOf(BigInt(number))).values()];
  const parts = Math.ceil(words.length / WORDS);
  return Array.from({ length: parts }, (_, index) => words.slice(index * WORDS, (index + 1) * WORDS).flat());
}

/** Which asset a payment moves: a mark moves nothing, of the asset that no token can interfere with. */
export function assetOf({ kind, token }: NumberedPayment) {
  return kind === 'mark' ? NATIVE_TOKEN_ADDRESS : token.address;
}

/** Whether the numbers of a payment are of several words, so that its tips tell what each of them pays. */
export function needsTips({ numbers }: NumberedPayment): boolean {
  return byWord(numbers).length !== 1;
}

/**
 * What a payment asks of its wallet: one transfer for each word of numbers.
 * @param tips its tips where {@link needsTips} says so
 * @returns null when the tips are not those of the numbers, because they have changed meanwhile
 */
export function walletPayments(
  payment: NumberedPayment,
  tips: readonly { readonly number: number; readonly amount: bigint }[],
): WalletPayment[] | null {
  const { kind, recipient: to, numbers, amount } = payment;
  const token = assetOf(payment);
  const words = byWord(numbers);
  const [first, ...others] = words;
  const own = ownNumber(payment);
  if (first === undefined || (own !== null && !numbers.includes(own))) return null;
  if (others.length === 0) return [{ token, to, amount, numbers: first }];
  if (kind === 'mark') return words.map((word) => ({ token, to, amount: 0n, numbers: word }));
  const amounts = new Map(tips.map((tip) => [BigInt(tip.number), tip.amount]));
  const parts = words.map((word) => {
    const sum = word.reduce((total, number) => total + (amounts.get(number) ?? 0n), 0n);
    return { token, to, amount: sum, numbers: word };
  });
  const isComplete = numbers.every((number) => amounts.has(number));
  return isComplete && parts.reduce((total, part) => total + part.amount, 0n) === amount ? parts : null;
}
