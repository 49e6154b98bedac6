import { describe, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { addsUp, auditGig, type GigBooks, type WalletFacts } from '../../../src/domain/payments/audit.ts';
import type { Payment } from '../../../src/domain/payments/payment.ts';
import { gig, payment, token } from '../../bot/samples.ts';
import { seedAddress, seedHash } from '../../support/store.ts';

const BLOCK = 100n;
const USD = token({ address: seedAddress(0xaa), chainId: 31337, decimals: 0, name: 'USD', symbol: 'USD' });

/** A gig of 1000 with a fee of 50, as far as an audit looks at it. */
const GIG = gig({ id: 3, status: 'live', token: USD, rewardAmount: 1_000n, feeAmount: 50n });

/** A payout of 10, confirmed in block 90. */
function payout(overrides: Partial<Payment> = {}): Payment {
  const landed = { state: 'confirmed', transactionId: 1, hash: seedHash(1), blockNumber: 90n } as const;
  return payment({ gigId: 3, token: USD, amount: 10n, ...landed, ...overrides });
}

function audit(
  held: bigint | null,
  books: Partial<GigBooks> = {},
  { gig: terms = {}, ...facts }: Partial<WalletFacts> & { gig?: Partial<Gig> } = {},
) {
  return auditGig(
    { ...GIG, ...terms },
    {
      startBlock: 50n,
      awaitsCheck: false,
      paidOut: 0n,
      plannedPayouts: 0,
      payments: [],
      freeze: null,
      voidPaid: [],
      ...books,
    },
    { blockNumber: BLOCK, held, isExplained: true, unmarked: [], ...facts },
  );
}

describe('a gig', () => {
  test('behavior: must hold its funding less its confirmed payouts and its fee', () => {
    const payments = [payout(), payout({ id: 2, kind: 'fee', amount: 50n }), payout({ id: 3, state: 'planned' })];
    const found = audit(983n, { payments, paidOut: 7n });
    expect(found).toMatchObject({ held: 983n, expected: 983n, problems: [], unproved: [], notes: [] });
    expect(addsUp(found)).toBe(true);
  });

  test('behavior: a payment and the funding of the block itself count', () => {
    expect(addsUp(audit(1_040n, { payments: [payout({ blockNumber: BLOCK })] }))).toBe(true);
    expect(addsUp(audit(1_050n, { startBlock: BLOCK }))).toBe(true);
  });

  test('security: with less is wrong, and with more is not', () => {
    const short = audit(1_049n);
    expect(short.problems).toEqual(['the wallet holds 1049 USD and must hold 1050 USD: 1 USD are missing']);
    expect(addsUp(short)).toBe(false);
    const rich = audit(1_051n);
    expect(rich.notes).toEqual(['the wallet holds 1 USD more than it must; this is harmless']);
    expect(addsUp(rich)).toBe(true);
  });

  test.each([
    ['sent', { state: 'sent', blockNumber: null, hash: null }],
    ['confirmed in a later block', { blockNumber: 101n }],
  ] as const)('behavior: with a payment that is %s may hold its amount or not', (_what, terms) => {
    const payments = [payout(terms)];
    expect(addsUp(audit(1_050n, { payments }))).toBe(true);
    const either = audit(1_040n, { payments });
    expect(either.unproved).toEqual(['10 USD may have left the wallet with payments that are under way']);
    expect(addsUp(either)).toBeNull();
    expect(addsUp(audit(1_039n, { payments }))).toBe(false);
  });

  test.each([
    ['its token does not tell', audit(null), 'its token contract does not answer with the balance of the wallet'],
    [
      'its funding is not settled',
      audit(0n, { startBlock: 101n }),
      'its funding, seen in block 101, is not settled yet',
    ],
    [
      'a reorganisation may have moved its funding',
      audit(0n, { awaitsCheck: true }),
      'its funding, seen in block 50, is not settled yet',
    ],
    [
      'its wallet has paid something unknown',
      audit(1_050n, {}, { isExplained: false }),
      'the wallet has paid something that the ledger does not know yet',
    ],
    [
      'its payments are not marked',
      audit(1_040n, { payments: [payout()] }, { unmarked: [3n, 4n] }),
      'the ledger has numbers as paid that the chain does not: 3, 4',
    ],
  ])('behavior: is not proved while %s', (_why, found, text) => {
    expect(found.problems).toEqual([]);
    expect(found.unproved).toEqual([text]);
    expect(addsUp(found)).toBeNull();
  });

  test('behavior: says which void tips were paid, and what waits because it is frozen', () => {
    const payments = [payout({ state: 'planned', hash: null, blockNumber: null })];
    const others = [2, 3].map((id) => payout({ id, amount: 0n }));
    const books = { payments: [...payments, ...others], plannedPayouts: 4 };
    expect(audit(1_050n, { ...books, freeze: 'why', voidPaid: [7] })).toMatchObject({
      notes: ['tip 7 is void, and the chain has paid it'],
      waiting: 5,
    });
    expect(audit(1_050n, books).waiting).toBe(0);
  });
});

describe('a gig that returns money', () => {
  const refunded = { settledAt: 1, refundedAt: 2, awardedAmount: 300n };
  const refund = (overrides: Partial<Payment> = {}) =>
    payout({ id: 7, kind: 'refund', claimId: null, amount: 700n, ...overrides });
  const open = { hash: null, blockNumber: null };

  test.each([
    ['planned', refund({ ...open, state: 'planned' }), 1_050n],
    ['confirmed', refund(), 350n],
  ] as const)('behavior: a refund that is %s leaves what was awarded and the fee', (_state, planned, expected) => {
    const told = { expected, problems: [], unproved: [], notes: [] };
    expect(audit(expected, { payments: [planned] }, { gig: refunded })).toMatchObject(told);
    expect(addsUp(audit(expected - 1n, { payments: [planned] }, { gig: refunded }))).toBe(false);
  });

  test('behavior: a refund that is sent may have left the wallet or not', () => {
    const payments = [refund({ ...open, state: 'sent' })];
    expect(addsUp(audit(1_050n, { payments }, { gig: refunded }))).toBe(true);
    expect(addsUp(audit(350n, { payments }, { gig: refunded }))).toBeNull();
    expect(addsUp(audit(349n, { payments }, { gig: refunded }))).toBe(false);
  });

  test('behavior: what is voided after the refund is needed no more', () => {
    const changed = { ...refunded, awardedAmount: 280n };
    expect(audit(350n, { payments: [refund()] }, { gig: changed })).toMatchObject({
      expected: 330n,
      notes: ['the wallet holds 20 USD more than it must; this is harmless'],
    });
  });

  test('security: a refund that failed is not taken for the one that was paid in its place', () => {
    const failed = refund({ ...open, id: 6, state: 'failed', reason: 'another payment of it is on the chain' });
    const payments = [{ ...failed, amount: 600n }, refund()];
    for (const all of [payments, payments.toReversed(), [payout({ amount: 0n }), ...payments]])
      expect(audit(350n, { payments: all }, { gig: refunded })).toMatchObject({
        expected: 350n,
        problems: [],
        notes: [],
      });
  });

  test('behavior: a refund that failed can be planned again, so the wallet must still hold it', () => {
    const failed = refund({ ...open, state: 'failed' });
    for (const payments of [[failed], [{ ...failed, amount: 600n }, failed]]) {
      expect(audit(1_050n, { payments }, { gig: refunded })).toMatchObject({ expected: 1_050n, problems: [] });
    }
  });

  test('security: a refund that took more than was left makes nothing owed to anybody', () => {
    const payments = [refund({ amount: 800n })];
    expect(audit(250n, { payments }, { gig: refunded }).expected).toBe(250n);
  });

  test.each([
    [100n, 1_050n],
    [101n, 1_083n],
  ])('security: a return that is confirmed in block %s leaves %s in block 100', (blockNumber, expected) => {
    const payments = [payout({ id: 8, kind: 'return', place: 0, claimId: null, amount: 33n, blockNumber })];
    expect(audit(expected, { payments })).toMatchObject({ expected, problems: [], unproved: [], notes: [] });
  });

  test('behavior: a gig that is rebuilt after its refund needs what it has awarded', () => {
    const changed = { ...refunded, rewardAmount: 300n };
    expect(audit(350n, { payments: [] }, { gig: changed })).toMatchObject({ expected: 350n, problems: [], notes: [] });
  });

  test.each([
    ['planned', false],
    ['sent', null],
    ['confirmed', true],
  ] as const)(
    'security: a return that is %s is made of what the wallet holds besides, which must be there until it has left',
    (state, without) => {
      const landed = state === 'confirmed' ? {} : open;
      const payments = [payout({ id: 8, kind: 'return', place: 0, claimId: null, amount: 33n, state, ...landed })];
      expect(addsUp(audit(1_083n, { payments }))).toBe(true);
      expect(addsUp(audit(1_050n, { payments }))).toBe(without);
      expect(addsUp(audit(1_049n, { payments }))).toBe(false);
    },
  );

  test.each([{}, { ...open, state: 'planned' as const }])(
    'behavior: a return of another token changes nothing (%o)',
    (at) => {
      const other = { ...USD, id: 2, address: seedAddress(0xbb) };
      const payments = [
        payout({ id: 8, kind: 'return', place: 3, claimId: null, amount: 9_999n, token: other, ...at }),
      ];
      expect(audit(1_050n, { payments })).toMatchObject({ expected: 1_050n, problems: [], unproved: [], notes: [] });
    },
  );
});
