import type { WalletCall } from '../../../../domain/payments/payer-chain.ts';
import type { PaymentCandidate } from '../../../../domain/payments/payment.ts';
import {
  type BudgetFacts,
  chargeOf,
  type DayGas,
  findExcess,
  findPrice,
  findShortage,
  gasHolders,
  type PaymentCost,
  type PaymentPolicy,
  shareOf,
} from '../../../../domain/payments/payment-limits.ts';
import type { Refused, Wait } from '../refusals.ts';
import type { Budgets } from './budgets.ts';

/** What calls cost now, in wei. */
export interface Prices {
  /** For each unit of gas. */
  readonly maxFeePerGas: bigint;
  /** Of a plain transfer of a token, publishing included. */
  readonly transferCost: bigint;
  /** Of publishing all of the calls, beyond their gas; 0 before it is known. */
  readonly publishing: bigint;
}

/** A payment that is to be sent, with the gas that it counts for in the budgets. */
export interface Charge {
  readonly id: number;
  readonly numbers: readonly bigint[];
  readonly gas: bigint;
}

/** What prices and budgets say about some calls. */
export interface Priced {
  /** Those of which every payment may be sent. */
  readonly calls: readonly TriedCall[];
  readonly charges: readonly Charge[];
  readonly waits: readonly Wait[];
  readonly refused: readonly Refused[];
}

type Objection = { readonly wait: Wait } | { readonly refused: Refused };

/** Whether a payment costs more than it may; null when it does not. */
export function judgeCost(payment: PaymentCandidate, cost: PaymentCost, policy: PaymentPolicy): Objection | null {
  const message = findExcess(payment, cost, policy);
  if (message !== null) return { refused: { payment, refusal: { message, blockNumber: null, isBare: false } } };
  const delay = findPrice(payment, cost, policy);
  return delay === null ? null : { wait: { ...delay, payment } };
}

function wordsIn(parts: readonly Part[]): bigint {
  return parts.reduce((sum, { words }) => sum + BigInt(words), 0n);
}

function weightIn(parts: readonly Part[]): bigint {
  return parts.reduce((sum, { weight }) => sum + weight, 0n);
}

/** What the payments before a payment leave of its budgets. */
function openTally(budgets: Budgets) {
  const claims = new Map<number | string, bigint>();
  const fees = new Map<number | string, bigint>();
  const addedTo = (some: typeof claims, key: number | string = '') => some.get(key) ?? 0n;
  const withAdded = (used: DayGas, holder: string | undefined): DayGas => ({
    claims: used.claims + addedTo(claims, holder),
    fees: used.fees + addedTo(fees, holder),
  });
  return {
    of(payment: PaymentCandidate): BudgetFacts {
      const { gig, clientGas, ownersGas, ...used } = budgets(payment);
      const [own, all] = gasHolders(payment.client);
      return {
        ...used,
        gig: { ...gig, gasUsed: gig.gasUsed + addedTo(claims, payment.gigId) },
        clientGas: withAdded(clientGas, own),
        ownersGas: ownersGas && withAdded(ownersGas, all),
      };
    },
    add({ kind, gigId, client }: PaymentCandidate, gas: bigint): void {
      const some = kind === 'fee' ? fees : claims;
      for (const key of [gigId, ...gasHolders(client)]) some.set(key, addedTo(some, key) + gas);
    },
  };
}

/** Prices calls, in their order. A payment that may not be sent keeps the others of its call for another transaction. */
export function priceCalls(
  calls: readonly TriedCall[],
  { prices, budgets, policy }: { prices: Prices; budgets: Budgets; policy: PaymentPolicy },
): Priced {
  const tally = openTally(budgets);
  const all = wordsIn(calls.flatMap(({ parts }) => parts));
  const charges: Charge[] = [];
  const waits: Wait[] = [];
  const refused: Refused[] = [];

  function mayBeSent({ payment, words, weight }: Part, { gas: gasOfCall, parts }: TriedCall): boolean {
    const gas = shareOf(gasOfCall, { part: weight, all: weightIn(parts) });
    const cost = { ...prices, gas, words, publishing: shareOf(prices.publishing, { part: BigInt(words), all }) };
    const charge = chargeOf(cost);
    const objection = judgeCost(payment, cost, policy);
    const delay = objection ?? findShortage(payment, tally.of(payment), { policy, gas: charge });
    if (delay === null) {
      tally.add(payment, charge);
      charges.push({ id: payment.id, numbers: payment.numbers, gas: charge });
    } else if ('refused' in delay) refused.push(delay.refused);
    else waits.push('wait' in delay ? delay.wait : { ...delay, payment });
    return delay === null;
  }

  // Each payment is looked at, also after one that may not be sent.
  const sendable = calls.filter((call) => call.parts.map((part) => mayBeSent(part, call)).every(Boolean));
  return { calls: sendable, charges, waits, refused };
}

/** A payment, and how many words of numbers it marks. */
export interface Part {
  readonly payment: PaymentCandidate;
  readonly words: number;
  /** Its part of the call's gas, in proportion to the other parts'. */
  readonly weight: bigint;
}

/** A wallet's call that a simulation has accepted, with the gas limit for it. */
export interface TriedCall extends WalletCall {
  readonly gas: bigint;
  readonly parts: readonly Part[];
}
