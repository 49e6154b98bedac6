import { describe, expect, test } from 'vitest';
import type { PaymentCandidate } from '../../../src/domain/payments/payment.ts';
import {
  type BudgetFacts,
  chargeOf,
  findExcess,
  findFreeze,
  findPause,
  findPrice,
  findShortage,
  gasHolders,
  mayHideExcess,
  type PaymentCost,
  type PaymentPolicy,
} from '../../../src/domain/payments/payment-limits.ts';
import { NATIVE, NO_GAS, POLICY, planned, unused } from './planned.ts';

describe('what a payment waits for', () => {
  test('security: a frozen gig pays nothing, and neither does one whose funding may still go', () => {
    expect(findFreeze(planned(), { fundedMs: 2_000 })).toBeNull();
    expect(findFreeze(planned({ freeze: 'it looks odd' }), { fundedMs: 2_000 })?.reason).toBe(
      'the gig is frozen: it looks odd',
    );
    expect(findFreeze(planned({ awaitsFunding: true }), { fundedMs: 2_000 })).toMatchObject({ isCalm: true });
  });

  const OWNER = 'owner:farcaster:1003';
  const USED_UP = 'the client’s daily gas budget is used up';
  /** What is not as usual of the payment, of what was used before, and of the limits. */
  type Given = Partial<PaymentCandidate & BudgetFacts & Pick<PaymentPolicy, 'clientGasPerDay' | 'ownersGasPerDay'>>;
  const gas = (claims: bigint, fees = 0n) => ({ claims, fees });
  const failed = (gasUsed: bigint) => ({ failures: 1, gasUsed, failedAt: 0 });
  const owner = (claims: bigint, fees = 0n) => {
    return { client: OWNER, clientGas: gas(claims, fees), ownersGas: gas(claims, fees) };
  };

  test.each<[title: string, given: Given, waits: string | null]>([
    ['nothing when nothing was used', {}, null],
    ['a token that failed often', { tokenFailures: 3 }, 'its token failed on the chain 3 times within an hour'],
    ['nothing when it failed less often', { tokenFailures: 2 }, null],
    ['nothing when recipients of the native asset failed', { token: NATIVE, tokenFailures: 9 }, null],
    ['its gig at its end', { gig: { gasUsed: 900_001n, tips: 5 } }, 'its gig has used up the gas that its tips allow'],
    ['nothing just before that', { gig: { gasUsed: 900_000n, tips: 5 } }, null],
    [
      'its account, whose failures have used what its tips allow',
      { numbers: [0n, 1n], ownFailures: failed(100_001n) },
      'its account’s payments by this gig have failed with all the gas that its tips allow',
    ],
    ['nothing just before that', { numbers: [0n, 1n], ownFailures: failed(100_000n) }, null],
    ['its client at its end', { clientGas: gas(900_001n) }, USED_UP],
    [
      'a budget of its client that is too small for it',
      { clientGasPerDay: 99_999n },
      'it needs more gas than its client has in a day, 100000 of 99999; an operator can raise GAS_BUDGET_CLIENT_DAY',
    ],
    ['all owners at the end of what they have together', { client: OWNER, ownersGas: gas(1_900_001n) }, USED_UP],
    ['an owner at the end of its tenth of that', owner(100_001n), USED_UP],
    ['nothing just before that', owner(100_000n, 9n), null],
    [
      'nothing in an owner’s first payment of a day, beside a tenth that is too small',
      { client: OWNER, ownersGas: NO_GAS, ownersGasPerDay: 100_000n },
      null,
    ],
    [
      'a budget of all owners that is too small for it',
      { client: OWNER, ownersGas: NO_GAS, ownersGasPerDay: 99_999n },
      'it needs more gas than its client has in a day, 100000 of 99999; an operator can raise GAS_BUDGET_OWNERS_DAY',
    ],
    ['nothing without a client', { client: null, clientGas: gas(9_000_000n) }, null],
    ['nothing without a limit of clients', { clientGas: gas(9_000_000n), clientGasPerDay: null }, null],
    ['nothing with a limit of 0', { clientGas: gas(9_000_000n), clientGasPerDay: 0n }, null],
    [
      'nothing for marks',
      { kind: 'mark', gig: { gasUsed: 9_000_000n, tips: 0 }, clientGas: gas(9_000_000n), tokenFailures: 9 },
      null,
    ],
  ])('behavior: %s', (_, given, waits) => {
    const { clientGasPerDay, ownersGasPerDay } = { ...POLICY, ...given };
    const terms = { policy: { ...POLICY, clientGasPerDay, ownersGasPerDay }, gas: 100_000n };
    expect(findShortage(planned(given), { ...unused, ...given }, terms)?.reason ?? null).toBe(waits);
  });
});

