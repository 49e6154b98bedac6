import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { inject } from 'vitest';
import { createPayerChains } from '../../src/chain/registry.ts';
import { createWallets, type Wallets } from '../../src/chain/wallets.ts';
import { type Chain, type ChainEndpoints, chainById } from '../../src/domain/chains/chain.ts';
import type { Address } from '../../src/domain/gigs/token.ts';
import type { PayerChain } from '../../src/domain/payments/payer-chain.ts';

export const ANVIL = chainById(31337) as Chain;

/** The local chain as wallets that nobody else knows pay on it. */
export interface Payer {
  readonly wallets: Wallets;
  readonly payer: PayerChain;
  readonly tank: Address;
}

/** What a test may want otherwise of a payer. */
export interface PayerOptions {
  /** The shared node's by default. */
  readonly url?: string;
  readonly wallets?: Wallets;
  readonly chain?: Chain;
  readonly confirmations?: number;
  readonly maxFeePerGas?: bigint;
  readonly timeoutMs?: number;
  readonly retries?: number;
  /** Epoch milliseconds; the real clock by default. */
  readonly clock?: () => number;
}

/** A payer of the local chain, or of another behind `url`. */
export function createPayer(options: PayerOptions = {}): Payer {
  const { url = inject('anvilUrl'), clock = Date.now, ...limits } = options;
  const { confirmations = ANVIL.confirmations, maxFeePerGas = ANVIL.maxFeePerGas } = options;
  const chain = { ...(options.chain ?? ANVIL), confirmations, maxFeePerGas };
  const wallets = options.wallets ?? createWallets(generateMnemonic(wordlist));
  const endpoints: ChainEndpoints[] = [{ chain, rpcUrls: [url] }];
  const payer = createPayerChains({ endpoints, clock, ...limits, wallets }).payer(chain.id);
  return { wallets, payer, tank: wallets.gasTankAddress() };
}
