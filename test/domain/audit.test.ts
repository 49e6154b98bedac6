import { describe, expect, test } from 'vitest';
import { acknowledgeable, addsUp, auditGig, mustLookUp, type WalletFacts } from '../../src/domain/audit.ts';
import type { Inclusion } from '../../src/domain/chain.ts';
import type { Gig } from '../../src/domain/gig.ts';
import type { Token } from '../../src/domain/token.ts';
import type { Transfer } from '../../src/domain/transfer.ts';
import { sampleAttempt, seedAddress, seedHash } from '../support/store.ts';

const BLOCK = 100n;
const usdc: Token = {
  id: 1,
  createdAt: 0,
  address: seedAddress(0xaa),
  chainId: 31337,
  decimals: 0,
  name: 'USD',
  symbol: 'USD',
  imageUrl: '',
  isNative: false,
  coingeckoId: null,
};
const ether: Token = { ...usdc, id: 2, symbol: 'ETH', isNative: true };

/** A gig of 1000 with a fee of 50, as far as an audit looks at it. */
function gigIn(token: Token): Gig {
  return {
    id: 3,
    createdAt: 0,
    status: 'live',
    production: true,
    token,
    rewardAmount: 1_000n,
    feeAmount: 50n,
    client: null,
    createdBy: null,
    awardedAmount: 0n,
    startTime: 0,
    endTime: 1,
    duration: 1,
    gigType: 'mention',
    platform: 'farcaster',
    howToEarn: null,
    earningCriteria: null,
    externalUrl: null,
    verifier: null,
    transactionId: 1,
    walletAddress: seedAddress(3),
  };
}

/** A payout of 10, confirmed in block 90 under its own id as nonce and hash. */
function transfer(id: number, overrides: Partial<Transfer> = {}): Transfer {
  return {
    id,
    kind: 'payout',
    chainId: 31337,
    sender: seedAddress(3),
    gigId: 3,
    claimId: 1,
    token: usdc,
    recipient: seedAddress(0xcafe),
    amount: 10n,
    state: 'confirmed',
    nonce: id,
    reason: null,
    hash: seedHash(id),
    blockNumber: 90n,
    gasSpent: 7n,
    createdAt: 0,
    updatedAt: 0,
    attempts: [sampleAttempt(id)],
    ...overrides,
  };
}

const open = { state: 'broadcast', hash: null, blockNumber: null, gasSpent: null } as const;
const replaced = { ...open, state: 'replaced', reason: 'taken' } as const;

function sent(id: number, amount: bigint) {
  return { token: usdc.address, owner: seedAddress(3), hash: seedHash(id), blockNumber: 90n, amount };
}

function landing(id: number, overrides: Partial<Inclusion> = {}): Inclusion {
  return { hash: seedHash(id), blockNumber: 90n, final: true, succeeded: true, moved: 10n, gasSpent: 7n, ...overrides };
}

const texts = ({ problems }: ReturnType<typeof auditGig>) => problems.map(({ text }) => text);

function facts(overrides: Partial<WalletFacts> = {}): WalletFacts {
  return {
    blockNumber: BLOCK,
    held: 1_050n,
    nonces: { first: 0, end: 0 },
    sent: [],
    inclusions: new Map(),
    ...overrides,
  };
}

