import type { PaidEvent } from './payer-chain.ts';
import type { NumberedPayment } from './payment.ts';
import { assetOf } from './payment-batch.ts';
import type { Tip } from './tip.ts';

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

/** Whether events that mark a payment's numbers move its amount of its asset, whoever received it. */
export function movesAmount(payment: NumberedPayment, events: readonly PaidEvent[]): boolean {
  const token = assetOf(payment);
  const [first] = events;
  if (first === undefined || events.some((event) => event.token !== token || event.to !== first.to)) return false;
  return events.reduce((sum, { amount }) => sum + amount, 0n) === payment.amount;
}

/** Whether events that mark a payment's numbers are that payment. */
export function isPaidBy(payment: NumberedPayment, events: readonly PaidEvent[]): boolean {
  return movesAmount(payment, events) && events.every(({ to }) => to === payment.recipient);
}

/** Whether a tip may have been paid in a block of this time, by the clocks. */
export function mayBePaidAt({ createdAt }: Pick<Tip, 'createdAt'>, blockAt: number): boolean {
  return createdAt <= blockAt + CLOCKS_DIFFER_MS;
}

/** What a payment that the ledger does not know means for the unpaid tips that have its numbers. */
export interface Verdict {
  /** Tips that it has paid, of one account each. */
  readonly paid: readonly (readonly Tip[])[];
  /** Tips whose number it has paid to somebody else. */
  readonly misnumbered: readonly Tip[];
}

/** Whether a payment marks what was paid before wallets paid by the contract: it moves nothing, to the wallet itself. */
export function isMark({ amount, to, wallet }: PaidEvent): boolean {
  return amount === 0n && to === wallet;
}

/**
 * Whether a payment that the ledger does not know has paid its unpaid tips, or tips that it has lost and whose numbers it
 * has given again.
 * @param tips the unpaid tips of the wallet's gig that have the event's numbers
 * @param blockAt when the event's block was made, epoch milliseconds
 */
export function judgeEvent(
  event: PaidEvent,
  { tips, tokenId, token, blockAt }: { tips: readonly Tip[]; tokenId: number; token: string; blockAt: number },
): Verdict {
  const older = tips.filter((tip) => tip.tokenId === tokenId && mayBePaidAt(tip, blockAt));
  const accounts = [...Map.groupBy(older, (tip) => `${tip.platform} ${tip.platformUserId}`).values()];
  if (isMark(event)) return { paid: accounts, misnumbered: tips.filter((tip) => !older.includes(tip)) };
  const isWhole = older.length === event.numbers.length && accounts.length === 1 && event.token === token;
  const isOurs = isWhole && older.reduce((sum, { amount }) => sum + amount, 0n) === event.amount;
  return isOurs ? { paid: accounts, misnumbered: [] } : { paid: [], misnumbered: tips };
}
