import type { PaidEvent } from './payer-chain.ts';
import type { NumberedPayment } from './payment.ts';
import { assetOf } from './payment-batch.ts';
import type { Tip } from './tip.ts';
import type { Address, Token } from './token.ts';

/** How far the clock of a chain and that of the service may differ. */
const CLOCKS_DIFFER_MS = 15_000;

/** What events say of some marked numbers. */
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
  /** When its block was made, epoch milliseconds. */
  readonly at: number;
}

/** What is left of a payment besides these tips. */
function restOf(
  foreign: Foreign,
  tips: readonly { readonly number: number | bigint; readonly amount: bigint }[],
): Foreign {
  const paid = new Set(tips.map(({ number }) => BigInt(number)));
  const left = foreign.left - tips.reduce((sum, { amount }) => sum + amount, 0n);
  return {
    ...foreign,
    numbers: foreign.numbers.filter((number) => !paid.has(number)),
    left: left > 0n ? left : 0n,
  };
}

/**
 * Whether a payment may have paid an unpaid tip with one of its numbers: not when the tip is newer, or the amounts tell
 * that its number was somebody else's.
 */
export function mayHavePaid({ event, at }: Foreign, { createdAt, amount }: Pick<Tip, 'createdAt' | 'amount'>): boolean {
  if (createdAt > at + CLOCKS_DIFFER_MS) return false;
  return isMark(event) || (event.numbers.length === 1 ? amount === event.amount : amount < event.amount);
}

/** A tip or a fee that a planned payment is to pay. */
export interface Owed extends Pick<Tip, 'createdAt' | 'amount'> {
  readonly number: bigint;
}

/** Payments that the ledger does not know and that have paid a planned one. */
export interface Made {
  readonly by: readonly [Foreign, ...Foreign[]];
  /** What is left of them besides. */
  readonly rests: readonly Foreign[];
}

/** Which payments have paid all that a planned one owes, to whatever recipient; null when they have not. */
export function findMade(foreign: readonly Foreign[], owed: readonly Owed[], asset: Address): Made | null {
  const ofEach = ({ event }: Foreign) => owed.filter(({ number }) => event.numbers.includes(number));
  const [first, ...others] = foreign.filter(({ numbers }) => owed.some(({ number }) => numbers.includes(number)));
  if (first === undefined) return null;
  const by = [first, ...others] as const;
  const found = new Set(by.flatMap(({ numbers }) => numbers));
  const isSame = by.every(({ event }) => event.to === first.event.to && event.token === asset);
  const isPaid = by.every((each) => ofEach(each).every((tip) => mayHavePaid(each, tip)));
  if (!isSame || !isPaid || !owed.every(({ number }) => found.has(number))) return null;
  return { by, rests: by.map((each) => restOf(each, ofEach(each))).filter(({ numbers }) => numbers.length > 0) };
}

/** What a payment that the ledger does not know means for the unpaid tips that have its numbers. */
export interface Verdict {
  /** Tips that it has paid, of one account each. */
  readonly paid: readonly (readonly Tip[])[];
  /** Tips whose number it has paid to somebody else. */
  readonly misnumbered: readonly Tip[];
  /** What it has paid besides: tips that the ledger has lost. */
  readonly rest: Foreign;
}

/**
 * Whether a payment that the ledger does not know has paid its unpaid tips, or tips that it has lost and whose numbers it
 * has given again. A ledger that was put back lacks what is newer, so the payment may have paid more than it knows. What
 * may have been paid counts as paid, because nobody is to be paid twice.
 * @param tips the unpaid tips of the wallet's gig that have the payment's numbers
 */
export function judge(
  foreign: Foreign,
  { tips, token }: { tips: readonly Tip[]; token: Pick<Token, 'id' | 'address'> },
): Verdict {
  const { event } = foreign;
  const isInToken = isMark(event) || event.token === token.address;
  const isPaid = (tip: Tip) => isInToken && tip.tokenId === token.id && mayHavePaid(foreign, tip);
  const found = tips.filter(isPaid);
  return {
    paid: [...Map.groupBy(found, (tip) => `${tip.platform} ${tip.platformUserId}`).values()],
    misnumbered: tips.filter((tip) => !isPaid(tip)),
    rest: restOf(foreign, found),
  };
}