describe('an audit', () => {
  test('behavior: counts payouts and fees, and not the gas of a token’s wallet', () => {
    const transfers = [
      transfer(0),
      transfer(1, { kind: 'fee', amount: 50n }),
      transfer(2, { kind: 'gas', token: ether, sender: seedAddress(0xff), amount: 99n }),
    ];
    const found = facts({ held: 990n, sent: [sent(0, 10n), sent(1, 50n)], nonces: { first: 0, end: 2 } });
    expect(auditGig(gigIn(usdc), transfers, found)).toEqual({
      blockNumber: BLOCK,
      held: 990n,
      expected: 990n,
      problems: [],
      unproved: [],
      notes: [],
    });
  });

  test('behavior: counts what failed as nothing but its gas', () => {
    const failed = { state: 'failed', reason: 'it reverted', token: ether } as const;
    const transfers = [transfer(0, failed), transfer(1, { token: ether })];
    const inclusions = new Map([
      [0, landing(0, { moved: 0n, succeeded: false })],
      [1, landing(1)],
    ]);
    const found = facts({ held: 1_050n - 10n - 14n, inclusions, nonces: { first: 0, end: 2 } });
    expect(auditGig(gigIn(ether), transfers, found)).toMatchObject({ expected: 1_026n, problems: [], notes: [] });
  });

  test('behavior: leaves out what was settled after its block', () => {
    const later = transfer(0, { blockNumber: 101n });
    const found = facts({ inclusions: new Map([[0, landing(0, { blockNumber: 101n })]]) });
    expect(mustLookUp(gigIn(usdc), later, found)).toBe(true);
    const audit = auditGig(gigIn(usdc), [later], found);
    expect(audit).toMatchObject({ expected: 1_050n, problems: [], unproved: [], notes: [] });
    expect(addsUp(audit)).toBe(true);
  });

  test.each([
    ['confirmed', 'is gone', null],
    ['confirmed', 'reverted', landing(0, { blockNumber: 102n, succeeded: false, moved: 0n })],
    ['failed', 'moved something', landing(0, { blockNumber: 101n })],
  ] as const)('error: proves nothing while what was %s above its block %s', (state, _, found) => {
    const later = transfer(0, { state, blockNumber: 101n, reason: state === 'failed' ? 'no' : null });
    const audit = auditGig(gigIn(usdc), [later], facts({ inclusions: new Map([[0, found]]) }));
    expect(audit).toMatchObject({
      expected: 1_050n,
      problems: [],
      unproved: [
        `transfer 0 was ${state} in block 101, and the chain does not show that now: the audit is inconclusive`,
      ],
    });
    expect([addsUp(audit), acknowledgeable(audit)]).toEqual([null, null]);
  });

  test('security: finds what failed and then moved something in a lower block', () => {
    const later = transfer(0, { state: 'failed', blockNumber: 101n, reason: 'no' });
    const found = facts({ held: 1_040n, nonces: { first: 0, end: 1 }, inclusions: new Map([[0, landing(0)]]) });
    const audit = auditGig(gigIn(usdc), [later], found);
    expect(texts(audit)).toEqual(['transfer 0 is failed with 0 USD, and the chain moved 10 USD']);
    expect(addsUp(audit)).toBe(false);
  });

  test.each([
    ['has not landed', null, 1_050n],
    ['has landed', landing(0), 1_040n],
    ['has landed after the block', landing(0, { blockNumber: 101n }), 1_050n],
  ])('behavior: takes a transfer under way that %s as it is', (_, found, held) => {
    const transfers = [transfer(0, open)];
    const end = held === 1_040n ? 1 : 0;
    const seen = facts({ held, inclusions: new Map([[0, found]]), nonces: { first: 0, end } });
    expect(auditGig(gigIn(usdc), transfers, seen)).toMatchObject({ expected: held, problems: [], notes: [] });
  });

  test('security: finds a payment that was made twice, because its first form landed after all', () => {
    const transfers = [transfer(0, replaced), transfer(1)];
    const found = facts({ held: 1_030n, sent: [sent(0, 10n), sent(1, 10n)], nonces: { first: 0, end: 2 } });
    expect(mustLookUp(gigIn(usdc), transfer(0, replaced), found)).toBe(true);
    const audit = auditGig(gigIn(usdc), transfers, { ...found, inclusions: new Map([[0, landing(0)]]) });
    expect(texts(audit)).toEqual(['transfer 0 is replaced with 0 USD, and the chain moved 10 USD']);
  });

  test.each([
    ['another amount', 12n, 1_038n, 'transfer 0 is confirmed with 10 USD, and the chain moved 12 USD'],
    ['nothing', 0n, 1_050n, 'transfer 0 is confirmed with 10 USD, and the chain moved 0 USD'],
  ])('error: finds a transfer that moved %s', (_, moved, held, problem) => {
    const found = facts({ held, sent: moved === 0n ? [] : [sent(0, moved)], nonces: { first: 0, end: 1 } });
    expect(mustLookUp(gigIn(usdc), transfer(0), found)).toBe(true);
    const inclusions = new Map([[0, moved === 0n ? null : landing(0, { moved })]]);
    expect(texts(auditGig(gigIn(usdc), [transfer(0)], { ...found, inclusions }))).toContain(problem);
  });

  test('behavior: believes the receipt of a token whose events do not show the sender', () => {
    const found = facts({ held: 1_040n, nonces: { first: 0, end: 1 }, inclusions: new Map([[0, landing(0)]]) });
    expect(auditGig(gigIn(usdc), [transfer(0)], found).problems).toEqual([]);
  });

  test('error: finds nonces that no transfer has, and those that were never spent', () => {
    const transfers = [transfer(1), transfer(4)];
    const found = facts({ held: 1_030n, sent: [sent(1, 10n), sent(4, 10n)], nonces: { first: 1, end: 4 } });
    const audit = auditGig(gigIn(usdc), transfers, found);
    expect(acknowledgeable(audit)).toBeNull();
    expect(texts(audit)).toEqual([
      'nonce 2 was spent by a transaction that is not in the ledger',
      'nonce 3 was spent by a transaction that is not in the ledger',
      'transfer 4 is confirmed, and its nonce 4 is not spent',
    ]);
  });
});

