import { expect, test } from 'vitest';
import type { Gig } from '../../../../../src/domain/gigs/gig.ts';
import { OTHER_NUMBERS, otherNumber } from '../../../../../src/domain/gigs/tip.ts';
import { NATIVE_TOKEN_ADDRESS } from '../../../../../src/domain/gigs/token.ts';
import type { PaidEvent } from '../../../../../src/domain/payments/payer-chain.ts';
import { FEE_NUMBER, FIRST_RETURN_NUMBER, REFUND_NUMBER } from '../../../../../src/domain/payments/payment.ts';
import { adoptForeign } from '../../../../../src/services/payments/sender/found/adopt-foreign.ts';
import { firstOf } from '../../../../support/first-of.ts';
import { seedMark } from '../../../../support/payments.ts';
import { perCase } from '../../../../support/per-case.ts';
import { seedAddress, seedHash } from '../../../../support/store.ts';
import { ALICE, addressOf, BOB, TREASURY } from '../bank.ts';
import { DEGEN, eventsOf, openWorld, USDC } from '../world.ts';

const STRANGER = seedAddress(0xe9);
const SETTLED = 100n;
const BURIED = 64n;

const world = perCase(() => openWorld({ countsOn: true }));

/** A payment of 10 to alice for number 0, as deep as tips need that get other numbers, unless said otherwise. */
type Shown = Partial<PaidEvent>;

function paidBy({ walletAddress: wallet }: Gig, shown: Shown): PaidEvent {
  const where = { hash: seedHash(7), blockNumber: SETTLED - BURIED };
  return { wallet, token: DEGEN, to: addressOf(ALICE), amount: 10n, numbers: [0n], ...where, ...shown };
}

function adopt(gig: Gig, events: readonly PaidEvent[], witnessed: readonly PaidEvent[] = events) {
  const terms = { now: world.clock(), settled: SETTLED, renumberBlocks: BURIED, witnessed: new Set(witnessed) };
  return world.bank.store.transaction((tx) => adoptForeign(tx, { gigId: gig.id, events }, terms));
}

const NAMES = new Map<string, string>([
  [addressOf(ALICE), 'alice'],
  [addressOf(BOB), 'bob'],
  [TREASURY, 'treasury'],
  [STRANGER, 'stranger'],
]);
const OWN = new Map([
  [FEE_NUMBER, 'fee'],
  [FEE_NUMBER + 1n, 'fee + 1'],
  [REFUND_NUMBER, 'refund'],
  [FIRST_RETURN_NUMBER + 3n, 'return 3'],
]);

/** What the ledger has of a gig's payments, a line for each, and what it has told of them. */
async function booksOf({ id, walletAddress }: Gig) {
  const { store } = world.bank;
  const to = (address = '') =>
    NAMES.get(address.toLowerCase()) ?? (address.toLowerCase() === walletAddress && 'itself');
  const all = await Promise.all((await store.paymentsOfGig(id)).map((each) => store.payment(each.id)));
  const books = all.map((payment) => {
    const numbers = payment?.numbers.map((number) => OWN.get(number) ?? number).join(', ');
    const asset = payment?.token.address === DEGEN ? '' : ' USDC';
    return `${payment?.kind} ${payment?.state}: ${payment?.amount}${asset} to ${to(payment?.recipient)} for ${numbers}`;
  });
  const told = (await eventsOf(world.bank)).map(({ type, facts }) => {
    const why = facts.tx_hash === seedHash(7) ? '' : `, ${facts.reason}`;
    return `${type.slice(8)}: ${Math.round(Number(facts.amount) * 1e18)} to ${to(facts.recipient)}${why}`;
  });
  return { books, told };
}

const REPLACED = 'another payment of it is on the chain';
const MARK = { token: NATIVE_TOKEN_ADDRESS, amount: 0n } as const;

interface Case {
  readonly what: string;
  readonly before?: (gig: Gig) => Promise<unknown>;
  readonly fee?: bigint;
  readonly shown: readonly Shown[];
  readonly books: readonly string[];
  /** How many are taken; one unless said otherwise. */
  readonly taken?: number;
  /** The number of the gig's next tip; 0 unless said otherwise. */
  readonly next?: number;
}

const award = (gig: Gig, by: typeof ALICE, ...amounts: bigint[]) => world.bank.award(gig, by, ...amounts);
const claim = (by: typeof ALICE) => world.bank.claim(by);

