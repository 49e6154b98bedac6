import { beforeEach, describe, expect, test } from 'vitest';
import { AdapterError, type Retry } from '../../../../../src/domain/errors.ts';
import type {
  BatchInclusion,
  EventSearch,
  MarkQuery,
  PaidEvent,
} from '../../../../../src/domain/payments/payer-chain.ts';
import type { NumberedPayment } from '../../../../../src/domain/payments/payment.ts';
import { createPaidSearch } from '../../../../../src/services/payments/sender/found/find-paid.ts';
import { firstOf } from '../../../../support/first-of.ts';
import { perCase } from '../../../../support/per-case.ts';
import { seedAddress, seedHash } from '../../../../support/store.ts';
import { ALICE } from '../bank.ts';
import { DEGEN, openWorld } from '../world.ts';

const STRANGER = seedAddress(0xe9);
/** A search among all events of a gig that was created in block 301 goes back by a reorganisation. */
const FIRST_BLOCK = 45n;
const NOT_TOLD = 'it is marked as paid, and the endpoint does not tell by what';

const world = perCase(() => openWorld({ countsOn: true }));

let held: NumberedPayment[];
let one: NumberedPayment;
let two: NumberedPayment;
beforeEach(async () => {
  const { bank, model } = world;
  model.mine(300);
  held = [];
  for (const amounts of [[10n, 20n], [5n]]) {
    const { id } = await bank.awardAndClaim(await bank.gig({ token: DEGEN }), ALICE, ...amounts);
    const payment = await bank.store.payment(id);
    if (payment !== null) held.push(payment);
  }
  one = firstOf(held);
  two = firstOf(held.slice(1));
});

/** How the chain shows a payment as it was planned, in block 390 unless said otherwise. */
function shown(
  { wallet, recipient: to, amount, numbers }: NumberedPayment,
  change: Partial<PaidEvent> = {},
): PaidEvent {
  return { wallet, token: DEGEN, to, amount, numbers, hash: seedHash(7), blockNumber: 390n, ...change };
}

/** An endpoint that has the numbers as marked from these blocks on, and shows events. */
function endpoint({ from = [390n, 390n], events = [], fails = {} }: Endpoint) {
  const blocks: bigint[] = [];
  const marksAsked: MarkQuery[] = [];
  const searches: EventSearch[] = [];
  const payer = {
    ...world.model.view(world.faults),
    marks: async (queries: readonly MarkQuery[], block: bigint) => {
      blocks.push(block);
      marksAsked.push(...queries);
      const bits = from.reduce((sum, first, number) => (block >= first ? sum | (1n << BigInt(number)) : sum), 0n);
      return queries.map(() => bits);
    },
    paidEvents: async (search: EventSearch) => {
      searches.push(search);
      const failure = search.from === search.to ? fails.block : fails.all;
      if (failure !== undefined) throw failure;
      return events.filter(
        ({ wallet, blockNumber }) =>
          search.wallets.includes(wallet) && blockNumber >= search.from && blockNumber <= search.to,
      );
    },
  };
  const search = (settled: bigint, inclusion: BatchInclusion | null = null) =>
    createPaidSearch({ store: world.bank.store, payer }, { held, inclusion, settled });
  return { blocks, marksAsked, searches, search };
}

interface Endpoint {
  /** For each number from 0 on. */
  readonly from?: readonly bigint[];
  readonly events?: readonly PaidEvent[];
  readonly fails?: { readonly block?: Error; readonly all?: Error };
}

function receiptOf(...paid: PaidEvent[]): BatchInclusion {
  const { hash, blockNumber } = firstOf(paid);
  return { hash, blockNumber, succeeded: true, cost: 1n, gasUsed: 1n, paid, failed: [] };
}

function fault(retry: Retry): AdapterError {
  return new AdapterError({ retry, reason: 'bad_response', message: 'too many blocks' });
}

