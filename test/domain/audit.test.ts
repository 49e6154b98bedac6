import { describe, expect, test } from 'vitest';
import { auditGig, mustLookUp, type WalletFacts } from '../../src/domain/audit.ts';
import type { ChainLanding } from '../../src/domain/chain.ts';
import type { Gig } from '../../src/domain/gig.ts';
import type { Token } from '../../src/domain/token.ts';
import type { Transfer } from '../../src/domain/transfer.ts';
import { sampleForm, seedAddress, seedHash } from '../support/store.ts';

const BLOCK = 100n;
const usdc: Token = {
  ...{ id: 1, createdAt: 0, address: seedAddress(0xaa), chainId: 31337, decimals: 0, name: 'USD', symbol: 'USD' },
  ...{ imageUrl: '', isNative: false, coingeckoId: null },
};
const ether: Token = { ...usdc, id: 2, symbol: 'ETH', isNative: true };

/** A gig of 1000 with a fee of 50, as far as an audit looks at it. */
function gigIn(token: Token): Gig {
  return {
    ...{ id: 3, createdAt: 0, status: 'live', production: true, token, rewardAmount: 1_000n, feeAmount: 50n },
    ...{ awardedAmount: 0n, startTime: 0, endTime: 1, duration: 1, gigType: 'mention', platform: 'farcaster' },
    ...{ howToEarn: null, earningCriteria: null, externalUrl: null, verifier: null, transactionId: 1 },
    walletAddress: seedAddress(3),
  };
}

/** A payout of 10, confirmed in block 90 under its own id as nonce and hash. */
function transfer(id: number, overrides: Partial<Transfer> = {}): Transfer {
  return {
    ...{ id, kind: 'payout', chainId: 31337, sender: seedAddress(3), gigId: 3, claimId: 1, token: usdc },
    ...{ recipient: seedAddress(0xcafe), amount: 10n, state: 'confirmed', nonce: id, reason: null },
    ...{ hash: seedHash(id), blockNumber: 90n, gasSpent: 7n, createdAt: 0, updatedAt: 0, forms: [sampleForm(id)] },
    ...overrides,
  };
}

const open = { state: 'broadcast', hash: null, blockNumber: null, gasSpent: null } as const;
const replaced = { ...open, state: 'replaced', reason: 'taken' } as const;

function sent(id: number, amount: bigint) {
  return { token: usdc.address, owner: seedAddress(3), hash: seedHash(id), blockNumber: 90n, amount };
}

function landing(id: number, overrides: Partial<ChainLanding> = {}): ChainLanding {
  return { hash: seedHash(id), blockNumber: 90n, final: true, succeeded: true, moved: 10n, gasSpent: 7n, ...overrides };
}

function facts(overrides: Partial<WalletFacts> = {}): WalletFacts {
  return {
    blockNumber: BLOCK,
    held: 1_050n,
    nonces: { first: 0, end: 0 },
    sent: [],
    landings: new Map(),
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
      ...{ blockNumber: BLOCK, held: 990n, expected: 990n, problems: [], notes: [] },
    });
  });

  test('behavior: counts what failed as nothing but its gas', () => {
    const failed = { state: 'failed', reason: 'it reverted', token: ether } as const;
    const transfers = [transfer(0, failed), transfer(1, { token: ether })];
    const landings = new Map([
      [0, landing(0, { moved: 0n, succeeded: false })],
      [1, landing(1)],
    ]);
    const found = facts({ held: 1_050n - 10n - 14n, landings, nonces: { first: 0, end: 2 } });
    expect(auditGig(gigIn(ether), transfers, found)).toMatchObject({ expected: 1_026n, problems: [], notes: [] });
  });

  test('behavior: leaves out what was settled after its block', () => {
    const later = transfer(0, { blockNumber: 101n });
    expect(auditGig(gigIn(usdc), [later], facts())).toMatchObject({ expected: 1_050n, problems: [], notes: [] });
    expect(mustLookUp(gigIn(usdc), later, facts())).toBe(false);
  });

  test.each([
    ['has not landed', null, 1_050n],
    ['has landed', landing(0), 1_040n],
    ['has landed after the block', landing(0, { blockNumber: 101n }), 1_050n],
  ])('behavior: takes a transfer under way that %s as it is', (_, found, held) => {
    const transfers = [transfer(0, open)];
    const end = held === 1_040n ? 1 : 0;
    const seen = facts({ held, landings: new Map([[0, found]]), nonces: { first: 0, end } });
    expect(auditGig(gigIn(usdc), transfers, seen)).toMatchObject({ expected: held, problems: [], notes: [] });
  });

  test('security: finds a payment that was made twice, because its first form landed after all', () => {
    const transfers = [transfer(0, replaced), transfer(1)];
    const found = facts({ held: 1_030n, sent: [sent(0, 10n), sent(1, 10n)], nonces: { first: 0, end: 2 } });
    expect(mustLookUp(gigIn(usdc), transfer(0, replaced), found)).toBe(true);
    const audit = auditGig(gigIn(usdc), transfers, { ...found, landings: new Map([[0, landing(0)]]) });
    expect(audit.problems).toEqual(['transfer 0 is replaced with 0 USD, and the chain moved 10 USD']);
  });

  test.each([
    ['another amount', 12n, 1_038n, 'transfer 0 is confirmed with 10 USD, and the chain moved 12 USD'],
    ['nothing', 0n, 1_050n, 'transfer 0 is confirmed with 10 USD, and the chain moved 0 USD'],
  ])('error: finds a transfer that moved %s', (_, moved, held, problem) => {
    const found = facts({ held, sent: moved === 0n ? [] : [sent(0, moved)], nonces: { first: 0, end: 1 } });
    expect(mustLookUp(gigIn(usdc), transfer(0), found)).toBe(true);
    const landings = new Map([[0, moved === 0n ? null : landing(0, { moved })]]);
    expect(auditGig(gigIn(usdc), [transfer(0)], { ...found, landings }).problems).toContain(problem);
  });

  test('behavior: believes the receipt of a token whose events do not show the sender', () => {
    const found = facts({ held: 1_040n, nonces: { first: 0, end: 1 }, landings: new Map([[0, landing(0)]]) });
    expect(auditGig(gigIn(usdc), [transfer(0)], found).problems).toEqual([]);
  });

  test('error: finds nonces that no transfer has, and those that were never spent', () => {
    const transfers = [transfer(1), transfer(4)];
    const found = facts({ held: 1_030n, sent: [sent(1, 10n), sent(4, 10n)], nonces: { first: 1, end: 4 } });
    expect(auditGig(gigIn(usdc), transfers, found).problems).toEqual([
      'nonce 2 was spent by no transfer',
      'nonce 3 was spent by no transfer',
      'transfer 4 is confirmed, and its nonce 4 is not spent',
    ]);
  });
});
