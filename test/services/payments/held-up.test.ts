import { describe, expect, test } from 'vitest';
import { troubleReason } from '../../../src/domain/chains/endpoint-trouble.ts';
import type { PaymentCandidate } from '../../../src/domain/payments/payment.ts';
import { TANK_IS_LOW } from '../../../src/domain/payments/payment.ts';
import { findBlocked, findHeldUp, findLatePayments } from '../../../src/services/payments/held-up.ts';
import type { LatePayments, Store } from '../../../src/store/port/index.ts';
import { candidate } from './sender/signing/candidate.ts';

const NOW = 10_000_000;
const MINUTE = 60_000;
const REFUSED = troubleReason('other', 'no');

/** A ledger in which gig 9 is frozen, with these planned payments, newest first, and late ones. */
function ledger({ planned = [], late = [] }: { planned?: PaymentCandidate[]; late?: LatePayments[] }) {
  const asked: unknown[] = [];
  const store = {
    frozenGigs: async () => [{ gigId: 9 }],
    payments: async (query: { state: string; limit: number; before?: number }) => {
      asked.push(query);
      const { limit, before = Number.POSITIVE_INFINITY } = query;
      return planned.filter(({ id }) => id < before).slice(0, limit);
    },
    latePayments: async (query: unknown) => {
      asked.push(query);
      return late;
    },
  } as unknown as Store;
  return { deps: { store, clock: () => NOW }, asked };
}

const chainIds = [8453];

describe('payments that are planned', () => {
  const REASONS: readonly [reason: string | null, holdUp: string | null][] = [
    [null, null],
    ['something else', null],
    [TANK_IS_LOW, 'gas_tank_empty'],
    [REFUSED, 'endpoint_refuses'],
    ['the endpoint refuses a transaction with it alone: no', 'endpoint_refuses'],
    ['it is tried again: no', 'refused'],
    ['the node that tried it lags', 'refused'],
    ['the node could not try it: no', 'refused'],
    ['the service could not try it; its log says why', 'refused'],
    ['say: it is tried again: no', null],
  ];

  test.each(REASONS)('behavior: are held up when they are new, by the reason %s: %s', async (reason, holdUp) => {
    const held = { chainId: 8453, payments: 1, gigIds: [1] };
    const find = (age: number) => {
      const { deps } = ledger({ planned: [candidate(1, { reason, createdAt: NOW - age })] });
      return findHeldUp(deps, { chainIds });
    };
    expect(await find(5 * MINUTE - 1)).toEqual(holdUp === null ? [] : [{ ...held, holdUp }]);
    expect(await find(5 * MINUTE)).toEqual([{ ...held, holdUp: holdUp ?? 'late' }]);
    expect(await find(60 * MINUTE - 1)).toEqual([{ ...held, holdUp: holdUp ?? 'late' }]);
    // They are late then.
    expect(await find(60 * MINUTE)).toEqual([]);
  });

  test('behavior: are counted by chain and reason, with their gigs in order, a frozen gig first of all reasons', async () => {
    const createdAt = NOW - 1;
    const planned = [
      candidate(7, { createdAt, gigId: 9, reason: REFUSED }),
      candidate(6, { createdAt, gigId: 12, reason: TANK_IS_LOW }),
      candidate(5, { createdAt, gigId: 2, reason: TANK_IS_LOW }),
      candidate(4, { createdAt, gigId: 2, reason: TANK_IS_LOW }),
      candidate(3, { createdAt, gigId: 2, reason: TANK_IS_LOW, chainId: 10 }),
      candidate(2, { createdAt, gigId: 2, reason: TANK_IS_LOW, chainId: 1 }),
    ];
    const { deps, asked } = ledger({ planned });
    expect(await findHeldUp(deps, { chainIds: [8453, 10] })).toEqual([
      { holdUp: 'gig_frozen', chainId: 8453, payments: 1, gigIds: [9] },
      { holdUp: 'gas_tank_empty', chainId: 8453, payments: 3, gigIds: [2, 12] },
      { holdUp: 'gas_tank_empty', chainId: 10, payments: 1, gigIds: [2] },
    ]);
    expect(asked).toEqual([{ state: 'planned', limit: 500, before: undefined }]);
    expect(await findHeldUp(ledger({}).deps, { chainIds })).toEqual([]);
  });

  test.each([
    { count: 499, before: [undefined] },
    { count: 500, before: [undefined, 1] },
    { count: 501, before: [undefined, 2] },
  ])('behavior: are read in pages of 500: $count', async ({ count, before }) => {
    const planned = Array.from({ length: count }, (_, index) => {
      return candidate(count - index, { createdAt: NOW - 1, gigId: 1, reason: REFUSED });
    });
    const { deps, asked } = ledger({ planned });
    expect(await findHeldUp(deps, { chainIds })).toMatchObject([{ payments: count, gigIds: [1] }]);
    expect(asked).toEqual(before.map((id) => ({ state: 'planned', limit: 500, before: id })));
  });
});

describe('payments that are late', () => {
  const of = (change: Partial<LatePayments>): LatePayments => {
    return { chainId: 8453, gigId: 1, state: 'planned', reason: null, payments: 2, ...change };
  };
  const late = [
    of({}),
    of({ gigId: 2, payments: 3 }),
    of({ gigId: 3, state: 'sent' }),
    of({ gigId: 9, state: 'sent' }),
    of({ gigId: 9 }),
    of({ gigId: 9, reason: REFUSED }),
    of({ gigId: 4, state: 'sent', reason: REFUSED }),
    of({ gigId: 5, reason: TANK_IS_LOW }),
    of({ gigId: 6, chainId: 10 }),
  ];

  test('behavior: are counted by chain and reason', async () => {
    const { deps, asked } = ledger({ late });
    const held = (holdUp: string, payments: number, ...gigIds: number[]) => ({
      holdUp,
      chainId: 8453,
      payments,
      gigIds,
    });
    expect(await findLatePayments(deps, { chainIds })).toEqual([
      held('late', 5, 1, 2),
      held('unsettled', 4, 3, 9),
      held('gig_frozen', 2, 9),
      held('endpoint_refuses', 4, 4, 9),
      held('gas_tank_empty', 2, 5),
    ]);
    expect(asked).toEqual([{ plannedBy: NOW - 60 * MINUTE }]);
  });

  test('behavior: those that an endpoint blocks are named by chain, with three of its reasons', async () => {
    const reasons = ['a', 'a', 'b', 'c', 'd'].map((words) => troubleReason('too_cheap', words));
    const blocked = [...reasons.map((reason) => of({ reason })), of({ chainId: 10, reason: REFUSED }), of({})];
    const { deps, asked } = ledger({ late: [...blocked, of({ chainId: 1, reason: REFUSED })] });
    expect(await findBlocked(deps, { chainIds: [8453, 10] })).toEqual([
      { chainId: 8453, payments: 10, reasons: [reasons[0], reasons[2], reasons[3]] },
      { chainId: 10, payments: 2, reasons: [REFUSED] },
    ]);
    expect(asked).toEqual([{ plannedBy: Number.MAX_SAFE_INTEGER }]);
  });
});
