import { beforeAll, expect, test } from 'vitest';
import { PAYER_CONTRACTS } from '../../../../src/chain/payer/contract/contracts.ts';
import { listPayerContracts } from '../../../../src/chain/registry.ts';
import { NATIVE_TOKEN_ADDRESS } from '../../../../src/domain/gigs/token.ts';
import { freshAddress, startAnvil } from '../../../support/anvil.ts';
import type { Answer } from '../../../support/json-rpc.ts';
import { ANVIL } from '../../../support/payer.ts';
import { openProxy } from '../../../support/proxies.ts';
import { openTokenPayments, type TokenPayments } from '../../../support/token-payments.ts';

let payments: TokenPayments;
let url: string;
beforeAll(async () => {
  // A node of its own, because balances of single blocks are read.
  const anvil = await startAnvil();
  url = anvil.url;
  payments = await openTokenPayments({ url });
  return anvil.stop;
});

/** The node behind an endpoint that answers a question for events of these blocks as it likes. */
function openLogs(answer: (from: bigint, to: bigint) => Answer | undefined) {
  return openProxy(url, ({ method, params }) => {
    if (method !== 'eth_getLogs') return undefined;
    const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }];
    return answer(BigInt(fromBlock), BigInt(toBlock));
  });
}

test('behavior: marks are those of a past block, and of wallets that never paid', async () => {
  const { payer, pay, call, token } = payments;
  const first = await payments.payment({ numbers: [0n, 7n] });
  const { blockNumber: before } = await pay(first);
  const next = { token: token.address, to: freshAddress(), amount: 1n, numbers: [256n] };
  const { blockNumber: after } = await pay(call(first.gigId, next));
  const queries = [
    { wallet: first.wallet, word: 1n },
    { wallet: first.wallet, word: 0n },
    { wallet: freshAddress(), word: 0n },
  ];
  expect(await payer.marks(queries, before - 1n)).toEqual([0n, 0n, 0n]);
  expect(await payer.marks(queries, before)).toEqual([0n, 129n, 0n]);
  expect(await payer.marks(queries, after)).toEqual([1n, 129n, 0n]);
  expect(await payer.marks([], after)).toEqual([]);
});

test('behavior: many words of marks are read in the order of the questions', async () => {
  const { payer, pay, payment } = payments;
  const call = await payment({ numbers: [40n * 256n] });
  const { blockNumber } = await pay(call);
  const queries = Array.from({ length: 50 }, (_, word) => ({ wallet: call.wallet, word: BigInt(word) }));
  const words = await payer.marks(queries, blockNumber);
  expect(words.flatMap((bits, word) => (bits === 0n ? [] : [word]))).toEqual([40]);
});

test('behavior: marks and balances of a hundred wallets are worth one request each', async () => {
  const { stage, wallets, pay, token } = payments;
  const proxy = await openProxy(url);
  const call = await payments.payment({ numbers: [3n] });
  const { blockNumber } = await pay(call);
  await stage.test.setBalance({ address: call.wallet, value: 5n });
  await stage.test.mine({ blocks: 1 });
  const others = Array.from({ length: 99 }, (_, place) => wallets.gigAddress(1_000_000 + place));
  const owners = [...others, call.wallet];
  const payer = payments.behind(proxy.url);
  const { latest } = await payer.head();
  const asked = proxy.sizes.length;
  const marked = owners.map((wallet) => ({ wallet, word: 0n }));
  const words = await payer.marks(marked, blockNumber);
  expect([words.at(-1), new Set(words.slice(0, -1))]).toEqual([8n, new Set([0n])]);
  const holdings = owners.map((wallet) => ({ wallet, token: token.address }));
  const held = await payer.balances(holdings, latest.number);
  expect([held.at(-1), new Set(held.slice(0, -1))]).toEqual([90n, new Set([0n])]);
  expect(proxy.sizes.slice(asked)).toEqual([100, 100]);
  const queries = [NATIVE_TOKEN_ADDRESS, token.address].map((each) => ({ wallet: call.wallet, token: each }));
  expect(await payer.balances(queries, latest.number)).toEqual([5n, 90n]);
  expect(await payer.balances(queries, blockNumber - 1n)).toEqual([0n, 100n]);
});

test('behavior: wallets that have paid delegate, and no others, in past blocks as well', async () => {
  const { payer, pay, wallets, payment } = payments;
  const call = await payment();
  const { blockNumber } = await pay(call);
  const owners = [wallets.gigAddress(1_000_001), call.wallet, PAYER_CONTRACTS.tipPayer.address];
  expect(await payer.delegated(owners, blockNumber)).toEqual([false, true, false]);
  expect(await payer.delegated(owners, blockNumber - 1n)).toEqual([false, false, false]);
});

