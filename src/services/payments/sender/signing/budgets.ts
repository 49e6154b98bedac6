import type { PaymentCandidate } from '../../../../domain/payments/payment.ts';
import { ALL_OWNERS, type BudgetFacts, gasHolders } from '../../../../domain/payments/payment-limits.ts';
import type { Store } from '../../../../store/port/index.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const MONTH_MS = 30 * DAY_MS;

export type Budgets = (payment: PaymentCandidate) => BudgetFacts;

async function readEach<K, V>(keys: readonly K[], read: (key: K) => Promise<V>): Promise<ReadonlyMap<K, V>> {
  return new Map(await Promise.all([...new Set(keys)].map(async (key) => [key, await read(key)] as const)));
}

/** Most tokens never fail, so few claims are read. */
async function readOwnFailures(store: Store, payments: readonly PaymentCandidate[], now: number) {
  const tokens = await readEach(
    payments.map(({ token }) => token.id),
    (tokenId) => store.accountFailures(tokenId, now - MONTH_MS),
  );
  const failures = Map.groupBy([...tokens.values()].flat(), ({ gigId }) => gigId);
  const claims = await readEach(
    payments.flatMap(({ gigId, claimId }) => (claimId === null || !failures.has(gigId) ? [] : [claimId])),
    (claimId) => store.claim(claimId),
  );
  return ({ gigId, claimId }: PaymentCandidate) => {
    const claim = claimId === null ? null : (claims.get(claimId) ?? null);
    const isOwn = (of: { platform: string; platformUserId: string }) =>
      of.platform === claim?.platform && of.platformUserId === claim.platformUserId;
    return failures.get(gigId)?.find(isOwn) ?? null;
  };
}

/** Reads what has been used of the budgets that these payments count against, each once. */
export async function readBudgets(store: Store, payments: readonly PaymentCandidate[], now: number): Promise<Budgets> {
  const holders = payments.flatMap(({ client }) => gasHolders(client));
  const [gigs, clients, tokens, ownFailures] = await Promise.all([
    store.gasOfGigs([...new Set(payments.map(({ gigId }) => gigId))]),
    readEach(holders, (holder) =>
      holder === ALL_OWNERS ? store.gasOfOwners(now - DAY_MS) : store.gasOfClient(holder, now - DAY_MS),
    ),
    readEach(
      payments.map(({ token }) => token.id),
      (tokenId) => store.failuresOfToken(tokenId, now - HOUR_MS),
    ),
    readOwnFailures(store, payments, now),
  ]);
  return (payment) => {
    const [own = '', all = ''] = gasHolders(payment.client);
    return {
      gig: gigs.get(payment.gigId) ?? { gasUsed: 0n, tips: 0 },
      clientGas: clients.get(own) ?? { claims: 0n, fees: 0n },
      ownersGas: clients.get(all) ?? null,
      tokenFailures: tokens.get(payment.token.id) ?? 0,
      ownFailures: ownFailures(payment),
    };
  };
}
