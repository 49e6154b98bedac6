import type { Platform } from '../../../src/domain/account.ts';
import { type Chain, type Chains, chainById } from '../../../src/domain/chains/chain.ts';
import type { EndpointStatus } from '../../../src/domain/chains/endpoint-status.ts';
import type { DiskSpace } from '../../../src/domain/operators/disk.ts';
import { createDeliveryCounter } from '../../../src/services/deliveries/deliver-next.ts';
import { createHeldSteps } from '../../../src/services/gigs/steps/held-steps.ts';
import { createPlatformBreaker } from '../../../src/services/mentions/platform-breaker.ts';
import { createClockStatus } from '../../../src/services/operators/clock/clock-status.ts';
import type { ConditionContext } from '../../../src/services/operators/conditions/define-condition.ts';
import type { TankLevel } from '../../../src/services/payments/gas-tank.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { readAmpleDisk } from '../../support/disk.ts';
import { ALONE } from '../../support/instances.ts';
import { SEEDED_AT, seedAddress } from '../../support/store.ts';
import { createClock, createLedger, keepLog } from '../fakes.ts';

/** A tank with enough, and one with too little. Wei. */
export const FULL: TankLevel = { balance: 30n * 10n ** 15n, reserve: 20n * 10n ** 15n, low: false };
export const LOW: TankLevel = { balance: 15n * 10n ** 15n, reserve: 20n * 10n ** 15n, low: true };

/** A store of which no read succeeds that a condition needs. */
export function failingReads(store: Store, fail: () => Promise<never>): Store {
  const ofGigs = { gig: fail, frozenGigs: fail, openWatches: fail, auditFaults: fail, gigsToRefund: fail };
  const ofPayments = { paymentStop: fail, payments: fail, latePayments: fail, otherPaymentsOfGig: fail };
  return { ...store, ...ofGigs, ...ofPayments };
}

/** The world of one process that looks at what is wrong: each part as a test sets it. All is well at first. */
export function createSurroundings(store: Store, options: { platforms?: readonly Platform[] } = {}) {
  const { clock, advance } = createClock();
  const { log, lines } = keepLog();
  const [base] = createLedger().chains.list();
  if (base === undefined) throw new Error('there is a chain');
  const state = {
    /** When Base answered last; null before the first time. */
    answeredAt: SEEDED_AT as number | null,
    endpoints: [] as EndpointStatus[],
    tank: FULL as TankLevel | null,
    disk: readAmpleDisk as () => Promise<DiskSpace>,
  };
  const reader = { ...base, lastSuccess: () => state.answeredAt, endpoints: () => state.endpoints };
  const chains: Chains = { reader: () => reader, list: () => [reader] };
  const health = createPlatformBreaker({ platforms: options.platforms ?? [], clock, log });
  const chain = chainById(8453) as Chain; // It is in the list.
  const clocks = createClockStatus({ clock });
  // Two blocks that came in time.
  for (const number of [1n, 2n]) clocks.saw(base.chain, { number, at: SEEDED_AT });
  const heldSteps = createHeldSteps({ clock, log });
  const deps: ConditionContext = {
    store,
    chains,
    health,
    clocks,
    instances: ALONE,
    gasTank: {
      address: seedAddress(0xaa),
      look: async () => undefined,
      standings: () => [{ chain, level: state.tank }],
    },
    heldSteps,
    readDisk: () => state.disk(),
    refundDelayMs: 72 * 3_600_000,
    startedAt: SEEDED_AT,
    clock,
    log,
  };
  return { deps, clocks, state, advance, health, lines, clock, log, alertCounter: createDeliveryCounter() };
}
