import type { PaymentCandidate } from '../../../domain/payments/payment.ts';
import type { PaymentScope } from '../../../store/port/index.ts';
import type { PaymentContext } from './context.ts';
import type { Wait } from './refusals.ts';

/** So many of a page of candidates must wait for the same before those behind the page are asked for as well. */
const MANY = 5;

function scopeOf({ holds, payment }: Wait): PaymentScope | null {
  const { chainId, gigId, token, client } = payment;
  switch (holds) {
    case 'client':
      return client === null ? null : { chainId, kind: holds, of: client };
    case 'gig':
      return { chainId, kind: holds, of: gigId };
    case 'token':
      return { chainId, kind: holds, of: token.id };
    default:
      return null;
  }
}

/**
 * Has payments behind a full page of candidates wait for what many of the page wait for, without asking for each: others
 * behind them would have to wait for that. They are looked at a moment before those of the page, so that each gets its turn.
 */
export async function delayFollowers(
  { store, clock, log }: PaymentContext,
  { page, waits }: { page: readonly PaymentCandidate[]; waits: readonly Wait[] },
): Promise<void> {
  const now = clock();
  const after = page.at(-1);
  if (after === undefined) return;
  const alike = Map.groupBy(waits, (wait) => {
    const scope = scopeOf(wait);
    return scope === null ? null : `${scope.kind} ${scope.of}`;
  });
  for (const [first, ...others] of alike.values()) {
    const scope = first === undefined ? null : scopeOf(first);
    if (first === undefined || scope === null || others.length < MANY - 1) continue;
    const { reason, waitMs } = first;
    const change = { reason, dueAt: now + waitMs - 1, now, after };
    const payments = await store.transaction((tx) => tx.delayPayments(scope, change));
    if (payments > 0) log.warn({ ...scope, payments, reason }, 'payments wait');
  }
}