test.each([
  { settled: 400n, from: [370n, 360n], asked: [399n, 397n, 393n, 385n, 369n, 377n, 373n, 371n, 370n], block: 370n },
  { settled: 7n, from: [7n, 0n], asked: [6n], block: 7n },
  { settled: 7n, from: [1n, 2n], asked: [6n, 4n, 0n, 2n, 1n], block: 2n },
  { settled: 7n, from: [0n, 0n], asked: [6n, 4n, 0n], block: 0n },
  { settled: 2n, from: [0n, 0n], asked: [1n, 0n], block: 0n },
])('behavior: the block that marked all numbers is searched back from $settled: $block', async (row) => {
  const { settled, from, asked, block } = row;
  const { blocks, marksAsked, searches, search } = endpoint({ from });
  await search(settled)(one);
  expect(blocks).toEqual(asked);
  // What is not marked in an earlier block lacks nothing.
  expect(new Set(marksAsked.map(({ due }) => due))).toEqual(new Set([0n]));
  const wallets = [one.wallet, two.wallet];
  expect(searches[0]).toEqual({ wallets, from: block, to: block, marked: [one] });
});

describe('what has paid a payment', () => {
  const whole = () => ({
    wallets: [one.wallet],
    from: FIRST_BLOCK,
    to: 400n,
    mostRequests: 100n,
    marked: [one],
  });
  const paid = (...events: PaidEvent[]) => ({ kind: 'paid', events });

  test('behavior: its receipt tells, and nothing is asked', async () => {
    const { blocks, searches, search } = endpoint({});
    const own = shown(one);
    const findPaid = search(400n, receiptOf(own, shown(two, { to: STRANGER })));
    expect(await findPaid(one)).toEqual(paid(own));
    expect([blocks, searches]).toEqual([[], []]);
  });

  test('behavior: the block that marked it tells, for what shares the block as well', async () => {
    const { searches, search } = endpoint({ events: [shown(one), shown(two)] });
    // A receipt with other numbers says nothing.
    const findPaid = search(400n, receiptOf(shown(one, { numbers: [0n, 1n, 2n] })));
    expect([await findPaid(one), await findPaid(two)]).toEqual([paid(shown(one)), paid(shown(two))]);
    expect(searches).toHaveLength(1);
  });

  test('behavior: all events of its wallet tell where the block shows none', async () => {
    const late = shown(one, { blockNumber: 350n });
    const { searches, search } = endpoint({ events: [late] });
    expect(await search(400n)(one)).toEqual(paid(late));
    expect(searches.slice(1)).toEqual([whole()]);
  });

  test.each<[string, Partial<PaidEvent>]>([
    ['to another address', { to: STRANGER }],
    ['of another amount', { amount: 31n }],
    ['in another token', { token: STRANGER }],
    ['with another number', { numbers: [0n, 1n, 2n] }],
  ])('security: a payment %s is another one', async (_what, change) => {
    const { search } = endpoint({ events: [shown(one, change)] });
    expect(await search(400n)(one)).toEqual({ kind: 'elsewhere' });
  });

  test('security: the payment of another wallet with the same numbers says nothing', async () => {
    const { search } = endpoint({ events: [shown(one, { wallet: two.wallet })] });
    expect(await search(400n)(one)).toEqual({ kind: 'unknown', why: NOT_TOLD });
  });

  test.each([
    ['safe', 1],
    ['never', 2],
  ] as const)(
    'error: after an endpoint has refused to tell (%s) it is asked about %i payments',
    async (retry, count) => {
      const { searches, search } = endpoint({ fails: { block: fault(retry), all: fault(retry) } });
      const findPaid = search(400n);
      const unknown = { kind: 'unknown', why: `${NOT_TOLD}: too many blocks` };
      expect([await findPaid(one), await findPaid(two)]).toEqual([unknown, unknown]);
      expect(searches).toHaveLength(2 * count);
    },
  );

  test('error: a block that cannot be read leaves the search among all events; a defect ends it', async () => {
    const { search } = endpoint({ fails: { block: fault('safe') }, events: [shown(one)] });
    expect(await search(400n)(one)).toEqual(paid(shown(one)));
    const broken = endpoint({ fails: { block: new TypeError('odd') }, events: [shown(one)] });
    await expect(broken.search(400n)(one)).rejects.toThrow('odd');
  });
});
