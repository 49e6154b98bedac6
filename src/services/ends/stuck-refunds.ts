import { type Gig, unawardedOf } from '../../domain/gig.ts';
import type { Payment } from '../../domain/payment.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { StoreReads } from '../../store/port/index.ts';
import { unpaidReturns } from '../payments/retry-payment.ts';

const PAGE = 100;

interface StuckDeps {
  readonly store: Pick<StoreReads, 'gig' | 'gigsToRefund' | 'gigsWithoutRefundAddress' | 'payments' | 'paymentsOfGig'>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Between settlement and refund, in milliseconds. */
  readonly delayMs: number;
}

/** Money of gigs that an operator has to look after. */
export interface StuckRefunds {
  /** Settled gigs of which something is left, and no refund address is set, by id. */
  readonly unaddressed: readonly number[];
  /** Settled gigs whose refund is due for more than a day, by id. */
  readonly late: readonly number[];
  /** Refunds and returns that failed and were not planned again. */
  readonly failed: readonly Payment[];
}

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

/** What does not return by itself, or not for a day. */
export async function findStuckRefunds({ store, clock, delayMs }: StuckDeps): Promise<StuckRefunds> {
  const settledBy = clock() - delayMs - DAY_MS;
  const late = await readAll((page) => store.gigsToRefund({ ...page, settledBy }));
  const unaddressed: number[] = [];
  for (const id of await readAll(store.gigsWithoutRefundAddress)) {
    if (hasRest(await store.gig(id))) unaddressed.push(id);
  }
  return { unaddressed, late, failed: await unpaidReturns({ store }) };
}