/** Alice has claimed 10 and 20, and bob 7. */
async function claimThree(gig: Gig): Promise<void> {
  await award(gig, ALICE, 10n, 20n);
  await award(gig, BOB, 7n);
  await claim(ALICE);
  await claim(BOB);
}

async function markBefore(gig: Gig): Promise<void> {
  await world.bank.payBefore(await award(gig, ALICE, 5n, 6n));
  await seedMark(world.bank.store, gig, world.clock());
}

const PLANNED: readonly Case[] = [
  {
    what: 'all tips of a planned payout, to whatever address',
    before: claimThree,
    shown: [{ to: STRANGER, amount: 30n, numbers: [0n, 1n] }],
    books: ['payout confirmed: 30 to stranger for 0, 1', 'payout planned: 7 to bob for 2'],
    next: 3,
  },
  {
    what: 'a planned payout of two words by two payments',
    before: async (gig) => {
      await world.bank.store.transaction((tx) => tx.skipTipNumbers(gig.id, 255));
      await award(gig, ALICE, 10n, 20n);
      await claim(ALICE);
    },
    shown: [{ numbers: [255n] }, { numbers: [256n], amount: 20n }],
    books: ['payout confirmed: 30 to alice for 255, 256'],
    next: 257,
  },
  {
    what: 'a planned payout by two payments, one of which has paid a lost tip besides',
    before: async (gig) => {
      await award(gig, ALICE, 10n, 20n);
      await claim(ALICE);
    },
    shown: [
      { amount: 14n, numbers: [0n, 5n] },
      { amount: 20n, numbers: [1n] },
    ],
    books: ['payout confirmed: 30 to alice for 0, 1', 'payout confirmed: 4 to alice for 5'],
    taken: 2,
    next: 6,
  },
  {
    what: 'a planned payout and a tip of somebody else',
    before: async (gig) => {
      await award(gig, ALICE, 10n);
      await claim(ALICE);
      await award(gig, BOB, 5n);
    },
    shown: [{ amount: 15n, numbers: [0n, 1n] }],
    books: ['payout confirmed: 10 to alice for 0', 'payout confirmed: 5 to alice for 1'],
    taken: 2,
    next: 2,
  },
  {
    what: 'a part of a planned payout: the rest is planned for the same claim',
    before: claimThree,
    shown: [{}],
    books: [
      'payout failed: 30 to alice for ',
      'payout planned: 7 to bob for 2',
      'payout confirmed: 10 to alice for 0',
      'payout planned: 20 to alice for 1',
    ],
    next: 3,
  },
  {
    what: 'a planned payout by two payments to different addresses',
    before: claimThree,
    shown: [{}, { to: STRANGER, amount: 20n, numbers: [1n] }],
    books: [
      'payout failed: 30 to alice for ',
      'payout planned: 7 to bob for 2',
      'payout confirmed: 10 to alice for 0',
      'payout confirmed: 20 to stranger for 1',
    ],
    taken: 2,
    next: 3,
  },
  {
    what: 'a number that is signed, and another one: both are left to what was sent',
    before: async (gig) => {
      await award(gig, ALICE, 10n);
      await claim(ALICE);
      await world.bank.run();
    },
    shown: [{ amount: 15n, numbers: [0n, 1n] }],
    books: ['payout sent: 10 to alice for 0'],
    taken: 0,
    next: 1,
  },
];

const UNPLANNED: readonly Case[] = [
  {
    what: 'tips of two accounts that nobody has claimed',
    before: async (gig) => {
      await award(gig, ALICE, 10n);
      await award(gig, BOB, 20n);
    },
    shown: [{ amount: 30n, numbers: [0n, 1n], blockNumber: SETTLED }],
    books: ['payout confirmed: 10 to alice for 0', 'payout confirmed: 20 to alice for 1'],
    next: 2,
  },
  {
    what: 'a tip that the ledger has lost: its number is never given again',
    shown: [{ numbers: [5n], to: STRANGER }],
    books: ['payout confirmed: 10 to stranger for 5'],
    next: 6,
  },
  {
    what: 'a lost tip that had got another number, up to which no gig counts',
    shown: [{ numbers: [BigInt(OTHER_NUMBERS)] }],
    books: [`payout confirmed: 10 to alice for ${OTHER_NUMBERS}`],
  },
  {
    what: 'a tip, and a number that a tip of bob has got again: that gets another',
    before: async (gig) => {
      await award(gig, ALICE, 10n);
      await award(gig, BOB, 8n);
    },
    shown: [{ amount: 15n, numbers: [0n, 1n] }],
    books: ['payout confirmed: 10 to alice for 0', 'payout confirmed: 5 to alice for 1'],
    next: 2,
  },
];

