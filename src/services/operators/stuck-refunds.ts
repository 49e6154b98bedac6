import { type Gig, unawardedOf } from '../../domain/gigs/gig.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { StoreReads } from '../../store/port/index.ts';
import type { ReadContext } from '../context.ts';
import { replaces } from '../payments/retry-payment.ts';

const PAGE = 100;

async function readAll(read: (page: { after: number; limit: number }) => Promise<number[]>): Promise<number[]> {
  const all: number[] = [];
  for (;;) {
    const page = await read({ after: all.at(-1) ?? 0, limit: PAGE });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

function hasRest(gig: Gig | null): boolean {
  return gig !== null && unawardedOf(gig) > 0n;
}

/**
 * Settled gigs whose refund has been due for more than a day, by their ids.
 * @param options.refundDelayMs between settlement and refund, in milliseconds
 */
export async function findLateRefunds({
  store,
  clock,
  refundDelayMs,
}: {
  store: StoreReads;
  /** Epoch milliseconds. */
  clock: () => number;
  refundDelayMs: number;
}): Promise<number[]> {
  const settledBy = clock() - refundDelayMs - DAY_MS;
  return await readAll((page) => store.gigsToRefund({ ...page, settledBy }));
}

/** Whether the money of an ended gig stays where it is, because this payment failed and no other is in its place. */
async function isLeft({ store }: ReadContext, failed: Payment): Promise<boolean> {
  const { gigId, kind, token } = failed;
  if ((await store.otherPaymentsOfGig(gigId)).some((other) => replaces(other, failed))) return false;
  if (kind === 'refund') return true;
  // Any other return was made by an operator.
  const gig = await store.gig(gigId);
  return gig !== null && gig.cancelledAt !== null && gig.token.id === token.id;
}

/**
 * Gigs whose refund, or the return of what a cancelled one holds, failed permanently and was not planned again, by their ids:
 * among the newest hundred of each kind that failed.
 */
export async function findFailedRefunds(deps: ReadContext): Promise<number[]> {
  const found = new Set<number>();
  for (const kind of ['refund', 'return'] as const) {
    for (const payment of await deps.store.payments({ kind, state: 'failed', limit: PAGE })) {
      if (await isLeft(deps, payment)) found.add(payment.gigId);
    }
  }
  return [...found].sort((a, b) => a - b);
}

/** Settled gigs of which something is left, and no refund address is set, by their ids. */
export async function findUnaddressed({ store }: { store: StoreReads }): Promise<number[]> {
  const unaddressed: number[] = [];
  for (const id of await readAll(store.gigsWithoutRefundAddress)) {
    if (hasRest(await store.gig(id))) unaddressed.push(id);
  }
  return unaddressed;
}
