import { beforeAll, describe, expect, inject, test } from 'vitest';
import { freshAddress, mined } from '../../../support/anvil.ts';
import type { Answer } from '../../../support/json-rpc.ts';
import { openPayments } from '../../../support/payer-chain.ts';
import { deployHostileToken, type HostileToken } from '../../../support/payer-contracts.ts';
import { answersTo, changes, type Interception, openProxy } from '../../../support/proxies.ts';
import { openStage } from '../../../support/tip-payer.ts';

let token: HostileToken;
beforeAll(async () => {
  token = await deployHostileToken(await openStage(inject('anvilUrl')));
});

/** The signed bytes of a payment whose way to the shared node leads through a proxy. */
async function through(intercept: Interception) {
  const proxy = await openProxy(inject('anvilUrl'), intercept);
  const payments = await openPayments();
  const to = freshAddress();
  const call = payments.call(1, { token: token.address, to, amount: 7n, numbers: [0n] });
  await token.mint(call.wallet, 100n);
  const fees = await payments.payer.fees();
  const calls = [{ ...call, ...(await payments.payer.simulate(call)) }];
  const { raw, hash } = await payments.payer.sign({ calls, nonce: 0, fees });
  const payer = payments.behind(proxy.url);
  const look = () => payer.inclusion([hash]);
  async function land() {
    await payer.broadcast(raw);
    // Seen from the node itself, not through the proxy.
    await mined(hash);
  }
  return { payer, raw, hash, look, land, held: () => token.balance(to) };
}

function onBroadcast(intercept: Interception): Interception {
  return (call) => (call.method === 'eth_sendRawTransaction' && call.times === 0 ? intercept(call) : undefined);
}

describe('an endpoint that lies about a broadcast', () => {
  test.each([
    { text: 'drops the answer', answer: (response) => response.destroy(), reason: 'unreachable' },
    {
      text: 'says that the nonce is too low',
      answer: { error: { code: -32000, message: 'nonce too low' } },
      reason: 'rejected',
    },
    { text: 'answers another hash', answer: { result: `0x${'ab'.repeat(32)}` }, reason: 'bad_response' },
  ] satisfies { text: string; answer: Answer; reason: string }[])(
    'error: and $text after it delivered leaves it open, and the chain tells that it landed',
    async ({ answer, reason }) => {
      const delivered = onBroadcast(async ({ forward }) => {
        await forward();
        return answer;
      });
      const { payer, raw, hash, look, held } = await through(delivered);
      await expect(payer.broadcast(raw)).rejects.toMatchObject({ name: 'AdapterError', retry: 'unknown', reason });
      await mined(hash);
      expect(await look()).toMatchObject({ hash, paid: [{ amount: 7n }] });
      // Whatever the node says of the same bytes, they have their effect once.
      await expect(payer.broadcast(raw)).rejects.toMatchObject({ retry: 'unknown', reason: 'rejected' });
      expect(await held()).toBe(7n);
    },
  );

  test.each([
    { text: 'loses the transaction', said: () => null },
    { text: 'says it took the bytes and did not', said: (hash: string) => hash },
  ])('error: and $text is found out, and the same bytes land when offered again', async ({ said }) => {
    let hash = '';
    const { payer, raw, look, land, ...signed } = await through(onBroadcast(async () => ({ result: said(hash) })));
    ({ hash } = signed);
    await payer.broadcast(raw).catch((error: unknown) => expect(error).toMatchObject({ retry: 'unknown' }));
    expect(await look()).toBeNull();
    await land();
    expect(await look()).toMatchObject({ hash, paid: [{ amount: 7n }] });
  });
});

describe('an endpoint whose nodes do not agree', () => {
  const RECEIPT = 'eth_getTransactionReceipt';

  test.each<[text: string, method: string, change: object]>([
    ['a receipt from another block', RECEIPT, { blockHash: `0x${'ab'.repeat(32)}` }],
    ['a receipt of another transaction', RECEIPT, { transactionHash: `0x${'ab'.repeat(32)}` }],
    ['a receipt of another sender', RECEIPT, { from: `0x${'ab'.repeat(20)}` }],
    ['a receipt without a price', RECEIPT, { effectiveGasPrice: null }],
    ['a receipt without a status', RECEIPT, { status: null }],
    ['a receipt without logs', RECEIPT, { logs: null }],
    ['another block', 'eth_getBlockByNumber', { hash: `0x${'ab'.repeat(32)}` }],
  ])('security: %s is neither an inclusion nor its absence', async (_text, method, change) => {
    const { look, land } = await through(changes(method, (answer) => ({ ...answer, ...change })));
    await land();
    await expect(look()).rejects.toMatchObject({ name: 'AdapterError', retry: 'safe', reason: 'bad_response' });
  });

  test('security: a block that is not there yet is neither an inclusion nor its absence', async () => {
    const { look, land } = await through(answersTo('eth_getBlockByNumber', { result: null }));
    await land();
    await expect(look()).rejects.toMatchObject({ name: 'AdapterError', retry: 'safe', reason: 'bad_response' });
  });
});
