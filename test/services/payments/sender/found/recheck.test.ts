import { beforeEach, describe, expect, test } from 'vitest';
import { AdapterError } from '../../../../../src/domain/errors.ts';
import type { EventSearch, PaidEvent, PayerChain } from '../../../../../src/domain/payments/payer-chain.ts';
import type { NumberedPayment } from '../../../../../src/domain/payments/payment.ts';
import { readFacts } from '../../../../../src/services/payments/sender/chain.ts';
import { findGone, recheck, takeBack } from '../../../../../src/services/payments/sender/found/recheck.ts';
import { firstOf } from '../../../../support/first-of.ts';
import { perCase } from '../../../../support/per-case.ts';
import { seedAddress, seedConfirmed, seedHash } from '../../../../support/store.ts';
import { ALICE, addressOf } from '../bank.ts';
import { DEGEN, eventsOf, openWorld, reload } from '../world.ts';

const STRANGER = seedAddress(0xe9);
const SETTLED = { number: 400n, hash: seedHash(400) };

const world = perCase(() => openWorld({ countsOn: true }));

/** A payment of 30 for the tips 0 and 1 of its gig, or of those from another number on, which was confirmed in block 350. */
async function confirm(firstNumber = 0): Promise<NumberedPayment> {
  const { store, gig, awardAndClaim } = world.bank;
  const made = await gig({ token: DEGEN });
  await store.transaction((tx) => tx.skipTipNumbers(made.id, firstNumber));
  const { id } = await awardAndClaim(made, ALICE, 10n, 20n);
  await seedConfirmed(store, id, { hash: seedHash(7), blockNumber: 350n });
  return await numbered(id);
}

async function numbered(id: number): Promise<NumberedPayment> {
  const payment = await world.bank.store.payment(id);
  if (payment === null) throw new Error(`there is no payment ${id}`);
  return payment;
}

/** The chain as an endpoint shows it that has these numbers as marked in every wallet, and these events. */
function endpoint(marked: readonly number[], events: readonly PaidEvent[] | Error) {
  const searches: EventSearch[] = [];
  const bits = marked.reduce((sum, number) => sum | (1n << BigInt(number)), 0n);
  const payer: PayerChain = {
    ...world.model.view(world.faults),
    marks: async (queries) => queries.map(() => bits),
    paidEvents: async (search) => {
      searches.push(search);
      if (events instanceof Error) throw events;
      return [...events];
    },
  };
  return { payer, searches };
}

describe('a payment that was confirmed in blocks that may be gone', () => {
  const SILENT = new AdapterError({ retry: 'never', reason: 'rejected', message: 'too many blocks' });
  const rows: { what: string; marked?: number[]; shown: Partial<PaidEvent>[] | Error; isGone: boolean }[] = [
    { what: 'as it was', shown: [{}], isGone: false },
    { what: 'one of its numbers alone', marked: [0], shown: [{}], isGone: true },
    { what: 'none of its numbers', marked: [], shown: SILENT, isGone: true },
    { what: 'no event of it', shown: [], isGone: false },
    { what: 'marks, and refuses to list events', shown: SILENT, isGone: false },
    { what: 'it to another address', shown: [{ to: STRANGER }], isGone: true },
    { what: 'it with another amount', shown: [{ amount: 31n }], isGone: true },
    { what: 'one of its numbers to another address', shown: [{ to: STRANGER, numbers: [1n, 2n] }], isGone: true },
    { what: 'one of its numbers to its own address', shown: [{ numbers: [1n, 2n] }], isGone: false },
    { what: 'another number to another address', shown: [{ to: STRANGER, numbers: [2n] }], isGone: false },
    { what: 'it by another wallet', shown: [{ wallet: STRANGER, to: STRANGER }], isGone: false },
  ];

  test.each(rows)(
    'security: of which the chain shows $what: gone $isGone',
    async ({ marked = [0, 1], shown, isGone }) => {
      const payment = await confirm();
      const { wallet, amount, numbers } = payment;
      const where = { hash: seedHash(7), blockNumber: 350n };
      const event = { wallet, token: DEGEN, to: addressOf(ALICE), amount, numbers, ...where };
      const events = shown instanceof Error ? shown : shown.map((change) => ({ ...event, ...change }));
      const { payer, searches } = endpoint(marked, events);
      const found = await findGone(world.bank.deps, payer, {
        from: { number: 300n, hash: seedHash(1) },
        settled: SETTLED,
      });
      expect(found).toEqual(isGone ? [payment] : []);
      expect(searches).toEqual([{ wallets: [wallet], from: 45n, to: 400n, mostRequests: 100n }]);
    },
  );

  test('security: a mark of its numbers is no other payment', async () => {
    const { wallet, numbers } = await confirm();
    const mark = { wallet, token: DEGEN, to: wallet, amount: 0n, numbers, hash: seedHash(8), blockNumber: 351n };
    const { payer } = endpoint([0, 1], [mark]);
    expect(await findGone(world.bank.deps, payer, { from: SETTLED, settled: SETTLED })).toEqual([]);
  });

  test.each([
    { number: 255n, from: 0n, isFound: true },
    { number: 256n, from: 1n, isFound: true },
    { number: 605n, from: 350n, isFound: true },
    { number: 606n, from: 351n, isFound: false },
  ])(
    'security: is looked up from block $from on when the ledger counted on $number',
    async ({ number, from, isFound }) => {
      await confirm();
      const { payer, searches } = endpoint([], []);
      const found = await findGone(world.bank.deps, payer, { from: { number, hash: seedHash(1) }, settled: SETTLED });
      expect([found.length, searches[0]?.from]).toEqual([isFound ? 1 : 0, from]);
    },
  );
});