test('behavior: a token that cannot tell what a wallet holds is answered by null', async () => {
  const { payer, wallets } = payments;
  const { latest } = await payer.head();
  const wallet = wallets.gigAddress(1);
  const odd = [freshAddress(), PAYER_CONTRACTS.payBatch.address];
  const queries = odd.map((each) => ({ wallet, token: each }));
  expect(await payer.balances(queries, latest.number)).toEqual([null, null]);
});

test('error: a range that would take thousands of requests is an AdapterError at once', async () => {
  const refusal = { error: { code: -32600, message: 'block range too large' } };
  const proxy = await openLogs((from, to) => (to - from >= 100n ? refusal : { result: [] }));
  const payer = payments.behind(proxy.url);
  const wallets = [payments.wallets.gigAddress(1)];
  expect(await payer.paidEvents({ wallets, from: 0n, to: 1_000n })).toEqual([]);
  const asked = proxy.asked.length;
  await expect(payer.paidEvents({ wallets, from: 0n, to: 5_000_000n })).rejects.toMatchObject({
    name: 'AdapterError',
    retry: 'never',
    message: 'chain anvil: the endpoint lists events of 625 blocks at a time, too few to look through 5000001',
  });
  expect(proxy.asked.length - asked).toBeLessThan(10);
  const few = payer.paidEvents({ wallets, from: 0n, to: 1_000n, mostRequests: 10n });
  await expect(few).rejects.toMatchObject({ name: 'AdapterError', retry: 'never' });
});

test.each([
  {
    plan: 'ten blocks, by the range that works',
    blocks: 10n,
    say: (from: bigint) =>
      `Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x${from.toString(16)}, 0x${(from + 9n).toString(16)}].`,
  },
  { plan: 'five blocks', blocks: 5n, say: () => 'eth_getLogs is limited to a 5 range' },
  { plan: 'a thousand blocks', blocks: 1_000n, say: () => 'range 10001 exceeds limit of 1,000' },
  {
    plan: 'blocks and results',
    blocks: 500n,
    say: () => 'query exceeds max results 20000, retry with at most 500 blocks',
  },
])('behavior: of an endpoint that names $plan, so many are asked for at once', async ({ blocks, say }) => {
  const spans: bigint[] = [];
  const proxy = await openLogs((from, to) => {
    const span = to - from + 1n;
    if (span > blocks) return { error: { code: -32600, message: say(from) } };
    spans.push(span);
    return { result: [] };
  });
  const payer = payments.behind(proxy.url);
  const wallets = [payments.wallets.gigAddress(1)];
  expect(await payer.paidEvents({ wallets, from: 0n, to: 3n * blocks - 1n })).toEqual([]);
  expect(spans).toEqual([blocks, blocks, blocks]);
  const [contracts] = listPayerContracts({ endpoints: [{ chain: ANVIL, rpcUrls: [proxy.url] }], clock: Date.now });
  const newest = await payments.stage.public.getBlockNumber();
  expect(await contracts?.eventSpan()).toBe(newest < blocks ? 10_000n : blocks);
});

test('behavior: events are found in a range of millions of blocks', async () => {
  const call = await payments.payment({ numbers: [9n] });
  const { blockNumber } = await payments.pay(call);
  // The node refuses ranges that it does not have.
  const proxy = await openLogs((from) => (from > blockNumber ? { result: [] } : undefined));
  const payer = payments.behind(proxy.url);
  const found = await payer.paidEvents({ wallets: [call.wallet], from: 0n, to: 5_000_000n });
  expect(found.map(({ numbers }) => numbers)).toEqual([[9n]]);
});

test('behavior: events are those of the named wallets and blocks, oldest first', async () => {
  const { payer, pay, payment } = payments;
  const [one, two, other] = [await payment({ numbers: [2n, 1n] }), await payment(), await payment()];
  const first = await pay(one);
  const second = await pay(other, two);
  const wallets = [two.wallet, one.wallet];
  const found = await payer.paidEvents({ wallets, from: first.blockNumber, to: second.blockNumber });
  expect(found.map(({ wallet, hash, numbers }) => [wallet, hash, numbers])).toEqual([
    [one.wallet, first.hash, [1n, 2n]],
    [two.wallet, second.hash, [0n]],
  ]);
  expect(await payer.paidEvents({ wallets, from: second.blockNumber, to: second.blockNumber })).toHaveLength(1);
  expect(await payer.paidEvents({ wallets: [], from: 0n, to: second.blockNumber })).toEqual([]);
});
