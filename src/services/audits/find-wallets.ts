import type { BlockRef } from '../../domain/chains/block.ts';
import type { GigWallets } from '../../domain/chains/chain.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../../domain/gigs/token.ts';
import type { PayerChain } from '../../domain/payments/payer-chain.ts';
import { FEE_NUMBER } from '../../domain/payments/payment.ts';
import { bitsToNumbers, wordOf } from '../../domain/payments/payment-numbers.ts';

/** The last that a mnemonic derives; no service ever makes so many gigs. */
const NO_GIG = 2 ** 31 - 1;

const TOGETHER = 100;
/** The words of marks that every gig may use: that of the first numbers, and that of its fee. */
const WORDS: readonly bigint[] = [0n, wordOf(FEE_NUMBER)];

/** One chain, as of one block, and the tokens whose balances are looked for there. */
export interface SearchedChain {
  readonly payer: PayerChain;
  readonly settled: BlockRef;
  readonly tokens: readonly Address[];
  /** Those of the tokens that have answered a balance for a wallet which nobody has used: nothing is found by them. */
  readonly lying: Set<Address>;
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

/**
 * Asks what wallets hold, and as many that no gig ever has: a token may answer a balance for some addresses alone, and a
 * search by it would go on for ever.
 */
async function askBalances(
  { payer, settled, lying, ...on }: SearchedChain,
  { ids, wallets }: { ids: readonly number[]; wallets: GigWallets },
): Promise<(gigId: number) => Map<Address, bigint>> {
  const named = on.tokens.filter((token) => !lying.has(token));
  const tokens = [NATIVE_TOKEN_ADDRESS, ...named];
  const unused = named.length === 0 ? [] : ids.map((id) => NO_GIG - id);
  const asked = [
    ...ids.flatMap((id) => tokens.map((token) => ({ id, token }))),
    ...unused.flatMap((id) => named.map((token) => ({ id, token }))),
  ];
  const balances = await payer.balances(
    asked.map(({ id, token }) => ({ wallet: wallets.gigAddress(id), token })),
    settled.number,
  );
  const held = asked.map((query, index) => ({ ...query, amount: balances[index] ?? 0n }));
  const ofWallet = Map.groupBy(
    held.filter(({ amount }) => amount > 0n),
    ({ id }) => id,
  );
  for (const { token } of unused.flatMap((id) => ofWallet.get(id) ?? [])) lying.add(token);
  return (id) => {
    const trusted = (ofWallet.get(id) ?? []).filter(({ token }) => !lying.has(token));
    return new Map(trusted.map(({ token, amount }) => [token, amount]));
  };
}

async function lookAt(on: SearchedChain, ids: readonly number[], wallets: GigWallets): Promise<FoundWallet[]> {
  const { payer, settled } = on;
  const owners = ids.map((gigId) => ({ gigId, wallet: wallets.gigAddress(gigId) }));
  const [delegated, heldBy] = await Promise.all([
    payer.delegated(
      owners.map(({ wallet }) => wallet),
      settled.number,
    ),
    askBalances(on, { ids, wallets }),
  ]);
  // Most wallets have paid nothing, and are asked nothing more.
  const payers = owners.filter((_, place) => delegated[place] === true);
  const asked = payers.flatMap(({ wallet }) => WORDS.map((word) => ({ wallet, word })));
  const words = asked.length === 0 ? [] : await payer.marks(asked, settled.number);
  const found = owners.map(({ gigId, wallet }, place): FoundWallet => {
    const numbers = asked.map((query, index) => ({ ...query, bits: words[index] ?? 0n }));
    const marked = numbers.filter((query) => query.wallet === wallet).flatMap(bitsToNumbers);
    return { gigId, wallet, on, isDelegated: delegated[place] ?? false, marked, held: heldBy(gigId) };
  });
  return found.filter(isUsed);
}

function isUsed({ isDelegated, held }: FoundWallet): boolean {
  return isDelegated || held.size > 0;
}

/** Payments say most, then a named token, then the native asset. */
function weightOf({ isDelegated, marked, held }: FoundWallet): number {
  if (isDelegated) return 3 + marked.length;
  return [...held.keys()].some((token) => token !== NATIVE_TOKEN_ADDRESS) ? 2 : 1;
}

/** Where a gig's wallet was used, the chain on which it was used most first. */
export type WalletTraces = readonly [FoundWallet, ...FoundWallet[]];

/** A chain as of now. A token that answers a balance for every wallet lies from the beginning. */
export async function openSearch(
  payer: PayerChain,
  { tokens, wallets }: { tokens: readonly Address[]; wallets: GigWallets },
): Promise<SearchedChain> {
  const { settled } = await payer.head();
  const wallet = wallets.gigAddress(NO_GIG);
  const balances = await payer.balances(
    tokens.map((token) => ({ wallet, token })),
    settled.number,
  );
  const lying = new Set(tokens.filter((_, index) => (balances[index] ?? 0n) > 0n));
  return { payer, settled, tokens, lying };
}

/** Without what was found by tokens that turned out later to lie. */
export function withoutLying(found: readonly WalletTraces[]): WalletTraces[] {
  const trusted = found.map((traces) =>
    traces
      .map((each) => ({ ...each, held: new Map([...each.held].filter(([token]) => !each.on.lying.has(token))) }))
      .filter(isUsed),
  );
  return trusted.flatMap(([most, ...others]) => (most === undefined ? [] : [[most, ...others]]));
}

/** Where the wallets of these gigs were used, by the gigs' ids. */
export async function readWallets(
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
  return withoutLying(found);
}
