import { describe, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { type GigSums, paymentOf, refundOf, stateGig, type TipSums } from '../../../src/domain/gigs/gig-report.ts';
import type { Payment } from '../../../src/domain/payments/payment.ts';

const TO = '0x00000000000000000000000000000000000000aa';
const HASH = `0x${'ab'.repeat(32)}` as const;

/** Of a gig the sums need no more than this. */
function gigOf(gig: Partial<Gig>): Gig {
  const usual = { id: 42, status: 'live', rewardAmount: 100n, feeAmount: 5n, awardedAmount: 0n };
  const open = { settledAt: null, refundedAt: null, cancelledAt: null, refundAddress: TO, refundTo: null };
  return { ...usual, ...open, ...gig } as Gig;
}

/** Of a payment, no more than this. */
function pay(kind: Payment['kind'], amount: bigint, state: Payment['state'] = 'confirmed'): Payment {
  const told: Partial<Payment> = { id: 1, kind, amount, state, recipient: TO };
  return { ...told, hash: state === 'confirmed' ? HASH : null } as Payment;
}

function sumsOf(gig: Partial<Gig>, rest: Partial<Omit<GigSums, 'gig'>> = {}): GigSums {
  return { gig: gigOf(gig), paid: 0n, voided: 0n, gasUsed: 0n, payments: [], ...rest };
}

type Rest = Partial<Omit<GigSums, 'gig'>>;
type Sums = [
  paid: bigint,
  pending: bigint,
  refund: bigint,
  feePaid: bigint,
  feeOwed: bigint,
  left: bigint,
  beyond: bigint,
];

describe('the statement of a gig', () => {
  test.each<[what: string, gig: Partial<Gig>, given: Rest & { tips?: TipSums; lost?: bigint }, sums: Sums]>([
    ['that has not started', { status: 'created' }, {}, [0n, 0n, 0n, 0n, 0n, 0n, 0n]],
    ['that has awarded nothing', {}, {}, [0n, 0n, 0n, 0n, 5n, 100n, 0n]],
    [
      'that has paid a part of what it awarded',
      { awardedAmount: 47n },
      { paid: 30n, payments: [pay('fee', 5n)] },
      [30n, 17n, 0n, 5n, 0n, 53n, 0n],
    ],
    ['whose fee is under way', {}, { payments: [pay('fee', 5n, 'sent')] }, [0n, 0n, 0n, 0n, 5n, 100n, 0n]],
    [
      'that was refunded, with a tip unpaid',
      { awardedAmount: 47n, refundedAt: 9 },
      { paid: 30n, payments: [pay('fee', 5n), pay('refund', 53n)] },
      [30n, 17n, 53n, 5n, 0n, 0n, 0n],
    ],
    [
      'whose refund is planned',
      { awardedAmount: 47n, refundedAt: 9 },
      { payments: [pay('refund', 53n, 'planned')] },
      [0n, 47n, 53n, 0n, 5n, 0n, 0n],
    ],
    [
      'of which a tip was voided after the refund',
      { awardedAmount: 40n, refundedAt: 9 },
      { voided: 7n, payments: [pay('refund', 53n), pay('return', 7n)] },
      [0n, 40n, 53n, 0n, 5n, 7n, 0n],
    ],
    [
      'that awarded beyond its reward after a restore',
      { awardedAmount: 60n, refundedAt: 9 },
      { paid: 60n, payments: [pay('fee', 5n), pay('refund', 53n)] },
      [60n, 0n, 53n, 5n, 0n, 0n, 13n],
    ],
    [
      'compared with its tips',
      { awardedAmount: 47n },
      { paid: 30n, voided: 3n, tips: { pending: 17n, claimed: 30n, voided: 3n }, lost: 0n },
      [30n, 17n, 0n, 0n, 5n, 53n, 0n],
    ],
    [
      'that paid tips which its ledger has lost',
      { awardedAmount: 47n },
      { paid: 30n, tips: { pending: 17n, claimed: 18n, voided: 0n }, lost: 12n },
      [30n, 17n, 0n, 0n, 5n, 53n, 0n],
    ],
  ])('behavior: of one %s adds up', (_what, gig, { tips, lost = null, ...rest }, sums) => {
    const statement = stateGig(sumsOf(gig, rest), tips);
    const { paid, pending, refund, feePaid, feeOwed, left, beyond } = statement;
    expect([paid, pending, refund, feePaid, feeOwed, left, beyond]).toEqual(sums);
    expect(statement).toMatchObject({ addsUp: true, differences: [], lost });
  });

  test.each<[what: string, sums: GigSums, tips: TipSums | undefined, differences: object[]]>([
    [
      'more was paid than awarded',
      sumsOf({ awardedAmount: 20n }, { paid: 21n }),
      undefined,
      [{ of: 'sums', amount: -1n }],
    ],
    ['another fee was paid', sumsOf({}, { payments: [pay('fee', 4n)] }), undefined, [{ of: 'sums', amount: 1n }]],
    [
      'the unpaid tips are not what is owed',
      sumsOf({ awardedAmount: 47n }, { paid: 30n }),
      { pending: 16n, claimed: 30n, voided: 0n },
      [{ of: 'sums', amount: 1n }],
    ],
    [
      'more tips are claimed than were paid',
      sumsOf({ awardedAmount: 47n }, { paid: 30n }),
      { pending: 17n, claimed: 31n, voided: 0n },
      [{ of: 'claimed', amount: 1n }],
    ],
    [
      'the void tips are others',
      sumsOf({}, { voided: 2n }),
      { pending: 0n, claimed: 0n, voided: 5n },
      [{ of: 'void', amount: 3n }],
    ],
  ])('error: does not add up when %s', (_what, sums, tips, differences) => {
    const statement = stateGig(sums, tips);
    expect([statement.addsUp, statement.differences]).toEqual([false, differences]);
  });
});

describe('the refund in a statement', () => {
  const at = { recipient: TO, hash: null };
  test.each<[what: string, sums: GigSums, refund: object]>([
    ['while the gig is open', sumsOf({ awardedAmount: 47n }), { ...at, state: 'open', amount: 53n, dueAt: null }],
    ['before it is planned', sumsOf({ settledAt: 7 }), { ...at, state: 'due', amount: 100n, dueAt: 1_007 }],
    [
      'when nothing was left',
      sumsOf({ awardedAmount: 100n, settledAt: 7, refundedAt: 9 }),
      { ...at, state: 'nothing', amount: 0n, dueAt: 1_007 },
    ],
    [
      'when the gig was cancelled',
      sumsOf({ status: 'created', cancelledAt: 7 }),
      { ...at, state: 'nothing', amount: 0n, dueAt: null },
    ],
    [
      'when it is paid',
      sumsOf({ settledAt: 7, refundedAt: 9 }, { payments: [pay('refund', 53n)] }),
      { recipient: TO, hash: HASH, state: 'confirmed', amount: 53n, dueAt: 1_007 },
    ],
    [
      'when nothing says where to',
      sumsOf({ settledAt: 7, refundAddress: null }),
      { hash: null, recipient: null, state: 'due', amount: 100n, dueAt: 1_007 },
    ],
  ])('behavior: is told %s', (_what, sums, refund) => {
    expect(refundOf(sums, 1_000)).toEqual(refund);
  });

  test('behavior: the payment that stands counts, else the last one that failed', () => {
    const failed = { ...pay('refund', 9n, 'failed'), id: 1 };
    const again = { ...pay('refund', 9n, 'planned'), id: 2 };
    expect(paymentOf([failed, again], 'refund')?.id).toBe(2);
    expect(paymentOf([failed], 'refund')?.id).toBe(1);
    expect(paymentOf([failed], 'fee')).toBeNull();
  });
});
