import { describe, expect, test } from 'vitest';
import { type Address, NATIVE_TOKEN_ADDRESS, type Token } from '../../../src/domain/gigs/token.ts';
import { FEE_NUMBER, type PaymentCandidate } from '../../../src/domain/payments/payment.ts';
import { chooseFitting, groupPayments, splitTips, walletPayments } from '../../../src/domain/payments/payment-batch.ts';
import {
  chargeOf,
  findExcess,
  findFreeze,
  findPause,
  findPrice,
  findShortage,
  mayHideExcess,
  type PaymentCost,
  type PaymentPolicy,
  shareOf,
} from '../../../src/domain/payments/payment-limits.ts';

const WALLET: Address = `0x${'11'.repeat(20)}`;
const TO: Address = `0x${'22'.repeat(20)}`;
const TOKEN: Token = {
  id: 1,
  createdAt: 0,
  address: `0x${'33'.repeat(20)}`,
  chainId: 8453,
  decimals: 18,
  name: 'Degen',
  symbol: 'DEGEN',
  imageUrl: '',
  isNative: false,
  coingeckoId: null,
};
const NATIVE: Token = { ...TOKEN, id: 2, address: NATIVE_TOKEN_ADDRESS, isNative: true };

const POLICY: PaymentPolicy = {
  clientGasPerDay: 1_000_000n,
  ownersGasPerDay: 2_000_000n,
  gigGas: 500_000n,
  gigGasPerTip: 100_000n,
  tokenGas: 200_000n,
  transfers: 6n,
  allowance: 10n,
  tokenFailures: 3,
  paymentFailures: 3,
  accountFailures: 3,
  payments: 100,
};

function planned(change: Partial<PaymentCandidate> = {}): PaymentCandidate {
  return {
    id: 1,
    kind: 'payout',
    chainId: 8453,
    gigId: 1,
    wallet: WALLET,
    claimId: 1,
    token: TOKEN,
    recipient: TO,
    amount: 10n,
    state: 'planned',
    reason: null,
    transactionId: null,
    hash: null,
    blockNumber: null,
    gasUsed: 0n,
    gasReserved: 0n,
    place: null,
    failures: 0,
    dueAt: 0,
    createdAt: 0,
    updatedAt: 0,
    numbers: [0n],
    client: 'acme',
    freeze: null,
    awaitsFunding: false,
    isAllowed: false,
    ...change,
  };
}

const NO_GAS = { claims: 0n, fees: 0n };
const unused = {
  gig: { gasUsed: 0n, tips: 5 },
  clientGas: NO_GAS,
  ownersGas: null,
  tokenFailures: 0,
  ownFailures: null,
};

