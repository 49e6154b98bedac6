import { type PayerChain, PaymentRefused } from '../../../../domain/payments/payer-chain.ts';
import type { PaymentCandidate } from '../../../../domain/payments/payment.ts';
import { chooseFitting, type PaymentGroup } from '../../../../domain/payments/payment-batch.ts';
import { mayHideExcess, type PaymentPolicy } from '../../../../domain/payments/payment-limits.ts';
import type { Store } from '../../../../store/port/index.ts';
import type { Facts } from '../context.ts';
import { askOf, readMarked } from '../facts.ts';
import type { Refused, Wait } from '../refusals.ts';
import { judgeCost, type Part, type Prices, type TriedCall } from './pricing.ts';

interface Apart {
  /** What can be sent; null when nothing can. */
  readonly call: TriedCall | null;
  readonly refused: readonly Refused[];
  /** Payments of a call that are too expensive by themselves for now. */
  readonly waits: readonly Wait[];
}

/** What simulations say about what a wallet is to pay. */
export interface Trial extends Apart {
  /** Payments with a number that is marked already. */
  readonly marked: readonly PaymentCandidate[];
  /** These could not be tried, and why: the endpoint gave no answer, or there is a defect. */
  readonly untried: { readonly payments: readonly PaymentCandidate[]; readonly error: unknown } | null;
}

/** On what and by which prices payments are tried. */
export interface Trying {
  readonly store: Store;
  readonly payer: PayerChain;
  readonly facts: Facts;
  readonly prices: Prices;
  readonly policy: PaymentPolicy;
}

/** How many simulations are under way at once. */
export const AT_ONCE = 8;

async function tryTogether(
  source: Trying,
  payments: readonly PaymentCandidate[],
): Promise<TriedCall | PaymentRefused | null> {
  const asked = await askOf(source.store, payments);
  if (asked === null) return null;
  try {
    const { gas } = await source.payer.simulate(asked.call);
    const parts = asked.parts.map((part) => ({ ...part, weight: BigInt(part.words) }));
    return { ...asked.call, gas, parts };
  } catch (error) {
    if (error instanceof PaymentRefused) return error;
    throw error;
  }
}

/** Only the first call when they do not pass together, or burn more gas together. */
async function join(source: Trying, passed: readonly TriedCall[]): Promise<TriedCall | null> {
  const fitting = chooseFitting(passed, source.payer.chain.batchGas);
  const [first, ...others] = fitting;
  if (first === undefined || others.length === 0) return first ?? null;
  const parts = fitting.flatMap(({ gas, parts }) => parts.map((part) => ({ ...part, weight: gas })));
  const payments = parts.map(({ payment }) => payment);
  const together = await tryTogether(source, payments);
  const most = fitting.reduce((sum, { gas }) => sum + gas, 0n);
  if (together === null || together instanceof PaymentRefused || together.gas > most) return first;
  const weights = new Map(parts.map(({ payment: { id }, weight }) => [id, weight]));
  const weigh = (part: Part): Part => ({ ...part, weight: weights.get(part.payment.id) ?? part.weight });
  return { ...together, parts: together.parts.map(weigh) };
}

async function tryApart(source: Trying, payments: readonly PaymentCandidate[]): Promise<Apart> {
  const { prices, policy } = source;
  const passed: TriedCall[] = [];
  const refused: Refused[] = [];
  const waits: Wait[] = [];
  const alone = await inTurns(payments, AT_ONCE, async (payment) => {
    return { payment, result: await tryTogether(source, [payment]) };
  });
  for (const { payment, result } of alone) {
    if (result instanceof PaymentRefused) refused.push({ payment, refusal: result });
    if (result === null || result instanceof PaymentRefused) continue;
    const objection = judgeCost(payment, { ...prices, gas: result.gas, words: wordsOf(result) }, policy);
    if (objection === null) passed.push(result);
    else if ('wait' in objection) waits.push(objection.wait);
    else refused.push(objection.refused);
  }
  return { call: await join(source, passed), refused, waits };
}

function wordsOf({ parts }: TriedCall): number {
  return parts.reduce((sum, { words }) => sum + words, 0);
}

function isSuspect({ prices, policy }: Trying, call: TriedCall): boolean {
  return call.parts.length > 1 && mayHideExcess({ ...prices, gas: call.gas, words: wordsOf(call) }, policy);
}

/**
 * Simulates what one wallet is to pay: all of it, and each payment alone when that is refused or burns much gas. Marks tell
 * why better than words of a node do, so they are looked at first.
 */
export async function trySending(source: Trying, { payments }: PaymentGroup<PaymentCandidate>): Promise<Trial> {
  const nothing: Trial = { call: null, refused: [], waits: [], marked: [], untried: null };
  try {
    const together = await tryTogether(source, payments);
    if (together === null) return nothing;
    if (!(together instanceof PaymentRefused)) {
      if (!isSuspect(source, together)) return { ...nothing, call: together };
      return { ...nothing, ...(await tryApart(source, payments)) };
    }
    const isMarked = await readMarked(source.payer, payments, source.facts.latest.number);
    const hasMark = ({ wallet, numbers }: PaymentCandidate) => numbers.some((number) => isMarked(wallet, number));
    const marked = payments.filter(hasMark);
    const [only, ...others] = payments.filter((payment) => !hasMark(payment));
    if (only === undefined) return { ...nothing, marked };
    if (marked.length === 0 && others.length === 0)
      return { ...nothing, refused: [{ payment: only, refusal: together }] };
    return { ...nothing, marked, ...(await tryApart(source, [only, ...others])) };
  } catch (error) {
    // Whatever it is, it keeps no other wallet from paying.
    return { ...nothing, untried: { payments, error } };
  }
}

/** Does something with each item, for so many at a time. Stops when `isEnough` says so after a turn. */
export async function inTurns<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
  isEnough: (done: readonly R[]) => boolean = () => false,
): Promise<R[]> {
  const done: R[] = [];
  for (let start = 0; start < items.length && !isEnough(done); start += atOnce) {
    done.push(...(await Promise.all(items.slice(start, start + atOnce).map(work))));
  }
  return done;
}
