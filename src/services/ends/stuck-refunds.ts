import { type Gig, unawardedOf } from '../../domain/gig.ts';
import type { Payment } from '../../domain/payment.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { StoreReads } from '../../store/port/index.ts';
import { replaces } from '../payments/retry-payment.ts';

const PAGE = 100;

interface StuckDeps {
  readonly store: Pick<StoreReads, 'gig' | 'gigsToRefund' | 'gigsWithoutRefundAddress' | 'payments' | 'paymentsOfGig'>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Between settlement and refund, in milliseconds. */
  readonly delayMs: number;
}

/** Gigs that have ended and whose money an operator has to look after, by their ids. */
export interface StuckRefunds {
  /** Something is left, and no refund address is set. */
  readonly unaddressed: readonly number[];
  /** Their refund is due for more than a day. */
  readonly late: readonly number[];
  /** Their refund, or the return of what a cancelled one holds, failed for good and was not planned again. */
  readonly failed: readonly number[];
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

/** Whether the money of an ended gig stays where it is, because this payment failed and no other is in its place. */
async function isLeft({ store }: StuckDeps, failed: Payment): Promise<boolean> {
  const { gigId, kind, token } = failed;
  if ((await store.paymentsOfGig(gigId)).some((other) => replaces(other, failed))) return false;
  if (kind === 'refund') return true;
  // Any other return was made by an operator.
  const gig = await store.gig(gigId);
  return gig !== null && gig.cancelledAt !== null && gig.token.id === token.id;
}

/** Among the newest hundred of each kind that failed. */
async function findFailed(deps: StuckDeps): Promise<number[]> {
  const found = new Set<number>();
  for (const kind of ['refund', 'return'] as const) {
    for (const payment of await deps.store.payments({ kind, state: 'failed', limit: PAGE })) {
      if (await isLeft(deps, payment)) found.add(payment.gigId);
    }
  }
  return [...found].sort((a, b) => a - b);
}

/** Gigs whose money does not return by itself, or not for a day. */
export async function findStuckRefunds(deps: StuckDeps): Promise<StuckRefunds> {
  const { store, clock, delayMs } = deps;
  const settledBy = clock() - delayMs - DAY_MS;
  const late = await readAll((page) => store.gigsToRefund({ ...page, settledBy }));
  const unaddressed: number[] = [];
  for (const id of await readAll(store.gigsWithoutRefundAddress)) {
    if (hasRest(await store.gig(id))) unaddressed.push(id);
  }
  return { unaddressed, late, failed: await findFailed(deps) };
}