describe('what a payment waits for', () => {
  test('security: a frozen gig pays nothing, and neither does one whose funding may still go', () => {
    expect(findFreeze(planned())).toBeNull();
    expect(findFreeze(planned({ freeze: 'it looks odd' }))?.reason).toBe('the gig is frozen: it looks odd');
    expect(findFreeze(planned({ awaitsFunding: true }))).toMatchObject({ isCalm: true });
  });

  const CASES: readonly {
    title: string;
    payment?: Partial<PaymentCandidate>;
    used?: object;
    policy?: object;
    waits: string | null;
  }[] = [
    { title: 'nothing when nothing was used', waits: null },
    {
      title: 'a token that failed often',
      used: { tokenFailures: 3 },
      waits: 'its token failed on the chain 3 times within an hour',
    },
    { title: 'nothing when it failed less often', used: { tokenFailures: 2 }, waits: null },
    {
      title: 'nothing when recipients of the native asset failed',
      payment: { token: NATIVE },
      used: { tokenFailures: 9 },
      waits: null,
    },
    {
      title: 'its gig at its end',
      used: { gig: { gasUsed: 900_001n, tips: 5 } },
      waits: 'its gig has used up the gas that its tips allow',
    },
    { title: 'nothing just before that', used: { gig: { gasUsed: 900_000n, tips: 5 } }, waits: null },
    {
      title: 'its account, whose failures have used what its tips allow',
      used: { ownFailures: { failures: 1, gasUsed: 100_001n, failedAt: 0 } },
      payment: { numbers: [0n, 1n] },
      waits: 'its account’s payments by this gig have failed with all the gas that its tips allow',
    },
    {
      title: 'nothing just before that',
      used: { ownFailures: { failures: 1, gasUsed: 100_000n, failedAt: 0 } },
      payment: { numbers: [0n, 1n] },
      waits: null,
    },
    {
      title: 'its client at its end',
      used: { clientGas: { claims: 900_001n, fees: 0n } },
      waits: 'the client’s daily gas budget is used up',
    },
    {
      title: 'a budget of its client that is too small for it',
      policy: { clientGasPerDay: 99_999n },
      waits:
        'it needs more gas than its client has in a day, 100000 of 99999; an operator can raise GAS_BUDGET_CLIENT_DAY',
    },
    {
      title: 'all owners at the end of what they have together',
      payment: { client: 'owner:farcaster:1003' },
      used: { ownersGas: { claims: 1_900_001n, fees: 0n } },
      waits: 'the client’s daily gas budget is used up',
    },
    {
      title: 'an owner at the end of its tenth of that',
      payment: { client: 'owner:farcaster:1003' },
      used: { clientGas: { claims: 100_001n, fees: 0n }, ownersGas: { claims: 100_001n, fees: 0n } },
      waits: 'the client’s daily gas budget is used up',
    },
    {
      title: 'nothing just before that',
      payment: { client: 'owner:farcaster:1003' },
      used: { clientGas: { claims: 100_000n, fees: 9n }, ownersGas: { claims: 100_000n, fees: 9n } },
      waits: null,
    },
    {
      title: 'nothing in an owner’s first payment of a day, beside a tenth that is too small',
      payment: { client: 'owner:farcaster:1003' },
      used: { ownersGas: NO_GAS },
      policy: { ownersGasPerDay: 100_000n },
      waits: null,
    },
    {
      title: 'a budget of all owners that is too small for it',
      payment: { client: 'owner:farcaster:1003' },
      used: { ownersGas: NO_GAS },
      policy: { ownersGasPerDay: 99_999n },
      waits:
        'it needs more gas than its client has in a day, 100000 of 99999; an operator can raise GAS_BUDGET_OWNERS_DAY',
    },
    {
      title: 'nothing without a client',
      payment: { client: null },
      used: { clientGas: { claims: 9_000_000n, fees: 0n } },
      waits: null,
    },
    {
      title: 'nothing without a limit of clients',
      used: { clientGas: { claims: 9_000_000n, fees: 0n } },
      policy: { clientGasPerDay: null },
      waits: null,
    },
    {
      title: 'nothing with a limit of 0',
      used: { clientGas: { claims: 9_000_000n, fees: 0n } },
      policy: { clientGasPerDay: 0n },
      waits: null,
    },
    {
      title: 'nothing for marks',
      payment: { kind: 'mark' },
      used: { gig: { gasUsed: 9_000_000n, tips: 0 }, clientGas: { claims: 9_000_000n, fees: 0n }, tokenFailures: 9 },
      waits: null,
    },
  ];

  test.for(CASES)('behavior: $title', ({ payment, used, policy, waits }) => {
    const terms = { policy: { ...POLICY, ...policy }, gas: 100_000n };
    expect(findShortage(planned(payment), { ...unused, ...used }, terms)?.reason ?? null).toBe(waits);
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

describe('a transaction', () => {
  test('behavior: gathers the payments of each wallet, the oldest first, up to its most', () => {
    const payments = [1, 2, 1, 3, 1].map((gigId, index) => planned({ id: index, gigId }));
    const ids = (most: number) =>
      groupPayments(payments, { most, isDoubtful: () => false }).map((group) => group.payments.map(({ id }) => id));
    expect(ids(100)).toEqual([[0, 2, 4], [1], [3]]);
    expect(ids(4)).toEqual([[0, 2, 4], [1]]);
    expect(ids(2)).toEqual([[0, 2]]);
  });

  test('security: a payment that failed takes no other of its wallet with it', () => {
    const of = (...failures: number[]) =>
      groupPayments(
        failures.map((count, id) => planned({ id, failures: count })),
        { most: 100, isDoubtful: ({ failures: count }) => count > 0 },
      ).map((group) => group.payments.map(({ id }) => id));
    expect(of(1, 0, 0)).toEqual([[0]]);
    expect(of(0, 1, 0)).toEqual([[0, 2]]);
  });

  test('behavior: takes what fits, and what is too big lets smaller ones pass', () => {
    const calls = [40n, 70n, 50n, 10n].map((gas) => ({ gas }));
    expect(chooseFitting(calls, 100n)).toEqual([{ gas: 40n }, { gas: 50n }, { gas: 10n }]);
    expect(chooseFitting(calls, 5n)).toEqual([]);
  });

  test('behavior: shares lose nothing', () => {
    expect([1n, 2n, 4n].map((part) => shareOf(100n, { part, all: 7n }))).toEqual([15n, 29n, 58n]);
  });
});

test('behavior: tips of more than forty words are several payments', () => {
  const tips = Array.from({ length: 200 }, (_, index) => ({ number: index * 128 }));
  const parts = splitTips(tips);
  expect(parts.map((part) => part.length)).toEqual([80, 80, 40]);
  expect(parts.flat()).toEqual(tips);
  expect(splitTips([])).toEqual([]);
});

describe('what a wallet is asked for', () => {
  const token = TOKEN.address;

  test('behavior: one transfer when all numbers are of one word', () => {
    expect(walletPayments(planned({ numbers: [3n, 255n] }), [])).toEqual([
      { token, to: TO, amount: 10n, numbers: [3n, 255n] },
    ]);
    const fee = planned({ kind: 'fee', numbers: [FEE_NUMBER] });
    expect(walletPayments(fee, [])).toEqual([{ token, to: TO, amount: 10n, numbers: [FEE_NUMBER] }]);
  });

  test('behavior: one transfer for each word, each with the amount of its tips', () => {
    const tips = [
      { number: 255, amount: 3n },
      { number: 256, amount: 4n },
      { number: 700, amount: 3n },
    ];
    const payment = planned({ numbers: [255n, 256n, 700n] });
    expect(walletPayments(payment, tips)?.map(({ amount, numbers }) => [amount, numbers])).toEqual([
      [3n, [255n]],
      [4n, [256n]],
      [3n, [700n]],
    ]);
    expect(walletPayments(payment, tips.slice(1))).toBeNull();
    expect(walletPayments({ ...payment, amount: 11n }, tips)).toBeNull();
    expect(walletPayments({ ...payment, numbers: [] }, tips)).toBeNull();
  });

  test('security: a mark moves nothing, of the native asset', () => {
    const mark = planned({ kind: 'mark', amount: 0n, recipient: WALLET, numbers: [0n, 256n] });
    expect(walletPayments(mark, [])).toEqual([
      { token: NATIVE_TOKEN_ADDRESS, to: WALLET, amount: 0n, numbers: [0n] },
      { token: NATIVE_TOKEN_ADDRESS, to: WALLET, amount: 0n, numbers: [256n] },
    ]);
  });
});
