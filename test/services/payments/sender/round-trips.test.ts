import { beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { createPayerChains } from '../../../../src/chain/registry.ts';
import { deployToken, freshAddress, fundToken, mined, type TestToken, tokenBalance } from '../../../support/anvil.ts';
import { ANVIL } from '../../../support/payer.ts';
import { openPayments } from '../../../support/payer-chain.ts';
import { type Interception, openProxy } from '../../../support/proxies.ts';
import { account, openBank } from './bank.ts';

let token: TestToken;
beforeAll(async () => {
  token = await deployToken({ decimals: 6 });
});

/** Each request, as the methods that it asks and how often. */
function shown(requests: readonly (readonly string[])[]): string[] {
  return requests.map((methods) => {
    const counts = [...Map.groupBy(methods, (method) => method.replace('eth_', ''))];
    return counts.map(([method, { length }]) => (length === 1 ? method : `${method} × ${length}`)).join(', ');
  });
}

/** A bank that pays tips of so many gigs over a proxy that counts. */
async function openCounted(gigCount: number, intercept?: Interception) {
  const { wallets } = await openPayments();
  const proxy = await openProxy(inject('anvilUrl'), intercept);
  let ahead = 0;
  const clock = () => Date.now() + ahead;
  const endpoints = [{ chain: ANVIL, rpcUrls: [proxy.url] }] as const;
  const payer = createPayerChains({ endpoints, clock, wallets, retries: 0 }).payer(ANVIL.id);
  const bank = await openBank({ clock, payer, walletAddress: wallets.gigAddress });
  onTestFinished(() => bank.close());
  const gigs = await bank.gigs(gigCount, { token: token.address });
  for (const gig of gigs) await fundToken(token, gig.walletAddress, 1_000n);
  let people = 0;

  /** So many people have a tip of each gig, and claim them. Answers what each step asks until nothing is left to do. */
  async function pay(tips: number): Promise<string[][]> {
    const recipient = freshAddress();
    for (const last = people + tips; people < last; ) {
      people += 1;
      for (const gig of gigs) await bank.award(gig, account(people), 1n);
      await bank.claim(account(people), recipient);
    }
    const steps: string[][] = [];
    for (let isDone = false; !isDone; ) {
      // No answer of the step before is kept.
      ahead += 10_000;
      const before = proxy.requests.length;
      isDone = (await bank.pulse()) === 'done';
      steps.push(shown(proxy.requests.slice(before)));
      for (const { attempts } of await bank.store.openTankTransactions(ANVIL.id)) await mined(attempts[0].hash);
    }
    expect(await tokenBalance(token, recipient)).toBe(BigInt(gigs.length * tips));
    return steps;
  }
  return { pay, proxy };
}

const TANK = ['blockNumber', 'getBalance, getTransactionCount × 2'];
const HEAD = 'getBlockByNumber';
const ANCHOR = 'getBlockByNumber';
const FEES = ['getBlockByNumber, estimateGas', 'maxPriorityFeePerGas'];
const OFFER = 'sendRawTransaction';
const INCLUSION = ['getTransactionReceipt', 'getBlockByNumber'];

function times(method: string, count: number): string {
  return count === 1 ? method : `${method} × ${count}`;
}

test.each([
  { gigs: 1, tips: 30, tried: [1] },
  { gigs: 40, tips: 2, tried: [32, 8] },
])('behavior: $tips tips of each of $gigs gigs take as many requests as wallets are tried together', async (round) => {
  const { gigs, tips, tried } = round;
  const { pay } = await openCounted(gigs);
  const around = gigs === 1 ? [] : ['estimateGas'];
  const first = (count: number) => [times('getCode', count), times('getTransactionCount', count)];
  const trial = (count: number) => [times('estimateGas', count), times('call', count)];
  const settled = [...INCLUSION, times('getStorageAt', gigs)];
  expect(await pay(tips)).toEqual([
    [
      ...['getCode × 2', ...TANK, HEAD, ...FEES],
      ...tried.flatMap((count) => [...first(count), ...trial(count)]),
      ...['chainId', ...first(gigs), ...around, OFFER],
    ],
    [...TANK, HEAD, ...settled],
    [...TANK, HEAD, ANCHOR],
  ]);
  // The wallets delegate now, and the ledger counts on a block.
  expect(await pay(tips)).toEqual([
    [
      ...[...TANK, HEAD, ANCHOR, ...FEES],
      ...tried.flatMap((count) => [times('getCode', count), ...trial(count)]),
      ...['chainId', times('getCode', gigs), ...around, OFFER],
    ],
    [...TANK, HEAD, ANCHOR, ...settled],
    [...TANK, HEAD, ANCHOR],
  ]);
});

test('behavior: an endpoint that takes no batches refuses one, and is asked the same questions one by one', async () => {
  const error = { code: -32600, message: 'batches are not supported' };
  const refusing = await openCounted(3, ({ together }) =>
    together === 1 ? undefined : (response) => response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error })),
  );
  const asked = async ({ pay, proxy }: typeof refusing) => {
    await pay(1);
    await pay(1);
    return Map.groupBy(proxy.requests.flat(), (method) => method);
  };
  const alone = await asked(refusing);
  const { requests } = refusing.proxy;
  expect(requests.filter(({ length }) => length > 1)).toEqual([['eth_getCode', 'eth_getCode']]);
  const together = await asked(await openCounted(3));
  const counts = (by: typeof alone) => Object.fromEntries([...by].map(([method, { length }]) => [method, length]));
  // The first pair is asked twice.
  expect(counts(alone)).toEqual({ ...counts(together), eth_getCode: (together.get('eth_getCode')?.length ?? 0) + 2 });
});
