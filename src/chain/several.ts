import { keccak256 } from 'viem';
import type { ChainReader } from '../domain/chains/chain.ts';
import type { NameResolver } from '../domain/names/names.ts';
import type { EventSearch, MarkQuery, PaidEvent, PayerChain } from '../domain/payments/payer-chain.ts';
import type { DepositChain } from '../domain/x402/deposit-chain.ts';
import type { EndpointPool } from './endpoint-pool.ts';
import type { SignatureCheck } from './evm/signed-message.ts';
import type { PayerContracts } from './payer/deploy/deployment.ts';

/** Of one chain, what there is behind each of its endpoints, in their order. What is learned of an endpoint stays with it. */
type Sites<Site> = readonly [Site, ...Site[]];

/** Reads one chain through several endpoints. */
export function readThrough(pool: EndpointPool, sites: Sites<ChainReader>): ChainReader {
  const ask = <T>(question: (site: ChainReader) => Promise<T>) => pool.ask(sites, question);
  return {
    chain: sites[0].chain,
    decide: pool.decide,
    balance: (query) => ask((site) => site.balance(query)),
    balanceIn: (query) => ask((site) => site.balanceIn(query)),
    balances: (queries) => ask((site) => site.balances(queries)),
    holdings: (query) => ask((site) => site.holdings(query)),
    isCanonical: (block) => ask((site) => site.isCanonical(block)),
    settledBlock: () => ask((site) => site.settledBlock()),
    newestBlock: () => ask((site) => site.newestBlock()),
    firstBlockSince: (time) => ask((site) => site.firstBlockSince(time)),
    useOf: (query) => ask((site) => site.useOf(query)),
    standingOf: (hash) =>
      pool.askFully(sites, (site) => site.standingOf(hash), {
        // After a revert its owner pays again.
        lacks: ({ state }) => state === 'unknown' || state === 'reverted',
        isFuller: (theirs, { state }) =>
          theirs.state === 'confirmed' || (state === 'unknown' && theirs.state !== state),
      }),
    tokenMetadata: (address) => ask((site) => site.tokenMetadata(address)),
    feeds: (feeds) => ask((site) => site.feeds(feeds)),
    ping: () => ask((site) => site.ping()),
    lastSuccess: () => {
      const times = [pool.lastSuccess(), ...sites.map((site) => site.lastSuccess())].filter((time) => time !== null);
      return times.length === 0 ? null : Math.max(...times);
    },
    endpoints: pool.standings,
  };
}

function lacksMarked({ marked = [] }: EventSearch, events: readonly PaidEvent[]): boolean {
  const told = Map.groupBy(events, ({ wallet }) => wallet);
  return marked.some(({ wallet, numbers }) => {
    const found = new Set(told.get(wallet)?.flatMap((event) => event.numbers));
    return numbers.some((number) => !found.has(number));
  });
}

function unmarkedBits(queries: readonly MarkQuery[], words: readonly bigint[]): bigint[] {
  return queries.map(({ due = 0n }, place) => due & ~(words[place] ?? 0n));
}

/** Pays on one chain through several endpoints. */
export function payThrough(pool: EndpointPool, sites: Sites<PayerChain>): PayerChain {
  const ask = <T>(question: (site: PayerChain) => Promise<T>) => pool.ask(sites, question);
  return {
    chain: sites[0].chain,
    decide: pool.decide,
    witnesses: sites.map((payer, place) => ({ name: pool.nameOf(place), payer })),
    compare: pool.compare,
    isReady: () => ask((site) => site.isReady()),
    head: () => ask((site) => site.head()),
    isCanonical: (block) => pool.askFully(sites, (site) => site.isCanonical(block), { lacks: (is) => !is, anew: true }),
    block: (number) => ask((site) => site.block(number)),
    marks: (queries, blockNumber) =>
      pool.askFully(sites, (site) => site.marks(queries, blockNumber), {
        lacks: (words) => unmarkedBits(queries, words).some((bits) => bits !== 0n),
        isFuller(theirs, words) {
          const unmarked = unmarkedBits(queries, words);
          return unmarked.some((bits, place) => (bits & (theirs[place] ?? 0n)) !== 0n);
        },
        anew: true,
      }),
    balances: (queries, blockNumber) => ask((site) => site.balances(queries, blockNumber)),
    sanctioned: (asked, blockNumber) => ask((site) => site.sanctioned(asked, blockNumber)),
    delegated: (owners, blockNumber) => ask((site) => site.delegated(owners, blockNumber)),
    paidEvents: (query) =>
      pool.askFully(sites, (site) => site.paidEvents(query), { lacks: (events) => lacksMarked(query, events) }),
    simulate: (call) => ask((site) => site.simulate(call)),
    fees: () => ask((site) => site.fees()),
    publishingCost: (signed) => ask((site) => site.publishingCost(signed)),
    transferCost: () => ask((site) => site.transferCost()),
    tank: () => ask((site) => site.tank()),
    sign: (batch) => ask((site) => site.sign(batch)),
    broadcast(raw, { again } = { again: false }) {
      const hash = keccak256(raw);
      const isKnown = (site: PayerChain) => site.isKnown(hash);
      return pool.offer(sites, { hash, again, isKnown, broadcast: (site) => site.broadcast(raw) });
    },
    isKnown: (hash) => ask((site) => site.isKnown(hash)),
    inclusion: (hashes) =>
      pool.askFully(sites, (site) => site.inclusion(hashes), { lacks: (inclusion) => inclusion === null }),
  };
}

/** The payer contracts of a chain behind several endpoints. All of a deployment goes through one of them. */
export function deployThrough(pool: EndpointPool, sites: Sites<PayerContracts>): PayerContracts {
  return {
    chain: sites[0].chain,
    state: () => pool.ask(sites, (site) => site.state()),
    eventSpan: () => pool.ask(sites, (site) => site.eventSpan()),
    deploy: (account) => pool.ask(sites, (site) => site.deploy(account)),
  };
}

/** Checks signatures on a chain behind several endpoints. */
export function checkThrough(pool: EndpointPool, sites: Sites<SignatureCheck>): SignatureCheck {
  return { confirms: (signed) => pool.ask(sites, (site) => site.confirms(signed)) };
}

/** Makes deposits on a chain behind several endpoints. */
export function depositThrough(pool: EndpointPool, sites: Sites<DepositChain>): DepositChain {
  const ask = <T>(question: (site: DepositChain) => Promise<T>) => pool.ask(sites, question);
  return {
    decide: pool.decide,
    signingDomain: (token) => ask((site) => site.signingDomain(token)),
    isSpent: (query) => pool.askFully(sites, (site) => site.isSpent(query), { lacks: (is) => !is }),
    findUse: (query) => pool.askFully(sites, (site) => site.findUse(query), { lacks: (use) => use === null }),
    isCancelled: (query) => pool.askFully(sites, (site) => site.isCancelled(query), { lacks: (found) => !found }),
    signerOf: (transfer, domain) => ask((site) => site.signerOf(transfer, domain)),
    simulate: (transfer) => ask((site) => site.simulate(transfer)),
    sign: (transfer, terms) => ask((site) => site.sign(transfer, terms)),
  };
}

/** Resolves names on a chain behind several endpoints. */
export function resolveThrough(pool: EndpointPool, sites: Sites<NameResolver>): NameResolver {
  return { resolve: (name) => pool.ask(sites, (site) => site.resolve(name)) };
}
