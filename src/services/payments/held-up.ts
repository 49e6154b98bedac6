import { readTrouble, wasRefusedAlone } from '../../domain/chains/endpoint-trouble.ts';
import type { HeldUp, HoldUp } from '../../domain/payments/hold-up.ts';
import { findWait } from '../../domain/payments/obstacle.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { REFUSED_FOR_LONG } from '../../domain/payments/reasons.ts';
import { HOUR_MS, hasPassed } from '../../domain/time.ts';
import type { LatePayments } from '../../store/port/index.ts';
import type { ReadContext, ServiceContext } from '../context.ts';

/** Longer than any wait that is normal, in milliseconds. */
const LONG_MS = 5 * 60 * 1000;
const LATE_MS = HOUR_MS;
const PAGE = 500;

function isBlocked(reason: string | null): boolean {
  return readTrouble(reason) !== null || wasRefusedAlone({ reason });
}

function knownHoldUp(
  { gigId, reason }: { gigId: number; reason: string | null },
  frozen: ReadonlySet<number>,
): HoldUp | null {
  if (frozen.has(gigId)) return 'gig_frozen';
  const wait = findWait(reason);
  if (wait !== null) return wait;
  if (isBlocked(reason)) return 'endpoint_refuses';
  return REFUSED_FOR_LONG.some((begins) => reason?.startsWith(begins)) ? 'refused' : null;
}

function createTally() {
  const found = new Map<string, { holdUp: HoldUp; chainId: number; payments: number; gigIds: Set<number> }>();
  return {
    add(holdUp: HoldUp, { chainId, gigId, payments }: { chainId: number; gigId: number; payments: number }) {
      const key = `${chainId} ${holdUp}`;
      const same = found.get(key) ?? { holdUp, chainId, payments: 0, gigIds: new Set() };
      same.gigIds.add(gigId);
      found.set(key, { ...same, payments: same.payments + payments });
    },
    list: (): HeldUp[] =>
      [...found.values()].map(({ gigIds, ...held }) => ({ ...held, gigIds: [...gigIds].sort((a, b) => a - b) })),
  };
}

async function findFrozen({ store }: ReadContext): Promise<ReadonlySet<number>> {
  return new Set((await store.frozenGigs()).map(({ gigId }) => gigId));
}

/** Planned payments that wait for more than a moment and are not late yet, by chain and reason. */
export async function findHeldUp(
  deps: ServiceContext,
  { chainIds }: { chainIds: readonly number[] },
): Promise<HeldUp[]> {
  const frozen = await findFrozen(deps);
  const now = deps.clock();
  const tally = createTally();
  let page: Payment[];
  let before: number | undefined;
  do {
    page = await deps.store.payments({ state: 'planned', limit: PAGE, before });
    before = page.at(-1)?.id;
    for (const payment of page) {
      const { chainId, gigId, createdAt } = payment;
      if (!chainIds.includes(chainId) || createdAt <= now - LATE_MS) continue;
      const isLong = hasPassed(LONG_MS, { since: createdAt, now });
      const holdUp = knownHoldUp(payment, frozen) ?? (isLong ? 'late' : null);
      if (holdUp !== null) tally.add(holdUp, { chainId, gigId, payments: 1 });
    }
  } while (page.length === PAGE);
  return tally.list();
}

const MOST_REASONS = 3;

/** Payments that are planned or sent and that the endpoint of their chain keeps from being made, with their reasons. */
export async function findBlocked(
  { store }: ReadContext,
  { chainIds }: { chainIds: readonly number[] },
): Promise<{ chainId: number; payments: number; reasons: string[] }[]> {
  const open = await store.latePayments({ plannedBy: Number.MAX_SAFE_INTEGER });
  const blocked = open.filter(({ chainId, reason }) => chainIds.includes(chainId) && isBlocked(reason));
  return [...Map.groupBy(blocked, ({ chainId }) => chainId)].map(([chainId, groups]) => ({
    chainId,
    payments: groups.reduce((sum, { payments }) => sum + payments, 0),
    reasons: [...new Set(groups.map(({ reason }) => reason ?? ''))].slice(0, MOST_REASONS),
  }));
}

/** Payments, planned or not yet settled, that wait for what a screening oracle says, by chain. */
export async function findScreened(
  { store }: ReadContext,
  { chainIds }: { chainIds: readonly number[] },
): Promise<HeldUp[]> {
  const tally = createTally();
  for (const group of await store.latePayments({ plannedBy: Number.MAX_SAFE_INTEGER })) {
    const wait = group.state === 'planned' ? findWait(group.reason) : null;
    const isScreened = wait === 'recipient_listed' || wait === 'screening_silent';
    if (isScreened && chainIds.includes(group.chainId)) tally.add(wait, group);
  }
  return tally.list();
}

function lateHoldUp(late: LatePayments, frozen: ReadonlySet<number>): HoldUp {
  if (isBlocked(late.reason)) return 'endpoint_refuses';
  return late.state === 'sent' ? 'unsettled' : (knownHoldUp(late, frozen) ?? 'late');
}

/** Payments that were planned more than an hour ago and are not confirmed, by chain and reason. */
export async function findLatePayments(
  deps: ServiceContext,
  { chainIds }: { chainIds: readonly number[] },
): Promise<HeldUp[]> {
  const late = await deps.store.latePayments({ plannedBy: deps.clock() - LATE_MS });
  const frozen = await findFrozen(deps);
  const tally = createTally();
  for (const group of late) {
    if (chainIds.includes(group.chainId)) tally.add(lateHoldUp(group, frozen), group);
  }
  return tally.list();
}
