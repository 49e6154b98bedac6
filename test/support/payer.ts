import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { inject } from 'vitest';
import { createWriters } from '../../src/chain/registry.ts';
import { createWallets, type Wallets } from '../../src/chain/wallets.ts';
import {
  type Chain,
  type ChainWriter,
  chainById,
  type SignedBytes,
  type TransferCall,
} from '../../src/domain/chain.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../../src/domain/token.ts';
import { mined } from './anvil.ts';

export const ANVIL = chainById(31337) as Chain;
export const NATIVE = { address: NATIVE_TOKEN_ADDRESS, isNative: true } as const;

/** A writer of the local chain over wallets that nobody else knows. */
export interface Payer {
  readonly wallets: Wallets;
  readonly writer: ChainWriter;
  /** The wallet of gig 1. */
  readonly gig: Address;
  readonly tank: Address;
  /** Tries and signs a transfer from the wallet of gig 1, at the fees of now unless others are named. */
  signed(call: TransferCall, terms: SignTerms): Promise<SignedBytes>;
  /** Broadcasts and waits, at most until the test's time is over, for the block that holds it. */
  land(signed: SignedBytes): Promise<void>;
}

export interface SignTerms {
  readonly nonce: number;
  /** Wei. */
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
  /** Signs with this much gas, and does not try the transfer before. */
  readonly gas?: bigint;
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
}

/** A payer of the local chain, or of another behind `url`. */
export function createPayer(options: PayerOptions = {}): Payer {
  const { url = inject('anvilUrl'), ...limits } = options;
  const { confirmations = ANVIL.confirmations, maxFeePerGas = ANVIL.maxFeePerGas } = options;
  const chain = { ...(options.chain ?? ANVIL), confirmations, maxFeePerGas };
  const wallets = options.wallets ?? createWallets(generateMnemonic(wordlist));
  const writer = createWriters({
    endpoints: [{ chain, rpcUrl: url }],
    clock: Date.now,
    ...limits,
    wallets,
  }).writer(chain.id);
  return {
    wallets,
    writer,
    gig: wallets.gigAddress(1),
    tank: wallets.gasTankAddress(),
    async signed(call, terms) {
      const fees = await writer.fees();
      const gas = terms.gas ?? (await writer.simulateTransfer(call)).gas;
      return await writer.sign(1, { ...call, ...fees, ...terms, gas });
    },
    async land({ raw, hash }) {
      await writer.broadcast(raw);
      await mined(hash, url);
    },
  };
}
