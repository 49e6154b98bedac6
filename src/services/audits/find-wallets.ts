import type { GigWallets } from '../../domain/chain.ts';
import { invalidRequest } from '../../domain/errors.ts';
import type { BlockRef, PaidEvent, PayerChain } from '../../domain/payer-chain.ts';
import { FEE_NUMBER } from '../../domain/payment.ts';
import { bitsToNumbers, wordOf } from '../../domain/payment-numbers.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../../domain/token.ts';
import { firstBlockSince } from '../gigs/read-funding.ts';

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

/**
 * The wallets of gigs that were used on these chains, by the gigs' ids from 1 on, each on the chain that it was used on
 * most. The search ends after `gap` wallets in a row without a trace.
 * @throws AdapterError when a chain does not answer
 */
export async function findWallets(
  { chains, wallets }: { chains: readonly SearchedChain[]; wallets: GigWallets },
  { gap }: { gap: number },
): Promise<FoundWallet[]> {
  const found: FoundWallet[] = [];
  for (let from = 1; from <= (found.at(-1)?.gigId ?? 0) + gap; from += TOGETHER) {
    const ids = Array.from({ length: TOGETHER }, (_, index) => from + index);
    const traces = (await Promise.all(chains.map((on) => lookAt(on, ids, wallets)))).flat();
    for (const [, ofGig] of [...Map.groupBy(traces, ({ gigId }) => gigId)].sort(([a], [b]) => a - b)) {
      found.push(ofGig.reduce((most, each) => (weightOf(each) > weightOf(most) ? each : most)));
    }
  }
  return found;
}

/**
 * What these wallets have paid since then, by their events, oldest first.
 * @throws DomainError `invalid_request` when a number is marked and no event tells what it paid
 * @throws AdapterError when a chain does not answer, or would have to be asked thousands of times
 */
export async function findPaid(
  found: readonly FoundWallet[],
  since: number | null,
): Promise<ReadonlyMap<FoundWallet, readonly PaidEvent[]>> {
  const paid = new Map<FoundWallet, readonly PaidEvent[]>();
  const payers = found.filter(({ isDelegated }) => isDelegated);
  for (const [on, used] of Map.groupBy(payers, (each) => each.on)) {
    const from = since === null ? 0n : await firstBlockSince(on.payer, { since, until: on.settled.number });
    const wallets = used.map(({ wallet }) => wallet);
    const events = await on.payer.paidEvents({ wallets, from, to: on.settled.number });
    for (const each of used) {
      const own = events.filter(({ wallet }) => wallet === each.wallet);
      const named = new Set(own.flatMap(({ numbers }) => numbers));
      const lost = each.marked.filter((number) => !named.has(number));
      if (lost.length > 0) {
        throw invalidRequest(
          `The wallet of gig ${each.gigId} has paid the numbers ${lost.join(', ')} on ${on.payer.chain.name}, and no event since then tells to whom: name an earlier --since, or an endpoint that keeps all events.`,
        );
      }
      paid.set(each, own);
    }
  }
  return paid;
}
