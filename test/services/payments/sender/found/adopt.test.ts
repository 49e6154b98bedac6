import { beforeEach, describe, expect, test } from 'vitest';
import { AdapterError } from '../../../../../src/domain/errors.ts';
import type { Gig } from '../../../../../src/domain/gigs/gig.ts';
import type { EventSearch, PaidEvent, PayerChain } from '../../../../../src/domain/payments/payer-chain.ts';
import { adoptMarks } from '../../../../../src/services/payments/sender/found/adopt.ts';
import { perCase } from '../../../../support/per-case.ts';
import { seedGig, seedHash } from '../../../../support/store.ts';
import { ALICE, addressOf, BOB } from '../bank.ts';
import { DEGEN, openWorld, standings } from '../world.ts';

let transactions = 0;
const world = perCase(() =>
  openWorld({
    countsOn: true,
    wrap: (store) => ({
      ...store,
      transaction: (...args) => {
        transactions += 1;
        return store.transaction(...args);
      },
    }),
  }),
);

let gig: Gig;
let compared: number;
let searches: EventSearch[];
/** What was due in the words of marks that were asked for last: that of fees and returns, and that of tips. */
let dues: unknown[];
beforeEach(async () => {
  world.model.mine(300);
  gig = await world.bank.gig({ token: DEGEN });
  world.model.mine(100);
  [compared, searches, transactions] = [0, [], 0];
});

/** How the chain shows a payment of 10 to alice for number 0, 64 blocks below the settled one. */
function paid(change: Partial<PaidEvent> = {}): PaidEvent {
  const where = { hash: seedHash(7), blockNumber: settled() - 64n };
  return {
    wallet: gig.walletAddress,
    token: DEGEN,
    to: addressOf(ALICE),
    amount: 10n,
    numbers: [0n],
    ...where,
    ...change,
  };
}

function settled(): bigint {
  return world.model.height() - 2n;
}

/** The chain as an endpoint shows it that has these numbers below 256 as marked. */
function endpoint(marked: bigint, events: readonly PaidEvent[] | Error): PayerChain {
  return {
    ...world.model.view(world.faults),
    compare: async () => {
      compared += 1;
    },
    marks: async (queries) => {
      dues = queries.map(({ due }) => due);
      return queries.map(({ word }) => (word === 0n ? marked : 0n));
    },
    paidEvents: async (search) => {
      searches.push(search);
      if (events instanceof Error) throw events;
      return events.filter(({ blockNumber }) => blockNumber >= search.from && blockNumber <= search.to);
    },
  };
}

function look(payer: PayerChain, isThorough = false) {
  return adoptMarks(world.bank.deps, payer, { gigs: [gig], isThorough });
}

const REFUSED = new AdapterError({ retry: 'never', reason: 'rejected', message: 'too many blocks' });

