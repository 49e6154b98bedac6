import type { Tip } from '../gigs/tip.ts';
import type { Address } from '../gigs/token.ts';
import type { PaidEvent } from './payer-chain.ts';
import type { NumberedPayment } from './payment.ts';
import { assetOf } from './payment-batch.ts';

/** What events say about some marked numbers. */
export type Marking =
  /** These events mark the numbers and no others. */
  | { readonly kind: 'exact'; readonly events: readonly [PaidEvent, ...PaidEvent[]] }
  /** Other payments have marked them, with other numbers besides. */
  | { readonly kind: 'other' }
  /** Of some number there is no event: the endpoint has lost it. */
  | { readonly kind: 'unknown' };

/** Which of a wallet's events mark these numbers. */
export function findMarking(numbers: readonly bigint[], events: readonly PaidEvent[]): Marking {
  const wanted = new Set(numbers);
  const touching = events.filter((event) => event.numbers.some((number) => wanted.has(number)));
  const found = new Set(touching.flatMap((event) => event.numbers));
  const [first, ...others] = touching;
  if (first === undefined || numbers.some((number) => !found.has(number))) return { kind: 'unknown' };
  return found.size === wanted.size ? { kind: 'exact', events: [first, ...others] } : { kind: 'other' };
}

/** Whether events that mark a payment's numbers, and no others, are that payment. */
export function isPaidBy(payment: NumberedPayment, events: readonly PaidEvent[]): boolean {
  const token = assetOf(payment);
  const isSame = events.every((event) => event.token === token && event.to === payment.recipient);
  return isSame && events.reduce((sum, { amount }) => sum + amount, 0n) === payment.amount;
}

/** Whether a payment marks what was paid before wallets paid by the contract: it moves nothing, to the wallet itself. */
export function isMark({ amount, to, wallet }: PaidEvent): boolean {
  return amount === 0n && to === wallet;
}

/** What payments of a wallet have moved out of it of one asset. */
export function movedOf(events: readonly PaidEvent[], asset: Address): bigint {
  const moved = events.filter(({ token, to, wallet }) => token === asset && to !== wallet);
  return moved.reduce((sum, { amount }) => sum + amount, 0n);
}

/** What the ledger does not know of a payment in the chain. */
export interface Foreign {
  readonly event: PaidEvent;
  /** Those of its numbers that the ledger does not know. */
  readonly numbers: readonly bigint[];
  /** What it has moved besides what the ledger knows. */
  readonly left: bigint;
}

/** The rest of a payment without these parts, as tips are. */
export function restOf(
  foreign: Foreign,
  parts: readonly { readonly number: number | bigint; readonly amount: bigint }[],
): Foreign {
  const paid = new Set(parts.map(({ number }) => BigInt(number)));
  const left = foreign.left - parts.reduce((sum, { amount }) => sum + amount, 0n);
  return {
    ...foreign,
    numbers: foreign.numbers.filter((number) => !paid.has(number)),
    left: left > 0n ? left : 0n,
  };
}

function mayHavePaid({ event, left }: Foreign, amount: bigint): boolean {
  return isMark(event) || (event.numbers.length === 1 ? amount === event.amount : amount <= left);
}

/** What a payment that the ledger does not know means for the unpaid tips that have its numbers. */
export interface Verdict {
  readonly foreign: Foreign;
  readonly paid: readonly Tip[];
  /** Tips whose number it has paid to somebody else. */
  readonly misnumbered: readonly Tip[];
}

/**
 * Which of its unpaid tips a payment that the ledger does not know has paid. A number says whose it is, and what may have
 * been paid counts as paid, because nobody is to be paid twice: of one number its amount has to be the tip's, of several the
 * tips together may not exceed it. A ledger that was put back lacks tips, and may have given their numbers again: those it
 * knew before have lower ids, so they count first.
 * @param tips the unpaid tips of the wallet's gig that have the payment's numbers
 */
export function judge(
  foreign: Foreign,
  { tips, token }: { tips: readonly Tip[]; token: { readonly id: number; readonly address: Address } },
): Verdict {
  const { event } = foreign;
  const isInToken = isMark(event) || event.token === token.address;
  const paid: Tip[] = [];
  const misnumbered: Tip[] = [];
  let rest = foreign;
  for (const tip of tips.toSorted((a, b) => a.id - b.id)) {
    if (isInToken && tip.tokenId === token.id && mayHavePaid(rest, tip.amount)) {
      paid.push(tip);
      rest = restOf(rest, [tip]);
    } else misnumbered.push(tip);
  }
  return { foreign, paid, misnumbered };
}

/** Payments that the ledger does not know and that have paid a planned one. */
export type Made = readonly [Verdict, ...Verdict[]];

/**
 * Which payments have paid all that a planned one owes, to whatever recipient; null when they have not.
 * @param owed the numbers of its tips, or its own number and amount
 */
export function findMade(
  verdicts: readonly Verdict[],
  owed: { readonly tips: readonly bigint[] } | { readonly own: bigint; readonly amount: bigint },
  asset: Address,
): Made | null {
  const numbers = 'own' in owed ? [owed.own] : owed.tips;
  const [first, ...others] = verdicts.filter(({ foreign }) => numbers.some((each) => foreign.numbers.includes(each)));
  if (first === undefined) return null;
  const made: Made = [first, ...others];
  const { to } = first.foreign.event;
  const isSame = made.every(({ foreign: { event } }) => event.to === to && event.token === asset);
  const found = new Set(made.flatMap(({ paid }) => paid.map(({ number }) => BigInt(number))));
  const isPaid = 'own' in owed ? mayHavePaid(first.foreign, owed.amount) : numbers.every((each) => found.has(each));
  return isSame && isPaid ? made : null;
}
