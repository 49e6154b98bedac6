import type { Address, Token } from '../gigs/token.ts';

/** USDC of each chain, as its issuer lists it, by chain id. All take authorizations by EIP-3009. */
const USDC: Readonly<Record<number, Address>> = {
  1: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  10: '0x0b2c639c533813f4aa9d7837caf62653d097ff85',
  137: '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
  8453: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  42161: '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
  84532: '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
};

export function isUsdc({ chainId, address }: Pick<Token, 'chainId' | 'address'>): boolean {
  return USDC[chainId] === address;
}
