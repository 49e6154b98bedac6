import { type Address, NATIVE_TOKEN_ADDRESS } from '../gigs/token.ts';

/** A feed of Chainlink for one token of one chain, in US dollars. */
export interface PriceFeed {
  readonly chainId: number;
  readonly token: Address;
  readonly feed: Address;
  /** After how long at the latest it has a new round. */
  readonly heartbeatSeconds: number;
}

const DAY = 86_400;

/** From https://docs.chain.link/data-feeds/price-feeds/addresses. Money of test chains is worth nothing. */
export const PRICE_FEEDS: readonly PriceFeed[] = [
  {
    chainId: 8453,
    token: NATIVE_TOKEN_ADDRESS,
    feed: '0x71041dddad3595f9ced3dccfbe3d1f4b0a16bb70',
    heartbeatSeconds: 1_200,
  },
  {
    chainId: 8453,
    token: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
    feed: '0x7e860098f58bbfc8648a4311b374b1d669a2bc6b',
    heartbeatSeconds: DAY,
  },
  {
    chainId: 10,
    token: NATIVE_TOKEN_ADDRESS,
    feed: '0x13e3ee699d1909e989722e753853ae30b17e08c5',
    heartbeatSeconds: 1_200,
  },
  {
    chainId: 10,
    token: '0x0b2c639c533813f4aa9d7837caf62653d097ff85',
    feed: '0x16a9fa2fda030272ce99b29cf780dfa30361e0f3',
    heartbeatSeconds: DAY,
  },
  {
    chainId: 42161,
    token: NATIVE_TOKEN_ADDRESS,
    feed: '0x639fe6ab55c921f74e7fac1ee960c0b6293ba612',
    heartbeatSeconds: 1_755,
  },
  {
    chainId: 42161,
    token: '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
    feed: '0x50834f3163758fcc1df9973b6e91f0f0f0434ad3',
    heartbeatSeconds: DAY,
  },
  {
    chainId: 1,
    token: NATIVE_TOKEN_ADDRESS,
    feed: '0x5f4ec3df9cbd43714fe2740f5e3616155c5b8419',
    heartbeatSeconds: 3_600,
  },
  {
    chainId: 1,
    token: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
    feed: '0x8fffffd4afb6115b954bd326cbe7b4ba576818f6',
    heartbeatSeconds: DAY,
  },
  {
    chainId: 137,
    token: NATIVE_TOKEN_ADDRESS,
    feed: '0xab594600376ec9fd91f8e885dadf0ce036862de0',
    heartbeatSeconds: 27,
  },
];

/** What a feed has answered. */
export interface FeedRound {
  readonly answer: bigint;
  readonly decimals: number;
  /** Epoch milliseconds. */
  readonly updatedAt: number;
}