describe('a wait', () => {
  const wait = (payment: Partial<PaymentCandidate>, used: object, gas = 100_000n, policy: object = {}) =>
    findShortage(planned(payment), { ...unused, ...used }, { policy: { ...POLICY, ...policy }, gas });

  test('behavior: says how long it lasts, whether that is normal, and which other payments wait for the same', () => {
    expect(findFreeze(planned({ freeze: 'odd' }), { fundedMs: 2_000 })).toEqual({
      reason: 'the gig is frozen: odd',
      isCalm: false,
      waitMs: 5_000,
      holds: 'gig',
    });
    expect(findFreeze(planned({ awaitsFunding: true }), { fundedMs: 2_000 })).toEqual({
      reason: 'its gig was funded a moment ago, and the chain may still take that back',
      isCalm: true,
      waitMs: 2_000,
      holds: 'gig',
    });
    expect(wait({}, { tokenFailures: 3 })).toMatchObject({ isCalm: false, waitMs: 60_000, holds: 'token' });
    const gig = { gasUsed: 900_001n, tips: 5 };
    expect(wait({}, { gig })).toMatchObject({ isCalm: false, waitMs: 60_000, holds: 'gig' });
    const clientGas = { claims: 900_001n, fees: 0n };
    expect(wait({}, { clientGas })).toMatchObject({ isCalm: false, waitMs: 60_000, holds: 'client' });
    const small = wait({}, {}, 100_000n, { clientGasPerDay: 99_999n });
    expect(small).toMatchObject({ isCalm: false, waitMs: 60_000 });
    expect(small).not.toHaveProperty('holds');
    const full = wait({}, { clientGas: { claims: 1n, fees: 0n } }, 100_000n, { clientGasPerDay: 100_000n });
    expect(full).toMatchObject({ reason: 'the client’s daily gas budget is used up', holds: 'client' });
    const ownFailures = { failures: 1, gasUsed: 100_001n, failedAt: 0 };
    const failed = wait({ numbers: [0n, 1n] }, { ownFailures });
    expect(failed).toMatchObject({ isCalm: false, waitMs: 3_600_000 });
    expect(failed).not.toHaveProperty('holds');
  });

  test('behavior: for its account and for a lower price names its reason and is not normal', () => {
    const used = { ...unused, ownFailures: { failures: 3, gasUsed: 0n, failedAt: 0 } };
    expect(findPause(planned(), used, { policy: POLICY, now: 0 })).toEqual({
      reason: 'its account’s payments by this gig failed on the chain 3 times; it is tried after a pause',
      isCalm: false,
      waitMs: 3_600_000,
    });
    expect(findPause(planned(), used, { policy: POLICY, now: 3_600_000 })).toBeNull();
    expect(findPause(planned(), unused, { policy: POLICY, now: 0 })).toBeNull();
    const dear: PaymentCost = { gas: 7n, maxFeePerGas: 1n, publishing: 0n, transferCost: 1n, words: 1 };
    expect(findPrice(planned(), dear, POLICY)).toMatchObject({ isCalm: false, waitMs: 15_000 });
  });

  test('security: a fee waits for claims and fees of a day, a claim for claims alone', () => {
    const clientGas = { claims: 500_000n, fees: 400_001n };
    expect(wait({ kind: 'fee' }, { clientGas })?.holds).toBe('client');
    expect(wait({ kind: 'payout' }, { clientGas })).toBeNull();
    expect(wait({ kind: 'fee' }, { clientGas: { claims: 500_000n, fees: 400_000n } })).toBeNull();
    expect(wait({}, { clientGas: { claims: 900_000n, fees: 0n } })).toBeNull();
  });

  test('security: owners have one daily budget together, each a tenth of it', () => {
    const client = 'owner:farcaster:1003';
    const ownersGas = { claims: 1_900_000n, fees: 0n };
    expect(wait({ client }, { ownersGas })).toBeNull();
    const own = (claims: bigint) => wait({ client }, { clientGas: { claims, fees: 0n }, ownersGas: NO_GAS });
    expect([own(0n), own(1n), own(100_000n)]).toEqual([null, null, null]);
    expect(own(100_001n)?.holds).toBe('client');
    expect(wait({ client }, { ownersGas: { claims: 9_000_000n, fees: 0n } }, 1n, { ownersGasPerDay: null })).toBeNull();
    expect(gasHolders(client)).toEqual([client, 'owner:']);
    expect([gasHolders('shop'), gasHolders(null)]).toEqual([['shop'], []]);
  });

  test('behavior: publishing counts as gas only where a transfer takes more than ever, and never below nothing', () => {
    const cheap: PaymentCost = { gas: 300_000n, maxFeePerGas: 10n, publishing: 0n, transferCost: 1n, words: 1 };
    expect(findExcess(planned(), cheap, POLICY)).toContain('it would burn 240000 gas');
    expect(findExcess(planned(), { ...cheap, maxFeePerGas: 0n }, POLICY)).toContain('it would burn 240000 gas');
    // 51,510 gas a transfer: 10 of them are publishing, six times for each of two words.
    const two = { ...cheap, gas: 600_000n, transferCost: 515_100n, words: 2 };
    expect(findExcess(planned(), two, POLICY)).toContain('it would burn 479904 gas, more than 400000 allowed');
    const hides = (gas: bigint) => mayHideExcess({ ...two, gas }, POLICY);
    expect([hides(314_445n), hides(314_447n)]).toEqual([false, true]);
  });
});

