import { AdapterError } from '../../../domain/errors.ts';
import { type PayerChain, PaymentRefused, type WalletCall } from '../../../domain/payer-chain.ts';
import type { PaymentCandidate } from '../../../domain/payment.ts';
import type { PaymentGroup } from '../../../domain/payment-batch.ts';
import type { Store } from '../../../store/port/index.ts';
import type { Facts } from './deps.ts';
import { askOf, readMarked } from './facts.ts';
import { inTurns } from './in-turns.ts';
import type { Refused } from './refusals.ts';

/** A payment, and how many words of numbers it marks. */
export interface Part {
  readonly payment: PaymentCandidate;
  readonly words: number;
}

/** A wallet's call that a simulation has accepted, with the gas limit for it. */
export interface TriedCall extends WalletCall {
  readonly gas: bigint;
  readonly parts: readonly Part[];
}

/** What simulations say of what a wallet is to pay. */
export interface Trial {
  /** What can be sent; null when nothing can. */
  readonly call: TriedCall | null;
  readonly refused: readonly Refused[];
  /** Payments with a number that is marked already. */
  readonly marked: readonly PaymentCandidate[];
  /** The endpoint gave no answer for these. */
  readonly unanswered: readonly { readonly payment: PaymentCandidate; readonly error: AdapterError }[];
}

interface Source {
  readonly store: Store;
  readonly payer: PayerChain;
  readonly facts: Facts;
}

/** How many simulations are under way at once. */
export const AT_ONCE = 8;

/** Simulates these payments as one call. */
async function tryTogether(
  source: Source,
  payments: readonly PaymentCandidate[],
): Promise<TriedCall | PaymentRefused | null> {
  const asked = await askOf(source.store, payments);
  if (asked === null) return null;
  try {
    const { gas } = await source.payer.simulate(asked.call);
    return { ...asked.call, gas, parts: asked.parts };
  } catch (error) {
    if (error instanceof PaymentRefused) return error;
    throw error;
  }
}

/** Tries each payment of a refused call alone, and those that pass together once more, or else the first of them. */
async function tryApart(
  source: Source,
  payments: readonly PaymentCandidate[],
): Promise<Pick<Trial, 'call' | 'refused'>> {
  const passed: TriedCall[] = [];
  const refused: Refused[] = [];
  await inTurns(payments, AT_ONCE, async (payment) => {
    const result = await tryTogether(source, [payment]);
    if (result instanceof PaymentRefused) refused.push({ payment, refusal: result });
    else if (result !== null) passed.push(result);
  });
  const [first, ...others] = passed;
  if (first === undefined || others.length === 0) return { call: first ?? null, refused };
  const again = await tryTogether(
    source,
    passed.flatMap(({ parts }) => parts.map(({ payment }) => payment)),
  );
  return { call: again === null || again instanceof PaymentRefused ? first : again, refused };
}

/**
 * Simulates what one wallet is to pay: all of it, and each payment alone when that is refused. Marks tell why better than
 * words of a node do, so they are looked at first.
 */
export async function trySending(source: Source, { payments }: PaymentGroup<PaymentCandidate>): Promise<Trial> {
  const nothing: Trial = { call: null, refused: [], marked: [], unanswered: [] };
  try {
    const together = await tryTogether(source, payments);
    if (!(together instanceof PaymentRefused)) return { ...nothing, call: together };
    const isMarked = await readMarked(source.payer, payments, source.facts.latest.number);
    const hasMark = ({ wallet, numbers }: PaymentCandidate) => numbers.some((number) => isMarked(wallet, number));
    const marked = payments.filter(hasMark);
    const [only, ...others] = payments.filter((payment) => !hasMark(payment));
    if (only === undefined) return { ...nothing, marked };
    if (marked.length === 0 && others.length === 0)
      return { ...nothing, refused: [{ payment: only, refusal: together }] };
    return { ...nothing, marked, ...(await tryApart(source, [only, ...others])) };
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return { ...nothing, unanswered: payments.map((payment) => ({ payment, error })) };
  }
}