describe('payments that are taken back', () => {
  let payments: NumberedPayment[];
  beforeEach(async () => {
    payments = [await confirm(), await confirm(255)];
  });
  const back = (gone: readonly NumberedPayment[]) =>
    world.bank.store.transaction((tx) => takeBack(tx, world.bank.deps, gone));

  test('security: are planned again, by their gigs, and told by the parts that a wallet pays', async () => {
    const { bank, advance, clock } = world;
    advance(5_000);
    const ids = payments.map(({ id }) => id);
    expect((await back(payments.toReversed())).map(({ id }) => id)).toEqual(ids);
    const reason = 'the chain has taken its block back';
    for (const payment of payments) {
      const changed = { state: 'planned', reason, hash: null, blockNumber: null, dueAt: clock(), updatedAt: clock() };
      expect(await reload(bank, payment)).toMatchObject(changed);
    }
    const told = await eventsOf(bank);
    expect(told.map(({ type, at, facts }) => [type, at, facts.payment_id, facts.amount, facts.reason])).toEqual([
      ['payment.taken_back', clock(), ids[0], '0.00000000000000003', reason],
      ['payment.taken_back', clock(), ids[1], '0.00000000000000001', reason],
      ['payment.taken_back', clock(), ids[1], '0.00000000000000002', reason],
    ]);
    expect(new Set(told.map(({ facts }) => facts.tx_hash))).toEqual(new Set([seedHash(7)]));
  });

  test('security: not what another process has taken back and seen paid again since it was judged', async () => {
    const { bank } = world;
    const [other, same] = payments;
    await back(payments);
    world.advance(1_000);
    const again = { blockNumber: 351n, now: world.clock() };
    await seedConfirmed(bank.store, other?.id ?? 0, { ...again, hash: seedHash(8) });
    await seedConfirmed(bank.store, same?.id ?? 0, { ...again, hash: seedHash(7) });
    // In another transaction, or in the same one at another time.
    expect(await back(payments)).toEqual([]);
    const late = [{ ...firstOf(payments), updatedAt: world.clock() }];
    expect(await back(late)).toEqual([]);
    expect((await bank.store.payments({ limit: 9, state: 'confirmed' })).map(({ hash }) => hash)).toEqual([
      seedHash(7),
      seedHash(8),
    ]);
  });
});

test('security: after a reorganisation the ledger counts on the settled block, unless another process has moved it', async () => {
  const { bank, model, faults } = world;
  model.mine(9);
  const lost = { number: 5n, hash: seedHash(5), at: 0 };
  const other = { number: 6n, hash: seedHash(6), at: 0 };
  const view = model.view(faults);
  await bank.store.transaction((tx) => tx.setChainAnchor(model.chain.id, lost));
  const facts = await readFacts(bank.store, view);
  expect([facts.anchor, facts.isAnchorCanonical]).toEqual([lost, false]);
  await bank.store.transaction((tx) => tx.setChainAnchor(model.chain.id, other));
  await recheck(bank.deps, view, facts);
  expect(await bank.store.chainAnchor(model.chain.id)).toEqual(other);
  await recheck(bank.deps, view, { ...facts, anchor: other });
  expect(await bank.store.chainAnchor(model.chain.id)).toEqual(facts.settled);
  await recheck(bank.deps, view, { ...facts, anchor: null });
  expect(bank.lines.map(({ msg, block, gone }) => [msg, block, gone])).toEqual([
    ['a reorganisation has replaced settled blocks', 5, 0],
    ['a reorganisation has replaced settled blocks', 6, 0],
  ]);
});
