import { AdapterError, invalidRequest } from '../../domain/errors.ts';
import type { Address } from '../../domain/gigs/token.ts';
import type { MarkQuery, PaidEvent, PayerChain } from '../../domain/payments/payer-chain.ts';
import { bitsToNumbers, wordOf } from '../../domain/payments/payment-numbers.ts';
import type { FoundWallet, SearchedChain } from './find-wallets.ts';

const NAMED = 5;

/** What wallets have paid, as far as the events of their chains tell. */
export interface PaidByWallets {
  /** Oldest first; those of wallets that have paid nothing are missing. */
  readonly events: ReadonlyMap<FoundWallet, readonly PaidEvent[]>;
  /** Chains that do not tell whether wallets have paid before the events that were asked for. */
  readonly unproved: readonly SearchedChain[];
}

function named(numbers: readonly bigint[]): string {
  const more = numbers.length - NAMED;
  return `${numbers.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A gig's numbers follow each other, so only the words next to those of the paid numbers are read. */
async function findMarked({ payer, settled }: SearchedChain, events: readonly PaidEvent[]) {
  const queries = new Map<string, MarkQuery>();
  for (const { wallet, numbers } of events) {
    for (const middle of new Set(numbers.map(wordOf))) {
      for (const word of [middle - 1n, middle, middle + 1n]) {
        if (word >= 0n) queries.set(`${wallet} ${word}`, { wallet, word });
      }
    }
  }
  const asked = [...queries.values()];
  const words = await payer.marks(asked, settled.number);
  const marked = new Map<Address, bigint[]>();
  for (const [index, { wallet, word }] of asked.entries()) {
    const numbers = bitsToNumbers({ word, bits: words[index] ?? 0n });
    marked.set(wallet, [...(marked.get(wallet) ?? []), ...numbers]);
  }
  return marked;
}

function refuseLost({ gigId, on, marked }: FoundWallet, events: readonly PaidEvent[], more: readonly bigint[]): void {
  const told = new Set(events.flatMap(({ numbers }) => numbers));
  const lost = [...new Set([...marked, ...more])].filter((number) => !told.has(number));
  if (lost.length === 0) return;
  throw invalidRequest(
    `The wallet of gig ${gigId} has paid the numbers ${named(lost)} on ${on.payer.chain.name}, and no event since then tells to whom: name an earlier --since, or an endpoint that keeps all events.`,
  );
}

/** False when the endpoint does not keep the state before `from`. */
async function refuseEarlier({ payer }: SearchedChain, used: readonly FoundWallet[], from: bigint): Promise<boolean> {
  if (from === 0n) return true;
  let delegated: boolean[];
  try {
    delegated = await payer.delegated(
      used.map(({ wallet }) => wallet),
      from - 1n,
    );
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return false;
  }
  const earlier = used.filter((_, index) => delegated[index]).map(({ gigId }) => gigId);
  if (earlier.length === 0) return true;
  throw invalidRequest(
    `The wallet of gig ${earlier[0]} may have paid before block ${from} of ${payer.chain.name}, from which on events are asked for: name an earlier --since.`,
  );
}

/** Blocks that the endpoint does not have count as earlier. */
async function firstBlockSince(payer: PayerChain, { since, until }: { since: number; until: bigint }): Promise<bigint> {
  let [low, high] = [0n, until];
  while (low < high) {
    const middle = (low + high) / 2n;
    const block = await payer.block(middle);
    if (block === null || block.at < since) low = middle + 1n;
    else high = middle;
  }
  return low;
}

/**
 * What these wallets have paid since then, by their events.
 * @throws DomainError `invalid_request` when a number is marked and no event tells what it paid, or a wallet may have paid
 * before
 * @throws AdapterError when a chain does not answer, or would have to be asked thousands of times
 */
export async function findPaidSince(found: readonly FoundWallet[], since: number | null): Promise<PaidByWallets> {
  const paid = new Map<FoundWallet, readonly PaidEvent[]>();
  const unproved: SearchedChain[] = [];
  const payers = found.filter(({ isDelegated }) => isDelegated);
  for (const [on, used] of Map.groupBy(payers, (each) => each.on)) {
    const { payer, settled } = on;
    const from = since === null ? 0n : await firstBlockSince(payer, { since, until: settled.number });
    const wallets = used.map(({ wallet }) => wallet);
    const events = await payer.paidEvents({ wallets, from, to: settled.number });
    const marked = await findMarked(on, events);
    for (const each of used) {
      const own = events.filter(({ wallet }) => wallet === each.wallet);
      refuseLost(each, own, marked.get(each.wallet) ?? []);
      if (own.length > 0) paid.set(each, own);
    }
    if (!(await refuseEarlier(on, used, from))) unproved.push(on);
  }
  return { events: paid, unproved };
}
