import { CHAINS, type ChainReader, type Chains } from '../../domain/chains/chain.ts';
import { NATIVE_TOKEN_ADDRESS, type Token } from '../../domain/gigs/token.ts';
import type { PriceFeed } from '../../domain/prices/feeds.ts';
import { type Quote, USD } from '../../domain/prices/price.ts';
import { HOUR_MS, MINUTE_MS } from '../../domain/time.ts';
import type { ReadContext } from '../context.ts';
import type { PriceSource } from './price-book.ts';

/** Until a round is in a block, and a clock that differs. */
const SLACK_MS = MINUTE_MS;
const MOST_DECIMALS = 36;

async function readChain(
  reader: ChainReader,
  feeds: readonly PriceFeed[],
): Promise<(readonly [key: string, quote: Quote])[]> {
  const own = feeds.filter(({ chainId }) => chainId === reader.chain.id);
  if (own.length === 0) return [];
  const rounds = await reader.feeds(own.map(({ feed }) => feed));
  return own.flatMap(({ chainId, token, heartbeatSeconds }, place) => {
    const round = rounds[place] ?? null;
    if (round === null || round.decimals > MOST_DECIMALS) return [];
    const usd = (round.answer * USD) / 10n ** BigInt(round.decimals);
    const holdsMs = heartbeatSeconds * 1_000 + SLACK_MS;
    return [[`${chainId}:${token}`, { usd, at: round.updatedAt, holdsMs }] as const];
  });
}

/** Chainlink's feeds on the enabled chains. A chain that does not answer keeps the others from nothing. */
export function createFeedSource(chains: Chains, feeds: readonly PriceFeed[]): PriceSource {
  return {
    everyMs: MINUTE_MS,
    keyOf: ({ chainId, address }) => `${chainId}:${address}`,
    async read() {
      const read = await Promise.allSettled(chains.list().map((reader) => readChain(reader, feeds)));
      const [failed] = read.filter(({ status }) => status === 'rejected');
      const found = read.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
      if (found.length === 0 && failed?.status === 'rejected') throw failed.reason;
      return new Map(found);
    },
  };
}

/** What CoinGecko calls the native assets of chains whose money is worth something. */
const NATIVE_IDS: Readonly<Record<string, string>> = {
  base: 'ethereum',
  optimism: 'ethereum',
  arbitrum: 'ethereum',
  ethereum: 'ethereum',
  polygon: 'polygon-ecosystem-token',
};

function coingeckoIdOf({ coingeckoId, chainId, address }: Token): string | null {
  if (coingeckoId !== null || address !== NATIVE_TOKEN_ADDRESS) return coingeckoId;
  const key = CHAINS.find(({ id }) => id === chainId)?.key ?? '';
  return NATIVE_IDS[key] ?? null;
}

/** Asks for many ids at once. @throws AdapterError */
export type AskPrices = (ids: readonly string[]) => Promise<ReadonlyMap<string, Omit<Quote, 'holdsMs'>>>;

/** CoinGecko's prices of the tokens whose ids are known, all in one request. */
export function createCoinGeckoSource({ store }: ReadContext, chains: Chains, ask: AskPrices): PriceSource {
  return {
    everyMs: 10 * MINUTE_MS,
    keyOf: coingeckoIdOf,
    async read() {
      const natives = chains.list().flatMap(({ chain }) => NATIVE_IDS[chain.key] ?? []);
      const ids = [...new Set([...natives, ...(await store.coingeckoIds())])];
      const told = ids.length === 0 ? new Map() : await ask(ids);
      return new Map([...told].map(([id, price]) => [id, { ...price, holdsMs: HOUR_MS }]));
    },
  };
}