describe('what others did with a wallet', () => {
  const found = facts({ sent: [sent(7, 5n)], nonces: { first: 0, end: 2 } });
  const took = `transaction ${seedHash(7)} took 5 USD and is not in the ledger`;
  const uses = [
    { kind: 'transaction', hash: seedHash(7), text: took },
    { kind: 'nonce', nonce: 0, text: 'nonce 0 was spent by a transaction that is not in the ledger' },
    { kind: 'nonce', nonce: 1, text: 'nonce 1 was spent by a transaction that is not in the ledger' },
  ];

  test('security: is a problem, and can be accepted when nothing else is wrong', () => {
    const audit = auditGig(gigIn(usdc), [], found);
    expect(audit).toMatchObject({ problems: uses, notes: [] });
    expect([addsUp(audit), acknowledgeable(audit)]).toEqual([false, uses]);
  });

  test('behavior: is a note once it was accepted, and whatever was not is a problem', () => {
    const accepted = [
      { kind: 'transaction', hash: seedHash(7), acceptedAt: 1_767_225_600_000 },
      { kind: 'nonce', nonce: 1, acceptedAt: 0 },
    ] as const;
    const audit = auditGig(gigIn(usdc), [], found, accepted);
    expect(audit).toMatchObject({
      problems: [uses[1]],
      notes: [
        `${took}; accepted on 2026-01-01T00:00:00.000Z`,
        'nonce 1 was spent by a transaction that is not in the ledger; accepted on 1970-01-01T00:00:00.000Z',
      ],
    });
    const all = auditGig(gigIn(usdc), [], found, [...accepted, { kind: 'nonce', nonce: 0, acceptedAt: 0 }]);
    expect([addsUp(all), acknowledgeable(all)]).toEqual([true, []]);
  });

  test('security: cannot be accepted while money is missing or a payment differs', () => {
    expect(acknowledgeable(auditGig(gigIn(usdc), [], { ...found, held: 1_049n }))).toBeNull();
    expect(acknowledgeable(auditGig(gigIn(usdc), [transfer(0)], { ...found, held: 1_040n }))).toBeNull();
  });
});
