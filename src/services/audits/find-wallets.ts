import type { BlockRef } from '../../domain/block.ts';
import type { GigWallets } from '../../domain/chain.ts';
import type { PayerChain } from '../../domain/payer-chain.ts';
import { FEE_NUMBER } from '../../domain/payment.ts';
import { bitsToNumbers, wordOf } from '../../domain/payment-numbers.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../../domain/token.ts';

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
  const [delegated, balances] = await Promise.all([
    payer.delegated(
      owners.map(({ wallet }) => wallet),
      settled.number,
    ),
    payer.balances(
      owners.flatMap(({ wallet }) => tokens.map((token) => ({ wallet, token }))),
      settled.number,
    ),
  ]);
  // Most wallets have paid nothing, and are asked nothing more.
  const payers = owners.filter((_, place) => delegated[place] === true);
  const asked = payers.flatMap(({ wallet }) => WORDS.map((word) => ({ wallet, word })));
  const words = asked.length === 0 ? [] : await payer.marks(asked, settled.number);
  const found = owners.map(({ gigId, wallet }, place): FoundWallet => {
    const numbers = asked.map((query, index) => ({ ...query, bits: words[index] ?? 0n }));
    const marked = numbers.filter((query) => query.wallet === wallet).flatMap(bitsToNumbers);
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

/** The tokens of a chain that answer a balance for a wallet which nobody has used: by them every wallet would be found. */
export async function findLying({ payer, settled, tokens }: SearchedChain, wallets: GigWallets): Promise<Address[]> {
  const wallet = wallets.gigAddress(NO_GIG);
  const balances = await payer.balances(
    tokens.map((token) => ({ wallet, token })),
    settled.number,
  );
  return tokens.filter((_, index) => (balances[index] ?? 0n) > 0n);
}

/** Where the wallets of these gigs were used, by the gigs' ids. */
export async function lookAtWallets(
  { chains, wallets }: { chains: readonly SearchedChain[]; wallets: GigWallets },
  ids: readonly number[],
): Promise<WalletTraces[]> {
  const found: WalletTraces[] = [];
  for (let from = 0; from < ids.length; from += TOGETHER) {
    const some = ids.slice(from, from + TOGETHER);
    const traces = (await Promise.all(chains.map((on) => lookAt(on, some, wallets)))).flat();
    for (const [, ofGig] of [...Map.groupBy(traces, ({ gigId }) => gigId)].sort(([a], [b]) => a - b)) {
      const [most, ...others] = ofGig.toSorted((a, b) => weightOf(b) - weightOf(a));
      if (most !== undefined) found.push([most, ...others]);
    }
  }
  return found;
}
