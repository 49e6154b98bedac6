import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { parseEther } from 'viem';
import { inject } from 'vitest';
import { createPayerChains } from '../../src/chain/registry.ts';
import { createWallets, type Wallets } from '../../src/chain/wallets.ts';
import type { Chain, ChainEndpoints } from '../../src/domain/chains/chain.ts';
import type { Address } from '../../src/domain/gigs/token.ts';
import type { BatchInclusion, PayerChain, WalletCall, WalletPayment } from '../../src/domain/payments/payer-chain.ts';
import { mined } from './anvil.ts';
import { ANVIL } from './payer.ts';
import { openStage, type Stage } from './tip-payer.ts';

/** What a test may want otherwise. */
interface Terms {
  /** The node; the shared one by default. */
  readonly url?: string;
  readonly chain?: Partial<Chain>;
}

/** A chain that wallets pay on, over a mnemonic that nobody else knows, with a full gas tank. */
export interface Payments {
  readonly stage: Stage;
  readonly wallets: Wallets;
  readonly payer: PayerChain;
  readonly tank: Address;
  /** The same wallets behind another endpoint, or with other facts of the chain. */
  behind(rpcUrl: string, chain?: Partial<Chain>): PayerChain;
  /** What a gig's wallet is to pay. */
  call(gigId: number, ...payments: WalletPayment[]): WalletCall;
  /** Simulates, signs and broadcasts these calls in one transaction, and waits for its block. */
  pay(...calls: WalletCall[]): Promise<BatchInclusion>;
  /** As `pay`, with this much gas for each wallet and without a simulation. */
  payBlindly(gas: bigint, ...calls: WalletCall[]): Promise<BatchInclusion>;
}

export async function openPayments({ url = inject('anvilUrl'), chain }: Terms = {}): Promise<Payments> {
  const stage = await openStage(url);
  const wallets = createWallets(generateMnemonic(wordlist));
  const tank = wallets.gasTankAddress();
  await stage.test.setBalance({ address: tank, value: parseEther('100') });
  // A short pause between retries is the endpoint's own affair; one retry keeps faulty endpoints quick.
  const behind = (rpcUrl: string, facts: Partial<Chain> = {}) => {
    const endpoints: ChainEndpoints[] = [{ chain: { ...ANVIL, ...chain, ...facts }, rpcUrls: [rpcUrl] }];
    return createPayerChains({ endpoints, clock: Date.now, wallets, retries: 0 }).payer(ANVIL.id);
  };
  const payer = behind(url);

  async function land(calls: readonly (WalletCall & { gas: bigint })[]): Promise<BatchInclusion> {
    const { spentNonces: nonce } = await payer.tank();
    const { raw, hash } = await payer.sign({ calls, nonce, fees: await payer.fees() });
    await payer.broadcast(raw);
    await mined(hash, url);
    const inclusion = await payer.inclusion([hash]);
    if (inclusion === null) throw new Error(`the chain does not have ${hash}`);
    return inclusion;
  }

  return {
    stage,
    wallets,
    payer,
    tank,
    behind,
    call: (gigId, ...payments) => ({ gigId, wallet: wallets.gigAddress(gigId), payments }),
    pay: async (...calls) =>
      await land(await Promise.all(calls.map(async (call) => ({ ...call, ...(await payer.simulate(call)) })))),
    payBlindly: async (gas, ...calls) => await land(calls.map((call) => ({ ...call, gas }))),
  };
}
