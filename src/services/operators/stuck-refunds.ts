import { type Gig, unawardedOf } from '../../domain/gig.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { StoreReads } from '../../store/port/index.ts';

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
  store: Pick<StoreReads, 'gigsToRefund'>;
  /** Epoch milliseconds. */
  clock: () => number;
  refundDelayMs: number;
}): Promise<number[]> {
  const settledBy = clock() - refundDelayMs - DAY_MS;
  return await readAll((page) => store.gigsToRefund({ ...page, settledBy }));
}

/** Settled gigs of which something is left, and no refund address is set, by their ids. */
export async function findUnaddressed({
  store,
}: {
  store: Pick<StoreReads, 'gig' | 'gigsWithoutRefundAddress'>;
}): Promise<number[]> {
  const unaddressed: number[] = [];
  for (const id of await readAll(store.gigsWithoutRefundAddress)) {
    if (hasRest(await store.gig(id))) unaddressed.push(id);
  }
  return unaddressed;
}