describe('a comparison of marks with the ledger', () => {
  beforeEach(() => world.bank.award(gig, ALICE, 10n, 20n));

  test('behavior: of a gig without unknown marks asks for no events, and says nothing', async () => {
    expect(await look(endpoint(0n, []))).toEqual({ taken: 0, unexplained: [] });
    expect([compared, searches, transactions, world.bank.lines]).toEqual([0, [], 1, []]);
  });

  test('behavior: asks for the events of unknown marks from before the creation on, by few requests', async () => {
    expect(await look(endpoint(1n, [paid()]))).toEqual({ taken: 1, unexplained: [] });
    const marked = [{ wallet: gig.walletAddress, numbers: [0n] }];
    const search = { wallets: [gig.walletAddress], from: 45n, to: settled(), mostRequests: 100n, marked };
    expect([compared, searches]).toEqual([1, [search]]);
    expect(world.bank.lines).toMatchObject([
      { level: 'warn', msg: 'unknown payments of a wallet are added to the ledger', gigId: gig.id, taken: 1, left: 0 },
    ]);
    // What it knows by now is asked for by a thorough look alone, with as many requests as it takes.
    expect(dues).toEqual([0n, 0n]);
    expect(await look(endpoint(1n, [paid()]))).toEqual({ taken: 0, unexplained: [] });
    expect(dues).toEqual([0n, 1n]);
    expect(await look(endpoint(1n, [paid()]), true)).toEqual({ taken: 0, unexplained: [] });
    expect(searches.slice(1)).toEqual([
      { ...search, mostRequests: undefined, marked: [{ ...marked[0], numbers: [] }] },
    ]);
  });

  test('security: a payment with a known and an unknown number is taken', async () => {
    await look(endpoint(1n, [paid()]));
    const both = paid({ numbers: [0n, 1n], amount: 30n });
    expect(await look(endpoint(3n, [both]))).toEqual({ taken: 1, unexplained: [] });
    expect(await standings(world.bank)).toEqual(['payout confirmed', 'payout confirmed']);
  });

  test('security: what each of two gigs has paid is its own', async () => {
    const { bank } = world;
    const other = await bank.gig({ token: DEGEN });
    await bank.award(other, BOB, 20n);
    const payer = endpoint(1n, [paid(), paid({ wallet: other.walletAddress, to: addressOf(BOB), amount: 20n })]);
    const gigs = [gig, other];
    expect(await adoptMarks(bank.deps, payer, { gigs })).toEqual({ taken: 2, unexplained: [] });
    for (const each of gigs)
      expect(await bank.store.paymentsOfGig(each.id)).toMatchObject([{ wallet: each.walletAddress }]);
    expect((await bank.store.paymentsOfGig(other.id))[0]?.recipient).toBe(addressOf(BOB));
  });

  test('security: a mark of which no event tells is unexplained', async () => {
    expect(await look(endpoint(3n, [paid()]))).toEqual({ taken: 1, unexplained: [gig.id] });
    expect(world.bank.lines.at(-1)).toMatchObject({ level: 'warn', gigId: gig.id, taken: 1, left: 0 });
  });

  test('error: refused events leave the gig unexplained; a thorough look fails, and so does one that meets a defect', async () => {
    const refusing = endpoint(1n, REFUSED);
    expect(await look(refusing)).toEqual({ taken: 0, unexplained: [gig.id] });
    expect(world.bank.lines).toMatchObject([{ level: 'warn', msg: 'payments of wallets cannot be read yet' }]);
    await expect(look(refusing, true)).rejects.toThrow('too many blocks');
    await expect(look(endpoint(1n, new TypeError('odd')))).rejects.toThrow('odd');
  });
});

test('behavior: events are asked for from the creation of a gig on, or from the start of the chain', async () => {
  const { bank } = world;
  const { token } = gig;
  const [created, early] = [
    await seedGig(bank.store, { tokenId: token.id, createdBlock: 310n }),
    await seedGig(bank.store, { tokenId: token.id }),
  ];
  const payer = endpoint(0n, []);
  for (const gigs of [[created], [created, gig], [created, early]]) {
    await adoptMarks(bank.deps, payer, { gigs, isThorough: true });
  }
  expect(searches.map(({ from }) => from)).toEqual([54n, 45n, 0n]);
});

describe('a payment that has taken the number of a tip of bob', () => {
  beforeEach(async () => {
    await world.bank.award(gig, BOB, 30n);
    transactions = 0;
  });

  /** Two endpoints, the second of which does not show the payment. */
  function doubting(event: PaidEvent): PayerChain {
    const payer = endpoint(1n, [event]);
    const witnesses = [
      { name: 'endpoint 1', payer },
      { name: 'endpoint 2', payer: endpoint(1n, []) },
    ];
    return { ...payer, witnesses };
  }

  test('security: is taken at once where the only endpoint shows it deep enough', async () => {
    expect(await look(endpoint(1n, [paid()]))).toEqual({ taken: 1, unexplained: [] });
    expect(transactions).toBe(2);
    expect(await standings(world.bank)).toEqual(['payout confirmed']);
  });

  test('security: is left while it is too new, and no other endpoint is asked about it', async () => {
    const shallow = doubting(paid({ blockNumber: settled() - 63n }));
    expect(await look(shallow)).toEqual({ taken: 0, unexplained: [gig.id], doubt: undefined });
    expect([searches.length, transactions]).toEqual([1, 1]);
  });

  test('security: is left while another endpoint does not show it, and is named', async () => {
    const { bank } = world;
    const doubt = `endpoint 2 shows another payment by ${gig.walletAddress}, or none, in block ${settled() - 64n}, unlike endpoint 1`;
    expect(await look(doubting(paid()))).toEqual({ taken: 0, unexplained: [gig.id], doubt });
    expect([searches.length, transactions, await standings(bank)]).toEqual([3, 1, []]);
    expect(bank.lines).toMatchObject([{ level: 'warn', gigId: gig.id, taken: 0, left: 1, doubt }]);
  });
});
