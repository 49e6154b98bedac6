import type { PaymentCandidate } from '../../../domain/payment.ts';
import type { BudgetFacts } from '../../../domain/payment-batch.ts';
import type { Store } from '../../../store/port/index.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** What has been used of the budgets of a payment. */
export type Budgets = (payment: PaymentCandidate) => BudgetFacts;

async function readEach<K, V>(keys: readonly K[], read: (key: K) => Promise<V>): Promise<ReadonlyMap<K, V>> {
  return new Map(await Promise.all([...new Set(keys)].map(async (key) => [key, await read(key)] as const)));
}

/** Reads what has been used of the budgets that these payments count against, each once. */
export async function readBudgets(store: Store, payments: readonly PaymentCandidate[], now: number): Promise<Budgets> {
  const clientsOf = ({ client }: PaymentCandidate) => (client === null ? [] : [client]);
  const [gigs, clients, tokens] = await Promise.all([
    readEach(
      payments.map(({ gigId }) => gigId),
      (gigId) => store.gasOfGig(gigId),
    ),
    readEach(payments.flatMap(clientsOf), (client) => store.gasOfClient(client, now - DAY_MS)),
    readEach(
      payments.map(({ token }) => token.id),
      (tokenId) => store.failuresOfToken(tokenId, now - HOUR_MS),
    ),
  ]);
  return ({ gigId, client, token }) => ({
    gig: gigs.get(gigId) ?? { gasUsed: 0n, tips: 0 },
    clientGas: client === null ? 0n : (clients.get(client) ?? 0n),
    tokenFailures: tokens.get(token.id) ?? 0,
  });
}
