import { createServer } from 'node:http';
import { encodeFunctionData, parseAbi } from 'viem';
import { afterEach, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { createChains } from '../../../src/chain/registry.ts';
import { NATIVE_TOKEN_ADDRESS, type Token } from '../../../src/domain/gigs/token.ts';
import { USD } from '../../../src/domain/prices/price.ts';
import { createCoinGecko } from '../../../src/prices/coingecko.ts';
import { createPriceBook, type PriceSource } from '../../../src/services/prices/price-book.ts';
import { createCoinGeckoSource, createFeedSource } from '../../../src/services/prices/sources.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { contractIn } from '../../support/compiled.ts';
import { openTestStore } from '../../support/database.ts';
import { listen } from '../../support/listen.ts';
import { ANVIL } from '../../support/payer.ts';
import { seedAddress, seedToken } from '../../support/store.ts';
import { lower, openStage, type Stage } from '../../support/tip-payer.ts';
import { keepLog } from '../fakes.ts';

const ABI = parseAbi([
  'function set(int256 answer, uint256 updatedAt)',
  'function setDecimals(uint8 decimals)',
  'function breakIt(bool value)',
]);
const NOW = Date.UTC(2026, 10, 28);
const SECONDS = NOW / 1_000;
const HOUR = 3_600_000;

let store: Store;
let close: () => Promise<void>;
let now = NOW;
const clock = () => now;
beforeEach(async () => {
  now = NOW;
  ({ store, close } = await openTestStore());
});
afterEach(() => close());

function bookOf(source: PriceSource) {
  const { log, lines } = keepLog();
  return { ...createPriceBook(source, { clock, log }), lines };
}

const chainsAt = (rpcUrl: string) =>
  createChains({ endpoints: [{ chain: ANVIL, rpcUrls: [rpcUrl] }], clock: Date.now, retries: 0 });

describe('Chainlink’s feeds on a chain', () => {
  let stage: Stage;
  let token: Token;
  let feed: `0x${string}`;
  beforeEach(async () => {
    stage = await openStage(inject('anvilUrl'));
    const { creation } = await contractIn('oracles.sol', 'PriceFeed');
    const { receipt } = await stage.send({ to: null, data: creation });
    feed = lower(receipt.contractAddress ?? '');
    token = await seedToken(store, { chainId: ANVIL.id });
  });

  type Change = { functionName: 'set'; args: [bigint, bigint] } | { functionName: 'setDecimals'; args: [number] };
  async function change(call: Change | { functionName: 'breakIt'; args: [boolean] }): Promise<void> {
    await stage.send({ to: feed, data: encodeFunctionData({ abi: ABI, ...call }) });
  }
  const told = (answer: bigint, at = SECONDS) => change({ functionName: 'set', args: [answer, BigInt(at)] });

  function openBook(heartbeatSeconds = 3_600, at = feed) {
    const feeds = [{ chainId: ANVIL.id, token: token.address, feed: at, heartbeatSeconds }];
    return bookOf(createFeedSource(chainsAt(inject('anvilUrl')), feeds));
  }

  test('behavior: tell a price until their heartbeat is over', async () => {
    await told(1_240_000_000n);
    const book = openBook();
    expect(book.priceOf(token)).toBeNull();
    await book.refresh();
    expect(book.priceOf(token)).toMatchObject({ usd: (124n * USD) / 10n, at: NOW });
    expect(book.priceOf({ ...token, address: seedAddress(9) })).toBeNull();
    expect(book.priceOf({ ...token, chainId: 8453 })).toBeNull();
    now = NOW + HOUR + 60_000;
    expect(book.priceOf(token)).not.toBeNull();
    now += 1;
    expect(book.priceOf(token)).toBeNull();
  });

  test('behavior: may have other decimals', async () => {
    await change({ functionName: 'setDecimals', args: [18] });
    await told(2n * USD);
    const book = openBook();
    await book.refresh();
    expect(book.priceOf(token)?.usd).toBe(2n * USD);
  });

  test.each<[what: string, answer: bigint, at: number]>([
    ['stale', 100_000_000n, SECONDS - 3_661],
    ['zero', 0n, SECONDS],
    ['negative', -100_000_000n, SECONDS],
    ['absurd', 10n ** 17n + 1n, SECONDS],
    ['of the future', 100_000_000n, SECONDS + 301],
  ])('error: an answer that is %s is not shown', async (_what, answer, at) => {
    await told(answer, at);
    const book = openBook();
    await book.refresh();
    expect(book.priceOf(token)).toBeNull();
  });

  test('error: a feed that reverts tells nothing new, and none is at an address without code', async () => {
    await told(100_000_000n);
    const book = openBook();
    await book.refresh();
    await change({ functionName: 'breakIt', args: [true] });
    await book.refresh();
    expect(book.priceOf(token)?.usd).toBe(USD);
    const none = openBook(3_600, seedAddress(0xdead));
    await none.refresh();
    expect(none.priceOf(token)).toBeNull();
  });

  test('error: a chain that does not answer is logged once, and what it told before holds', async () => {
    await told(100_000_000n);
    const feeds = [{ chainId: ANVIL.id, token: token.address, feed, heartbeatSeconds: 3_600 }];
    const reads = [chainsAt(inject('anvilUrl')), chainsAt('http://127.0.0.1:9'), chainsAt('http://127.0.0.1:9')];
    const sources = reads.map((chains) => createFeedSource(chains, feeds));
    const first = sources[0] ?? expect.fail();
    const book = bookOf({ ...first, read: () => (sources.shift() ?? first).read() });
    for (let each = 0; each < 3; each += 1) await book.refresh();
    expect(book.priceOf(token)?.usd).toBe(USD);
    expect(book.lines.map(({ msg }) => msg)).toEqual(['the source of prices does not answer']);
  });
});

describe('CoinGecko', () => {
  /** What the stand-in answers, and what it was asked. */
  async function openCoinGecko(answer: () => { status?: number; body: unknown }) {
    const asked: URL[] = [];
    const server = createServer((request, response) => {
      asked.push(new URL(request.url ?? '', 'http://x'));
      const { status = 200, body } = answer();
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    const { url, close: stop } = await listen(server);
    onTestFinished(stop);
    return { url: `${url}/api/v3`, asked };
  }

  const BASE = { ...ANVIL, id: 8453, key: 'base' };
  const chains = createChains({
    endpoints: [{ chain: BASE, rpcUrls: ['http://127.0.0.1:9'] }],
    clock: Date.now,
    retries: 0,
  });

  async function seedPriced() {
    const degen = await seedToken(store, { address: seedAddress(1), coingeckoId: 'degen-base' });
    const same = await seedToken(store, { address: seedAddress(2), chainId: 10, coingeckoId: 'degen-base' });
    const usdc = await seedToken(store, { address: seedAddress(3), coingeckoId: 'usd-coin' });
    const other = await seedToken(store, { address: seedAddress(4) });
    const native = await seedToken(store, { address: NATIVE_TOKEN_ADDRESS, isNative: true });
    return { degen, same, usdc, other, native };
  }

  test('behavior: one request asks for all ids, and the prices hold an hour', async () => {
    const { degen, same, usdc, other, native } = await seedPriced();
    const body = {
      'degen-base': { usd: 1.2e-7, last_updated_at: SECONDS },
      'usd-coin': { usd: 0.9998, last_updated_at: SECONDS - 3_600 },
      ethereum: { usd: 3_000, last_updated_at: SECONDS },
    };
    const { url, asked } = await openCoinGecko(() => ({ body }));
    const book = bookOf(createCoinGeckoSource({ store }, chains, createCoinGecko(url)));
    expect(book.everyMs).toBe(600_000);
    await book.refresh();
    expect(asked.map(({ pathname, searchParams }) => [pathname, Object.fromEntries(searchParams)])).toEqual([
      [
        '/api/v3/simple/price',
        { ids: 'ethereum,degen-base,usd-coin', vs_currencies: 'usd', include_last_updated_at: 'true' },
      ],
    ]);
    expect([degen, same, usdc, native, other].map((token) => book.priceOf(token)?.usd)).toEqual([
      120_000_000_000n,
      120_000_000_000n,
      999_800_000_000_000_000n,
      3_000n * USD,
      undefined,
    ]);
    now += 1;
    expect(book.priceOf(usdc)).toBeNull();
    // The ETH of a test chain is worth nothing.
    expect(book.priceOf({ ...native, chainId: 84532 })).toBeNull();
  });

  test.each<[what: string, answer: { status?: number; body: unknown }]>([
    ['no JSON', { body: 'x' }],
    ['a list', { body: [1] }],
    ['too many requests', { status: 429, body: {} }],
    ['a redirect', { status: 302, body: {} }],
    ['no price', { body: { 'degen-base': {}, 'usd-coin': { usd: null, last_updated_at: SECONDS } } }],
    ['a text', { body: { 'degen-base': { usd: '5', last_updated_at: SECONDS } } }],
    ['less than nothing', { body: { 'degen-base': { usd: -5, last_updated_at: SECONDS } } }],
    ['an absurd price', { body: { 'degen-base': { usd: 1e300, last_updated_at: SECONDS } } }],
  ])('error: %s shows nothing', async (_what, answer) => {
    const { degen, usdc } = await seedPriced();
    const { url } = await openCoinGecko(() => answer);
    const book = bookOf(createCoinGeckoSource({ store }, chains, createCoinGecko(url)));
    await book.refresh();
    expect([book.priceOf(degen), book.priceOf(usdc)]).toEqual([null, null]);
  });
});
