import { describe, expect, test } from 'vitest';
import { OUTCOME_WORDS } from '../../../src/bot/commands/claim.ts';
import type { ClaimStatus } from '../../../src/domain/claims/claim.ts';
import { type Payment, TANK_IS_LOW } from '../../../src/domain/payments/payment.ts';
import {
  CLAIM_PATIENCE,
  findObstacles,
  isHeldUp,
  obstacleOf,
  tellOutcomes,
  waitForClaim,
} from '../../../src/services/claims/claim-progress.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { payment } from '../../bot/samples.ts';
import { partStore } from '../../support/part-store.ts';
import { sampleClaim } from '../../support/store.ts';
import { ALICE } from '../cashier.ts';
import { createClock, createNetwork, keepLog } from '../fakes.ts';

const claim = { ...sampleClaim(ALICE, 'post'), id: 1 };
const statusOf = (...payments: Partial<Payment>[]): ClaimStatus => ({
  claim,
  payments: payments.map((each, index) => payment({ id: index + 1, gigId: index + 1, ...each })),
});
const PLANNED = { state: 'planned' } as const;
const LOW = { ...PLANNED, reason: TANK_IS_LOW };

/** The second gig is frozen. */
const gigFreeze = async (gigId: number) => (gigId === 2 ? 'it looks odd' : null);
const store = partStore({ gigFreeze });

describe('what holds up a claim', () => {
  test.each([
    [{ ...PLANNED, gigId: 1 }, null],
    [{ ...LOW, gigId: 1 }, 'gas_tank_empty'],
    [{ ...LOW, gigId: 2 }, 'gig_frozen'],
    [{ state: 'sent', reason: TANK_IS_LOW, gigId: 2 }, null],
    [{ state: 'failed', reason: TANK_IS_LOW, gigId: 2 }, null],
  ] as const)('behavior: a payment that is %j waits for %s', async (of, obstacle) => {
    expect(await obstacleOf({ store }, payment(of))).toBe(obstacle);
  });

  test.each([
    [[], true],
    [[LOW, PLANNED], true],
    [[PLANNED, PLANNED], false],
    [[{ state: 'confirmed' }, PLANNED, { state: 'failed' }], true],
    [[LOW, PLANNED, { state: 'sent' }], false],
  ] as const)('behavior: waiting for %j is of no use: %s', async (payments, isOver) => {
    const status = statusOf(...payments);
    const obstacles = await findObstacles({ store }, status);
    expect(isHeldUp(status, obstacles)).toBe(isOver);
    for (const [id] of obstacles) expect(status.payments[id - 1]?.state).toBe('planned');
  });
});

test.each([
  [200, 200, false],
  [201, 200, true],
])('behavior: of %i promises one run looks at %i', async (count, looks, isMore) => {
  const keptPromises = async () =>
    Array.from({ length: count }, (_, id) => ({ claimId: id, mentionId: id, platform: 'farcaster' }));
  let looked = 0;
  const transaction = async () => {
    looked += 1;
    return null;
  };
  const { network } = createNetwork('farcaster');
  const { log } = keepLog();
  const platforms = new Map([['farcaster', network]]);
  // Nothing is told here.
  const ledger = partStore({ keptPromises, transaction: transaction as unknown as Store['transaction'] });
  const deps = { store: ledger, clock: () => 0, log, platforms, words: OUTCOME_WORDS, wake: () => undefined };
  expect([await tellOutcomes(deps), looked]).toEqual([isMore, looks]);
});

describe('the wait for a claim', () => {
  /** Waits while the ledger reads like this, one state after the other, and counts the pauses. */
  async function wait(states: readonly ClaimStatus[], goesOn = true) {
    const { clock, advance } = createClock();
    const [first = statusOf(), ...later] = states;
    const pauses: number[] = [];
    const sleep = async (ms: number) => {
      pauses.push(ms);
      advance(ms);
      return goesOn;
    };
    const read = () => later[pauses.length - 1] ?? states.at(-1) ?? first;
    const paymentsOfClaim = async () => [...read().payments];
    const ledger = partStore({ gigFreeze, claim: async () => claim, paymentsOfClaim });
    const found = await waitForClaim({ store: ledger, clock, sleep }, first, CLAIM_PATIENCE);
    return { found: found.payments.map(({ state }) => state), pauses };
  }
  const pending = statusOf(PLANNED);
  const paid = statusOf({ state: 'confirmed' });

  test('behavior: ends with the last payment, or with what holds up the others', async () => {
    expect(await wait([pending, pending, paid])).toEqual({ found: ['confirmed'], pauses: [250, 250] });
    expect(await wait([pending, statusOf(LOW)])).toEqual({ found: ['planned'], pauses: [250] });
    expect(await wait([paid])).toEqual({ found: ['confirmed'], pauses: [] });
  });

  test('behavior: ends after twenty seconds, or when the service stops', async () => {
    const { found, pauses } = await wait([pending]);
    expect([found, pauses.length]).toEqual([['planned'], 80]);
    expect(await wait([pending], false)).toEqual({ found: ['planned'], pauses: [250] });
  });
});
