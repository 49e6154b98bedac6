import type { PaidEvent } from './payer-chain.ts';
import type { NumberedPayment } from './payment.ts';
import { assetOf } from './payment-batch.ts';
import type { Tip } from './tip.ts';
import type { Token } from './token.ts';

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

/** Whether a tip may have been paid in a block of this time, by the clocks. */
export function mayBePaidAt({ createdAt }: Pick<Tip, 'createdAt'>, blockAt: number): boolean {
  return createdAt <= blockAt + CLOCKS_DIFFER_MS;
}

/** Whether a payment marks what was paid before wallets paid by the contract: it moves nothing, to the wallet itself. */
export function isMark({ amount, to, wallet }: PaidEvent): boolean {
  return amount === 0n && to === wallet;
}

/** What the ledger does not know of a payment in the chain. */
export interface Foreign {
  /** With the numbers, and the amount, that the ledger does not know. */
  readonly event: PaidEvent;
  /** Whether the ledger knows others of its numbers, so that the amount is more than these are. */
  readonly isPart: boolean;
  /** When its block was made, epoch milliseconds. */
  readonly at: number;
}

/**
 * What is left of a payment besides these tips; nothing is left when its numbers are all theirs.
 * @returns null when it cannot have paid them, because the amounts do not fit
 */
export function restOf(
  foreign: Foreign,
  tips: readonly { readonly number: number | bigint; readonly amount: bigint }[],
): Foreign | null {
  const { event, isPart } = foreign;
  const paid = new Set(tips.map(({ number }) => BigInt(number)));
  const numbers = event.numbers.filter((number) => !paid.has(number));
  const amount = isMark(event) ? 0n : event.amount - tips.reduce((sum, tip) => sum + tip.amount, 0n);
  const isWhole = numbers.length === 0 && !isPart;
  const fits = isMark(event) || (isWhole ? amount === 0n : amount > 0n);
  return fits ? { ...foreign, event: { ...event, numbers, amount } } : null;
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
 * has given again. A tip that is older than the payment is the one that was paid, unless the accounts or the amounts say
 * otherwise: a ledger that was put back lacks what is newer, so the payment may have paid more than it knows.
 * @param tips the unpaid tips of the wallet's gig that have the payment's numbers
 */
export function judge(
  foreign: Foreign,
  { tips, token }: { tips: readonly Tip[]; token: Pick<Token, 'id' | 'address'> },
): Verdict {
  const { event, at } = foreign;
  const older = tips.filter((tip) => tip.tokenId === token.id && mayBePaidAt(tip, at));
  const accounts = [...Map.groupBy(older, (tip) => `${tip.platform} ${tip.platformUserId}`).values()];
  const isPossible = isMark(event) || (accounts.length === 1 && event.token === token.address);
  const rest = isPossible ? restOf(foreign, older) : null;
  if (rest === null) return { paid: [], misnumbered: tips, rest: foreign };
  return { paid: accounts, misnumbered: tips.filter((tip) => !older.includes(tip)), rest };
}
