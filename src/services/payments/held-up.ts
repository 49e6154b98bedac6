import { findWait, type Obstacle } from '../../domain/obstacle.ts';
import type { Payment } from '../../domain/payment.ts';
import { hasPassed } from '../../domain/time.ts';
import type { Store } from '../../store/port/index.ts';

/** Longer than any wait that is normal, in milliseconds. */
const LONG_MS = 5 * 60 * 1000;
const PAGE = 500;

/** Why planned payments are held up: `refused` ones are tried again, and for `late` ones there is no reason to wait. */
export type HoldUp = Obstacle | 'refused' | 'late';

/** Planned payments of one chain that are held up by the same. */
export interface HeldUp {
  readonly holdUp: HoldUp;
  readonly chainId: number;
  readonly payments: number;
  /** The gigs that are to pay them, each once. */
  readonly gigIds: readonly number[];
}

/** The beginnings of reasons that concern the operator when they last. */
const REFUSALS = [
  'it is tried again: ',
  'the node that tried it',
  'the node could not try it',
  'the service could not try it',
];

function holdUpOf({ gigId, reason, createdAt }: Payment, frozen: ReadonlySet<number>, now: number): HoldUp | null {
  if (frozen.has(gigId)) return 'gig_frozen';
  const wait = findWait(reason);
  if (wait !== null) return wait;
  if (REFUSALS.some((begins) => reason?.startsWith(begins))) return 'refused';
  return hasPassed(LONG_MS, { since: createdAt, now }) ? 'late' : null;
}

/** Planned payments that wait for more than a moment, by chain and reason. */
export async function findHeldUp(
  { store, clock }: { store: Pick<Store, 'payments' | 'frozenGigs'>; clock: () => number },
  { chainIds }: { chainIds: readonly number[] },
): Promise<HeldUp[]> {
  const frozen = new Set((await store.frozenGigs()).map(({ gigId }) => gigId));
  const now = clock();
  const found = new Map<string, { holdUp: HoldUp; chainId: number; payments: number; gigIds: Set<number> }>();
  let page: Payment[];
  let before: number | undefined;
  do {
    page = await store.payments({ state: 'planned', limit: PAGE, before });
    before = page.at(-1)?.id;
    for (const payment of page) {
      const { chainId, gigId } = payment;
      const holdUp = chainIds.includes(chainId) ? holdUpOf(payment, frozen, now) : null;
      if (holdUp === null) continue;
      const key = `${chainId} ${holdUp}`;
      const same = found.get(key) ?? { holdUp, chainId, payments: 0, gigIds: new Set() };
      same.gigIds.add(gigId);
      found.set(key, { ...same, payments: same.payments + 1 });
    }
  } while (page.length === PAGE);
  return [...found.values()].map(({ gigIds, ...held }) => ({ ...held, gigIds: [...gigIds].sort((a, b) => a - b) }));
}