const OF_FEES: readonly Case[] = [
  {
    what: 'the planned fee, together with a number that nothing has',
    fee: 5n,
    shown: [{ to: TREASURY, amount: 9n, numbers: [FEE_NUMBER, FEE_NUMBER + 1n] }],
    books: ['fee confirmed: 5 to treasury for fee', 'payout confirmed: 4 to treasury for fee + 1'],
    taken: 2,
  },
  {
    what: 'a fee that the ledger has not planned',
    shown: [{ to: TREASURY, amount: 5n, numbers: [FEE_NUMBER] }],
    books: ['fee confirmed: 5 to treasury for fee'],
  },
  {
    what: 'another fee than the planned one',
    fee: 5n,
    shown: [{ to: TREASURY, amount: 4n, numbers: [FEE_NUMBER] }],
    books: ['fee failed: 5 to treasury for fee', 'fee confirmed: 4 to treasury for fee'],
  },
];

const OF_MARKS: readonly Case[] = [
  {
    what: 'marks of tips and a fee that were paid before the contract, of which one mark is planned',
    before: markBefore,
    shown: [
      { ...MARK, numbers: [0n, 1n] },
      { ...MARK, numbers: [FEE_NUMBER] },
    ],
    books: ['mark confirmed: 0 to itself for 0, 1', 'mark confirmed: 0 to itself for fee'],
    taken: 2,
    next: 2,
  },
  {
    what: 'a mark of the fee that is planned here',
    fee: 5n,
    shown: [{ ...MARK, numbers: [FEE_NUMBER] }],
    books: ['fee failed: 5 to treasury for fee', 'fee confirmed: 0 to itself for fee'],
  },
  {
    what: 'a mark of tips that the ledger takes as unpaid',
    before: (gig) => award(gig, ALICE, 5n, 6n),
    shown: [{ ...MARK, numbers: [0n, 1n] }],
    books: ['payout confirmed: 11 to itself for 0, 1'],
    next: 2,
  },
];

test.each([...PLANNED, ...UNPLANNED, ...OF_FEES, ...OF_MARKS])(
  'security: a payment in the chain of $what',
  async (row) => {
    const { bank } = world;
    const gig = await bank.gig({ token: DEGEN, fee: row.fee ?? 0n });
    await row.before?.(gig);
    const events = row.shown.map((shown) =>
      paidBy(gig, 'token' in shown ? { to: gig.walletAddress, ...shown } : shown),
    );
    expect(await adopt(gig, events)).toEqual({ taken: row.taken ?? 1, left: [] });
    const { books } = row;
    const nameOf = new Map<string, string>([...NAMES, [gig.walletAddress, 'itself']]);
    // Each payment in the chain once, and then what they have replaced.
    const paid = row.taken === 0 ? [] : events.map(({ amount, to }) => `confirmed: ${amount} to ${nameOf.get(to)}`);
    const failed = books.filter((book) => book.includes('failed'));
    const told = [...paid, ...failed.map((book) => `${book.replace(/^\w+ (.*) for .*$/, '$1')}, ${REPLACED}`)];
    expect(await booksOf(gig)).toEqual({ books, told });
    // What it has taken once it knows.
    expect(await adopt(gig, events)).toEqual({ taken: 0, left: [] });
    expect(await booksOf(gig)).toEqual({ books, told });
    expect(firstOf(await bank.award(gig, BOB, 1n)).number).toBe(row.next ?? 0);
  },
);

