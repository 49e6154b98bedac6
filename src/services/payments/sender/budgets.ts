import type { PaymentCandidate } from '../../../domain/payment.ts';
import type { BudgetFacts } from '../../../domain/payment-batch.ts';
import type { Store } from '../../../store/port/index.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** What the payments of one transaction may still use, each budget read once. */
export interface Budgets {
  of(payment: PaymentCandidate): Promise<BudgetFacts>;
  /** Counts gas that a payment will use. */
  add(payment: PaymentCandidate, gas: bigint): void;
}

/** Reads what has been used, when it is first asked for. */
export function openBudgets(store: Store, now: number): Budgets {
  const gigs = new Map<number, Promise<BudgetFacts['gig']>>();
  const clients = new Map<string, Promise<bigint>>();
  const tokens = new Map<number, Promise<number>>();
  const added = new Map<number | string, bigint>();

  function once<K, V>(known: Map<K, Promise<V>>, key: K, read: () => Promise<V>): Promise<V> {
    const found = known.get(key) ?? read();
    known.set(key, found);
    return found;
  }

  return {
    async of({ gigId, client, token }) {
      const [{ gasUsed, tips }, clientGas, tokenFailures] = await Promise.all([
        once(gigs, gigId, () => store.gasOfGig(gigId)),
        client === null ? 0n : once(clients, client, () => store.gasOfClient(client, now - DAY_MS)),
        once(tokens, token.id, () => store.failuresOfToken(token.id, now - HOUR_MS)),
      ]);
      return {
        gig: { gasUsed: gasUsed + (added.get(gigId) ?? 0n), tips },
        clientGas: clientGas + (client === null ? 0n : (added.get(client) ?? 0n)),
        tokenFailures,
      };
    },
    add({ gigId, client }, gas) {
      added.set(gigId, (added.get(gigId) ?? 0n) + gas);
      if (client !== null) added.set(client, (added.get(client) ?? 0n) + gas);
    },
  };
}
