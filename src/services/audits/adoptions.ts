import type { Payment } from '../../domain/payments/payment.ts';
import type { StoreReads } from '../../store/port/index.ts';

const PAGE = 500;

/** Pages are newest first, so the first unwanted payment ends the search after its page. */
async function pagesWhile(
  store: StoreReads,
  filter: { readonly state?: Payment['state'] },
  isWanted: (payment: Payment) => boolean,
): Promise<Payment[]> {
  const found: Payment[] = [];
  let page: Payment[];
  do {
    page = await store.payments({ ...filter, limit: PAGE, before: found.at(-1)?.id });
    found.push(...page.filter(isWanted));
  } while (page.length === PAGE && page.every(isWanted));
  return found;
}

/** Paid by a transaction that is not of this ledger. */
function isAdopted({ state, transactionId }: Payment): boolean {
  return state === 'confirmed' && transactionId === null;
}

/**
 * Watches which payments are taken into the ledger from the chain.
 * @returns counts them since this call, by gig
 */
export async function watchAdoptions(store: StoreReads): Promise<() => Promise<ReadonlyMap<number, number>>> {
  const [newest] = await store.payments({ limit: 1 });
  const planned = await pagesWhile(store, { state: 'planned' }, () => true);
  return async () => {
    const added = await pagesWhile(store, {}, ({ id }) => id > (newest?.id ?? 0));
    const changed = await Promise.all(planned.map(({ id }) => store.payment(id)));
    const known = changed.flatMap((payment) => (payment === null ? [] : [payment]));
    const counts = new Map<number, number>();
    for (const { gigId } of [...added, ...known].filter(isAdopted)) counts.set(gigId, (counts.get(gigId) ?? 0) + 1);
    return counts;
  };
}