test.each([
  { what: 'the refund', number: REFUND_NUMBER, kind: 'refund', token: DEGEN, asset: '', amount: 50n },
  { what: 'a return', number: FIRST_RETURN_NUMBER + 3n, kind: 'return', token: USDC, asset: ' USDC', amount: 50n },
  {
    what: 'a return of an unknown asset',
    number: FIRST_RETURN_NUMBER + 3n,
    kind: 'return',
    token: STRANGER,
    amount: 0n,
  },
])('security: $what in the chain is taken into the ledger, and nothing is refunded twice', async (row) => {
  const { bank, clock } = world;
  await bank.gig({ token: USDC });
  const gig = await bank.gig({ token: DEGEN });
  const { kind, asset = '', amount } = row;
  const event = paidBy(gig, { token: row.token, to: STRANGER, amount: 50n, numbers: [row.number] });
  expect(await adopt(gig, [event])).toEqual({ taken: 1, left: [] });
  expect(await booksOf(gig)).toEqual({
    books: [`${kind} confirmed: ${amount}${asset} to stranger for ${OWN.get(row.number)}`],
    told: [`confirmed: ${amount} to stranger`],
  });
  expect((await bank.store.gig(gig.id))?.refundedAt).toBe(kind === 'refund' ? clock() : null);
  expect(firstOf(await bank.store.paymentsOfGig(gig.id)).place).toBe(kind === 'refund' ? null : 3);
});

test.each([
  { what: 'deep and witnessed', isTaken: true },
  { what: 'a block too new', blockNumber: SETTLED - BURIED + 1n, isTaken: false },
  { what: 'not witnessed', isWitnessed: false, isTaken: false },
])(
  'security: a payment that has taken the number of a tip, $what',
  async ({ isWitnessed = true, isTaken, ...where }) => {
    const { bank } = world;
    const gig = await bank.gig({ token: DEGEN });
    const tip = firstOf(await bank.award(gig, BOB, 30n));
    const event = paidBy(gig, { blockNumber: SETTLED - BURIED, ...where });
    const left = isTaken ? [] : [event];
    expect(await adopt(gig, [event], isWitnessed ? [event] : [])).toEqual({ taken: isTaken ? 1 : 0, left });
    expect((await booksOf(gig)).books).toEqual(isTaken ? ['payout confirmed: 10 to alice for 0'] : []);
    expect((await bank.store.tip(tip.id))?.number).toBe(isTaken ? otherNumber(tip) : 0);
  },
);

test.each([
  { what: 'the tip', tips: [0], known: { numbers: [0n] }, left: 20n },
  { what: 'a lost tip', tips: [], known: { numbers: [0n] }, left: 20n },
  { what: 'the tip, with another one', tips: [0, 2], known: { numbers: [0n, 2n], amount: 20n }, left: 20n },
  { what: 'a lost tip, with another one', tips: [], known: { numbers: [0n, 2n] }, left: 30n },
  { what: 'the tip by another transaction', tips: [0], known: { numbers: [0n], hash: seedHash(8) }, left: 30n },
])(
  'security: of a payment of 30 of which the ledger knows $what it takes what is left',
  async ({ tips, known, left }) => {
    const { bank } = world;
    const gig = await bank.gig({ token: DEGEN });
    for (const number of tips) {
      await bank.store.transaction((tx) => tx.skipTipNumbers(gig.id, number));
      await bank.award(gig, ALICE, 10n);
    }
    await adopt(gig, [paidBy(gig, known)]);
    await adopt(gig, [paidBy(gig, { numbers: [0n, 1n], amount: 30n })]);
    expect((await booksOf(gig)).books.at(-1)).toBe(`payout confirmed: ${left} to alice for 1`);
  },
);

test('security: the rest of a payment is held for its claim for an hour', async () => {
  const { bank, clock } = world;
  const gig = await bank.gig({ token: DEGEN });
  const [, rest] = await bank.award(gig, ALICE, 10n, 20n);
  const claimed = firstOf(await bank.claim(ALICE));
  await adopt(gig, [paidBy(gig, {})]);
  const { publicId: claimNonce } = (await bank.store.claim(claimed.claimId ?? 0)) ?? {};
  expect(await bank.store.tip(rest?.id ?? 0)).toMatchObject({ claimNonce, lockTimeout: clock() + 3_600_000 });
});

test('security: of two payments of one number, which no chain has, nothing is taken', async () => {
  const { bank } = world;
  const gig = await bank.gig({ token: DEGEN });
  await bank.award(gig, ALICE, 10n);
  const both = [paidBy(gig, {}), paidBy(gig, { to: STRANGER, amount: 11n })];
  await expect(adopt(gig, both)).rejects.toThrow('tip 1 cannot get another number');
  expect(await booksOf(gig)).toEqual({ books: [], told: [] });
  await expect(adopt({ ...gig, id: 99 }, both)).rejects.toThrow('there is no gig 99');
});
