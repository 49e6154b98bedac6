import { type Chain, chainByKey } from '../../src/domain/chains/chain.ts';
import type { Funding, Gig, ReadFunding } from '../../src/domain/gigs/gig.ts';
import { ABSENT_TERMS } from '../../src/domain/gigs/terms.ts';
import type { ClaimableGroup, Tip } from '../../src/domain/gigs/tip.ts';
import type { Address, Token } from '../../src/domain/gigs/token.ts';
import type { Payment } from '../../src/domain/payments/payment.ts';

/** 2026-11-21T12:00:00Z. */
export const NOW = 1_795_262_400_000;
export const DAY = 86_400_000;
export const ETHER = 10n ** 18n;
const WALLET: Address = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';

export function token(overrides: Partial<Token> = {}): Token {
  return {
    id: 1,
    createdAt: 0,
    address: '0x4ed4e862860bed51a9570b96d89af5e1b0efefed',
    chainId: 8453,
    decimals: 18,
    name: 'Degen',
    symbol: 'DEGEN',
    imageUrl: '',
    isNative: false,
    coingeckoId: null,
    ...overrides,
  };
}

/** Gig 42 for 100 DEGEN and a fee of 5, from now on for a day. */
export function gig(overrides: Partial<Gig> = {}): Gig {
  return {
    ...ABSENT_TERMS,
    refundName: null,
    id: 42,
    createdAt: 0,
    status: 'created',
    production: false,
    token: token(),
    rewardAmount: 100n * ETHER,
    feeAmount: 5n * ETHER,
    awardedAmount: 0n,
    reservedAmount: 0n,
    startUntil: null,
    startRefusal: null,
    client: null,
    createdBy: null,
    createdBlock: null,
    startTime: NOW,
    endTime: NOW + DAY,
    duration: DAY,
    gigType: 'mention',
    platform: 'farcaster',
    walletAddress: WALLET,
    earningCriteria: null,
    externalUrl: null,
    awardDays: 0,
    stoppedAt: null,
    settledAt: null,
    cancelledAt: null,
    refundTo: null,
    refundedAt: null,
    transactionId: null,
    wentLiveAt: null,
    ...overrides,
  };
}

type SampleFunding = Funding & Pick<ReadFunding, 'chain'>;

export function funding(overrides: Partial<SampleFunding> = {}): SampleFunding {
  return {
    expected: 105n * ETHER,
    actual: 0n,
    token: token(),
    // One of the chains.
    chain: chainByKey('base') as Chain,
    walletAddress: WALLET,
    ...overrides,
  };
}

/** A pending tip of gig 42, of nothing, for the Farcaster account 7. */
export function tip(id: number, overrides: Partial<Tip> = {}): Tip {
  return {
    id,
    gigId: 42,
    number: id,
    amount: 0n,
    tokenId: 1,
    platform: 'farcaster',
    platformUserId: '7',
    createdAt: id,
    status: 'pending',
    username: null,
    userAddress: null,
    txHash: null,
    claimedAt: null,
    claimNonce: null,
    claimStartedAt: null,
    lockTimeout: null,
    ...overrides,
  };
}

/** A planned payout of 1 DEGEN by gig 42. */
export function payment(overrides: Partial<Payment> = {}): Payment {
  return {
    id: 1,
    kind: 'payout',
    chainId: 8453,
    gigId: 42,
    wallet: WALLET,
    claimId: 1,
    token: token(),
    recipient: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
    amount: ETHER,
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
    ...overrides,
  };
}

/** A group of that many tips, each from a gig of its own unless `gigs` is lower; the first tip holds the whole total. */
export function group(of: { token?: Token; total: bigint; tips: number; gigs?: number }): ClaimableGroup {
  const gigCount = of.gigs ?? of.tips;
  const tips = Array.from({ length: of.tips }, (_, index) => {
    return tip(index, { gigId: index % gigCount, amount: index === 0 ? of.total : 0n });
  });
  return { token: of.token ?? token(), total: of.total, tips, gigCount };
}
