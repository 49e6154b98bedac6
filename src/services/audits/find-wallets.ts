import type { BlockRef } from '../../domain/block.ts';
import type { GigWallets } from '../../domain/chain.ts';
import { invalidRequest } from '../../domain/errors.ts';
import type { PayerChain } from '../../domain/payer-chain.ts';
import { FEE_NUMBER } from '../../domain/payment.ts';
import { bitsToNumbers, wordOf } from '../../domain/payment-numbers.ts';
import { type Address, checksummed, NATIVE_TOKEN_ADDRESS } from '../../domain/token.ts';

/** The last that a mnemonic derives; no service ever makes so many gigs. */
const NO_GIG = 2 ** 31 - 1;

/** How many wallets are looked at together. */
const TOGETHER = 100;
/** The words of marks that every gig may use: that of the first numbers, and that of its fee. */
const WORDS: readonly bigint[] = [0n, wordOf(FEE_NUMBER)];

/** One chain, as of one block, and the tokens whose balances are looked for there. */
export interface SearchedChain {
  readonly payer: PayerChain;
  readonly settled: BlockRef;
  readonly tokens: readonly Address[];
}

/** A gig's wallet with a trace of its use on one chain. */
export interface FoundWallet {
  readonly gigId: number;
  readonly wallet: Address;
  readonly on: SearchedChain;
  /** Whether it delegates to the payer contract, as all do that have paid. */
  readonly isDelegated: boolean;
  /** Numbers that it has paid, as far as they are known without its events. */
  readonly marked: readonly bigint[];
  /** What it holds, in base units by token; never 0. */
  readonly held: ReadonlyMap<Address, bigint>;
}

async function lookAt(on: SearchedChain, ids: readonly number[], wallets: GigWallets): Promise<FoundWallet[]> {
  const { payer, settled } = on;
  const owners = ids.map((gigId) => ({ gigId, wallet: wallets.gigAddress(gigId) }));
  const tokens = [NATIVE_TOKEN_ADDRESS, ...on.tokens];
  const [delegated, words, balances] = await Promise.all([
    payer.delegated(
      owners.map(({ wallet }) => wallet),
      settled.number,
    ),
    payer.marks(
      owners.flatMap(({ wallet }) => WORDS.map((word) => ({ wallet, word }))),
      settled.number,
    ),
    payer.balances(
      owners.flatMap(({ wallet }) => tokens.map((token) => ({ wallet, token }))),
      settled.number,
    ),
  ]);
  const found = owners.map(({ gigId, wallet }, place): FoundWallet => {
    const bitsAt = (index: number) => words[place * WORDS.length + index] ?? 0n;
    const marked = WORDS.flatMap((word, index) => bitsToNumbers({ word, bits: bitsAt(index) }));
    const amounts = tokens.map((token, index) => [token, balances[place * tokens.length + index] ?? 0n] as const);
    const isDelegated = delegated[place] ?? false;
    return { gigId, wallet, on, isDelegated, marked, held: new Map(amounts.filter(([, amount]) => amount > 0n)) };
  });
  return found.filter(({ isDelegated, held }) => isDelegated || held.size > 0);
}

/** How much a trace says: that a wallet has paid, that it holds a named token, or that it holds the native asset. */
function weightOf({ isDelegated, marked, held }: FoundWallet): number {
  if (isDelegated) return 3 + marked.length;
  return [...held.keys()].some((token) => token !== NATIVE_TOKEN_ADDRESS) ? 2 : 1;
}

/** Where a gig's wallet was used, the chain on which it was used most first. */
export type WalletTraces = readonly [FoundWallet, ...FoundWallet[]];

/**
 * Refuses tokens that answer a balance for a wallet which nobody has used: the search would find one gig after the other.
 */
async function assertCounting({ payer, settled, tokens }: SearchedChain, wallets: GigWallets): Promise<void> {
  const wallet = wallets.gigAddress(NO_GIG);
  const balances = await payer.balances(
    tokens.map((token) => ({ wallet, token })),
    settled.number,
  );
  const lying = tokens.filter((_, index) => (balances[index] ?? 0n) > 0n).map(checksummed);
  if (lying.length === 0) return;
  throw invalidRequest(
    `These tokens of ${payer.chain.name} answer a balance for a wallet that was never used, so gigs cannot be found by ` +
      `them; leave them out: ${lying.join(', ')}.`,
  );
}

/**
 * The wallets of gigs that were used on these chains, by the gigs' ids from 1 on. The search ends after `gap` wallets in a
 * row without a trace.
 * @throws AdapterError when a chain does not answer
 * @throws DomainError `invalid_request` when a token answers any balance
 */
export async function findWallets(
  { chains, wallets }: { chains: readonly SearchedChain[]; wallets: GigWallets },
  { gap }: { gap: number },
): Promise<WalletTraces[]> {
  for (const on of chains) await assertCounting(on, wallets);
  const found: WalletTraces[] = [];
  for (let from = 1; from <= (found.at(-1)?.[0].gigId ?? 0) + gap; from += TOGETHER) {
    const ids = Array.from({ length: TOGETHER }, (_, index) => from + index);
    const traces = (await Promise.all(chains.map((on) => lookAt(on, ids, wallets)))).flat();
    for (const [, ofGig] of [...Map.groupBy(traces, ({ gigId }) => gigId)].sort(([a], [b]) => a - b)) {
      const [most, ...others] = ofGig.toSorted((a, b) => weightOf(b) - weightOf(a));
      if (most !== undefined) found.push([most, ...others]);
    }
  }
  return found;
}
