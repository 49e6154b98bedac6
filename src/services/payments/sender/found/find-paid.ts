import { AdapterError } from '../../../../domain/errors.ts';
import type { BatchInclusion, PaidEvent, PayerChain } from '../../../../domain/payments/payer-chain.ts';
import type { NumberedPayment } from '../../../../domain/payments/payment.ts';
import { findMarking, isPaidBy, type Marking } from '../../../../domain/payments/payment-marks.ts';
import { summarizeError } from '../../../../log.ts';
import type { Store } from '../../../../store/port/index.ts';
import { readMarked } from '../marks.ts';
import { FEW_REQUESTS, readEvents } from './events.ts';

/** How a payment whose numbers are marked was paid. */
export type PaidFate =
  | { readonly kind: 'paid'; readonly events: readonly [PaidEvent, ...PaidEvent[]] }
  /** Another payment has marked its numbers, or some of them. */
  | { readonly kind: 'elsewhere' }
  /** The endpoint does not tell. */
  | { readonly kind: 'unknown'; readonly why: string };

const NOT_TOLD = 'it is marked as paid, and the endpoint does not tell by what';

/** Marks are read as they are after the block `settled`. */
interface Settled {
  readonly held: readonly NumberedPayment[];
  readonly inclusion: BatchInclusion | null;
  readonly settled: bigint;
}

/** The numbers must all be marked after the block `settled`. */
async function findMarkBlock(
  payer: PayerChain,
  { wallet, numbers }: NumberedPayment,
  settled: bigint,
): Promise<bigint> {
  const areMarked = async (block: bigint) => {
    const isMarked = await readMarked(payer, [{ wallet, numbers }], block, { areDue: false });
    return numbers.every((number) => isMarked(wallet, number));
  };
  let marked = settled;
  let unmarked = -1n;
  // Endpoints keep the state after recent blocks alone, so the search goes back from the newest one.
  for (let step = 1n; marked - step >= 0n; step *= 2n) {
    if (await areMarked(marked - step)) marked -= step;
    else {
      unmarked = marked - step;
      break;
    }
  }
  while (marked - unmarked > 1n) {
    const middle = (marked + unmarked) / 2n;
    if (await areMarked(middle)) marked = middle;
    else unmarked = middle;
  }
  return marked;
}

/**
 * Finds by what the marked payments of a transaction were paid: by the receipt, by the events of the block that marked
 * them, or by all events of their wallets. Endpoints list events of few blocks, so the one block is asked for first.
 * @returns tells it of one payment; an endpoint that does not answer makes it unknown
 */
export function createPaidSearch(
  source: { readonly store: Store; readonly payer: PayerChain },
  { held, inclusion, settled }: Settled,
): (payment: NumberedPayment) => Promise<PaidFate> {
  const { payer } = source;
  /** The payments in blocks that were looked into. */
  const looked: (readonly PaidEvent[])[] = [];
  /** Why nothing more is asked for. */
  let silence: AdapterError | null = null;

  function markingBy(events: readonly PaidEvent[], { wallet, numbers }: NumberedPayment): Marking {
    return findMarking(
      numbers,
      events.filter((event) => event.wallet === wallet),
    );
  }

  async function findInBlock(payment: NumberedPayment): Promise<Marking> {
    const block = await findMarkBlock(payer, payment, settled);
    // What shares the transaction is most likely in the same block.
    const wallets = [...new Set(held.map(({ wallet }) => wallet))];
    const events = await payer.paidEvents({ wallets, from: block, to: block, marked: [payment] });
    looked.push(events);
    return markingBy(events, payment);
  }

  async function find(payment: NumberedPayment): Promise<Marking> {
    const { gigId: id, wallet } = payment;
    const own = markingBy(inclusion?.paid ?? [], payment);
    if (own.kind === 'exact') return own;
    const before = looked.map((events) => markingBy(events, payment)).find(({ kind }) => kind !== 'unknown');
    if (before !== undefined) return before;
    if (silence !== null) throw silence;
    const inBlock = await findInBlock(payment).catch((error: unknown): Marking => {
      if (error instanceof AdapterError) return { kind: 'unknown' };
      throw error;
    });
    if (inBlock.kind !== 'unknown') return inBlock;
    const terms = { until: settled, mostRequests: FEW_REQUESTS, marked: [payment] };
    return markingBy(await readEvents(source, [{ id, wallet }], terms), payment);
  }

  return async (payment) => {
    try {
      const marking = await find(payment);
      if (marking.kind === 'unknown') return { kind: 'unknown', why: NOT_TOLD };
      const isPaid = marking.kind === 'exact' && isPaidBy(payment, marking.events);
      return isPaid ? { kind: 'paid', events: marking.events } : { kind: 'elsewhere' };
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      // Of others it may still tell what it refuses to tell of this one.
      if (error.retry !== 'never') silence = error;
      return { kind: 'unknown', why: `${NOT_TOLD}: ${summarizeError(error).message}` };
    }
  };
}
