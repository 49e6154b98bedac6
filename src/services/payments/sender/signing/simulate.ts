import { AdapterError, faultText } from '../../../../domain/errors.ts';
import { type PayerChain, PaymentRefused } from '../../../../domain/payments/payer-chain.ts';
import type { PaymentCandidate } from '../../../../domain/payments/payment.ts';
import { chooseFitting, groupPayments, type PaymentGroup } from '../../../../domain/payments/payment-batch.ts';
import { mayHideExcess } from '../../../../domain/payments/payment-limits.ts';
import { REASON } from '../../../../domain/payments/reasons.ts';
import { summarizeError } from '../../../../log.ts';
import { type Facts, fieldsOf, type PaymentContext } from '../context.ts';
import { readMarked } from '../marks.ts';
import { type Refused, type Wait, waitAll } from '../refusals.ts';
import type { Budgets } from './budgets.ts';
import { askOf } from './calls.ts';
import { judgeCost, type Part, type Prices, type TriedCall } from './pricing.ts';

interface Apart {
  /** What can be sent; null when nothing can. */
  readonly call: TriedCall | null;
  readonly refused: readonly Refused[];
  /** Payments of a call that are too expensive by themselves for now. */
  readonly waits: readonly Wait[];
}

/** What simulations say about what a wallet is to pay. */
interface Trial extends Apart {
  /** Payments with a number that is marked already. */
  readonly marked: readonly PaymentCandidate[];
  /** These could not be tried, and why: the endpoint gave no answer, or there is a defect. */
  readonly untried: { readonly payments: readonly PaymentCandidate[]; readonly error: unknown } | null;
}

/** What simulations say about payments: those that pass, and what keeps the others. */
export interface Tried {
  readonly calls: readonly TriedCall[];
  readonly waits: readonly Wait[];
  readonly refused: readonly Refused[];
  readonly marked: readonly PaymentCandidate[];
}

/** On what and by which prices payments are tried. */
interface Trying extends PaymentContext {
  readonly payer: PayerChain;
  readonly facts: Facts;
  readonly prices: Prices;
}

/** How many simulations are under way at once. Their questions share requests. */
const AT_ONCE = 32;
/** How many at least, where fewer would fill the transaction. After so many without an answer, what passes is sent first. */
const FEW_AT_ONCE = 8;

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
  const alone = await inTurns(
    payments,
    () => AT_ONCE,
    async (payment) => {
      return { payment, result: await tryTogether(source, [payment]) };
    },
  );
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
async function trySending(source: Trying, { payments }: PaymentGroup<PaymentCandidate>): Promise<Trial> {
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

/** Does something with each item, for so many at a time as `next` says of what is done. Stops when that is 0. */
async function inTurns<T, R>(
  items: readonly T[],
  next: (done: readonly R[]) => number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const done: R[] = [];
  for (let count = next(done); count > 0 && done.length < items.length; count = next(done)) {
    done.push(...(await Promise.all(items.slice(done.length, done.length + count).map(work))));
  }
  return done;
}

const DEFECT = `${REASON.defect}; its log says why`;

function wasUntried({ reason }: PaymentCandidate): boolean {
  return reason?.startsWith(REASON.untried) ?? false;
}

/** Also logs a defect. */
function waitUntried({ log, timing }: PaymentContext, { payments, error }: NonNullable<Trial['untried']>): Wait[] {
  const isDefect = !(error instanceof AdapterError);
  if (isDefect) {
    log.error({ ...payments.slice(0, 1).map(fieldsOf)[0], error: summarizeError(error) }, 'payments cannot be tried');
  }
  const reason = isDefect ? DEFECT : `${REASON.untried}${faultText(error)}`;
  return waitAll(payments, { reason, isCalm: false, waitMs: timing.unansweredMs });
}

/**
 * Simulates groups of payments until they fill a transaction, or until there is one to send and the endpoint leaves others
 * unanswered, for which it takes long. Payments that it left unanswered before come last.
 */
export async function simulateAll(
  trying: Trying,
  { tryable, budgets, most }: { tryable: readonly PaymentCandidate[]; budgets: Budgets; most: number },
): Promise<Tried> {
  const { batchGas } = trying.payer.chain;
  const next = (trials: readonly Trial[]) => {
    const calls = trials.flatMap(({ call }) => call ?? []);
    const gas = calls.reduce((sum, call) => sum + call.gas, 0n);
    const isSlow = trials.filter(({ untried }) => untried !== null).length >= FEW_AT_ONCE;
    if (gas >= batchGas || (isSlow && gas > 0n)) return 0;
    const filling = gas === 0n ? AT_ONCE : Number(((batchGas - gas) * BigInt(calls.length)) / gas);
    return Math.min(Math.max(filling, FEW_AT_ONCE), AT_ONCE);
  };
  const inOrder = tryable.toSorted((a, b) => Number(wasUntried(a)) - Number(wasUntried(b)));
  const isDoubtful = (payment: PaymentCandidate) => payment.failures > 0 || budgets(payment).ownFailures !== null;
  const groups = groupPayments(inOrder, { most, isDoubtful });
  const trials = await inTurns(groups, next, (group) => trySending(trying, group));
  const refused = trials.flatMap((trial) => trial.refused);
  const paid = refused.filter(({ refusal }) => refusal.isPaid === true);
  return {
    calls: trials.flatMap(({ call }) => call ?? []),
    refused: refused.filter((each) => !paid.includes(each)),
    // What is paid has not failed: it waits until an endpoint shows its marks.
    marked: [...trials.flatMap(({ marked }) => marked), ...paid.map(({ payment }) => payment)],
    waits: trials.flatMap(({ waits, untried }) => [...waits, ...(untried ? waitUntried(trying, untried) : [])]),
  };
}