describe('a payment to an account whose payments by the gig failed', () => {
  const HOUR = 3_600_000;
  const left = (failures: number, now: number, kind: PaymentCandidate['kind'] = 'payout') => {
    const ownFailures = { failures, gasUsed: 0n, failedAt: 10 * HOUR };
    const used = { ...unused, ownFailures };
    return findPause(planned({ kind }), used, { policy: POLICY, now: now * HOUR })?.waitMs ?? 0;
  };

  test('security: waits for pauses that grow, from the third failure on', () => {
    expect([2, 3, 4, 5, 9, 99].map((failures) => left(failures, 10) / HOUR)).toEqual([0, 1, 4, 16, 4_096, 4_096]);
    expect([left(3, 10.5) / HOUR, left(3, 11), left(3, 99)]).toEqual([0.5, 0, 0]);
    expect(left(5, 10, 'mark')).toBe(0);
  });

  test('error: does not wait longer after the clock was set back', () => {
    expect(left(3, 2) / HOUR).toBe(1);
  });
});

describe('what a payment costs', () => {
  const cost: PaymentCost = { gas: 100_000n, maxFeePerGas: 10n, publishing: 0n, transferCost: 515_000n, words: 1 };

  test('behavior: counts as its gas where a plain transfer costs nothing but gas', () => {
    expect(chargeOf(cost)).toBe(100_000n);
    expect(chargeOf({ ...cost, transferCost: 0n })).toBe(100_000n);
  });

  test('behavior: counts without publishing where that is part of the gas, as on Arbitrum', () => {
    // Publishing costs as much gas as all the rest, for a transfer and for a payment.
    expect(chargeOf({ ...cost, gas: 200_000n, transferCost: 1_030_000n })).toBe(100_000n);
  });

  test('behavior: counts with its publishing, measured by a transfer with its own', () => {
    expect(chargeOf({ ...cost, publishing: 1_000_000n, transferCost: 1_030_000n })).toBe(100_000n);
  });

  test('security: is at most six plain transfers for each word of numbers, and ten times as many when it is allowed', () => {
    const price = (change: Partial<PaymentCost>, payment = planned()) =>
      findPrice(payment, { ...cost, ...change }, POLICY)?.reason ?? null;
    expect(price({ gas: 309_000n })).toBeNull();
    expect(price({ gas: 309_001n })).toBe('it would cost more than 6 plain transfers of a token');
    expect(price({ gas: 309_000n, publishing: 1n })).not.toBeNull();
    expect(price({ gas: 618_000n, words: 2 })).toBeNull();
    const allowed = planned({ isAllowed: true });
    expect(price({ gas: 3_090_000n }, allowed)).toBeNull();
    expect(price({ gas: 3_090_001n }, allowed)).toBe('it would cost more than 60 plain transfers of a token');
  });

  test('security: a token may burn so much gas, and ten times as much when the operator allows it', () => {
    const excess = (change: Partial<PaymentCost>, payment = planned()) =>
      findExcess(payment, { ...cost, ...change }, POLICY);
    expect(excess({ gas: 250_000n })).toBeNull();
    // A simulation adds a quarter.
    const heavy = { gas: 250_003n };
    expect(excess(heavy)).toBe(
      'it would burn 200002 gas, more than 200000 allowed; an operator can allow its token more',
    );
    expect(excess({ ...heavy, words: 2 })).toBeNull();
    const allowed = planned({ isAllowed: true });
    expect(excess({ gas: 2_500_000n }, allowed)).toBeNull();
    expect(excess({ gas: 2_500_003n }, allowed)).toBe(
      'it would burn 2000002 gas, more than 2000000 allowed; although its token is allowed more',
    );
    expect(excess({ gas: 9_000_000n }, planned({ kind: 'mark' }))).toBeNull();
  });

  test('security: several payments together may burn as much as one may and a plain transfer for each other', () => {
    const hides = (gas: bigint, words: number) => mayHideExcess({ ...cost, gas, words }, POLICY);
    expect([hides(250_000n, 1), hides(314_375n, 2), hides(636_250n, 7 + 1)]).toEqual([false, false, false]);
    expect([hides(250_002n, 1), hides(314_377n, 2), hides(900_000n, 8)]).toEqual([true, true, true]);
  });

  test('behavior: publishing that the gas holds does not count as the token’s', () => {
    // A plain transfer takes ten times its gas.
    expect(findExcess(planned(), { ...cost, gas: 2_000_000n, transferCost: 5_150_000n }, POLICY)).toBeNull();
  });
});
