import { type Gig, unawardedOf } from '../../domain/gig.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { StoreReads } from '../../store/port/index.ts';

const PAGE = 100;

interface StuckDeps {
  readonly store: Pick<StoreReads, 'gig' | 'gigsToRefund' | 'gigsWithoutRefundAddress'>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Between settlement and refund, in milliseconds. */
  readonly delayMs: number;
}

/** Settled gigs whose money an operator has to look after, by their ids. */
export interface StuckRefunds {
  /** Something is left, and no refund address is set. */
  readonly unaddressed: readonly number[];
  /** Their refund is due for more than a day. */
  readonly late: readonly number[];
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

/** Settled gigs whose refund does not go on by itself, or not for a day. */
export async function findStuckRefunds({ store, clock, delayMs }: StuckDeps): Promise<StuckRefunds> {
  const settledBy = clock() - delayMs - DAY_MS;
  const late = await readAll((page) => store.gigsToRefund({ ...page, settledBy }));
  const unaddressed: number[] = [];
  for (const id of await readAll(store.gigsWithoutRefundAddress)) {
    if (hasRest(await store.gig(id))) unaddressed.push(id);
  }
  return { unaddressed, late };
}
