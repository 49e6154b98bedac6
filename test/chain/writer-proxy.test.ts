import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { freshAddress, fundNative, mined } from '../support/anvil.ts';
import type { Answer } from '../support/json-rpc.ts';
import { createPayer, NATIVE, type PayerOptions } from '../support/payer.ts';
import { type PassingCall, serveRpcProxy } from '../support/rpc-proxy.ts';

type Interception = (call: PassingCall) => Promise<Answer | undefined> | undefined;

/** Signed bytes of a payer whose way to the shared node leads through a proxy. */
async function through(intercept: Interception, options: Omit<PayerOptions, 'url'> = {}) {
  const proxy = await serveRpcProxy(inject('anvilUrl'), intercept);
  onTestFinished(proxy.close);
  const payer = createPayer({ url: proxy.url, retries: 0, ...options });
  await fundNative(payer.gig, 10n ** 18n);
  const call = { from: payer.gig, token: NATIVE, to: freshAddress(), amount: 7n };
  const { raw, hash } = await payer.signed(call, { nonce: 0 });
  const { writer } = payer;
  const look = () => writer.inclusion({ hashes: [hash], call });
  async function land() {
    await writer.broadcast(raw);
    // Seen from the node itself, not through the proxy.
    await mined(hash);
  }
  return { payer, writer, raw, hash, call, look, land };
}

function onBroadcast(intercept: (call: PassingCall) => Promise<Answer | undefined>): Interception {
  return (call) => (call.method === 'eth_sendRawTransaction' && call.times === 0 ? intercept(call) : undefined);
}

describe('an endpoint that lies about a broadcast', () => {
  test.each([
    {
      text: 'drops the answer after it delivered',
      intercept: onBroadcast(async ({ forward }) => {
        await forward();
        return (response) => response.destroy();
      }),
      reason: 'unreachable',
    },
    {
      text: 'answers too late',
      intercept: onBroadcast(async ({ forward }) => {
        await forward();
        return () => undefined;
      }),
      reason: 'timeout',
    },
    {
      text: 'says that the nonce is too low after it delivered',
      intercept: onBroadcast(async ({ forward }) => {
        await forward();
        return { error: { code: -32000, message: 'nonce too low' } };
      }),
      reason: 'rejected',
    },
    {
      text: 'answers another hash after it delivered',
      intercept: onBroadcast(async ({ forward }) => {
        await forward();
        return { result: `0x${'ab'.repeat(32)}` };
      }),
      reason: 'bad_response',
    },
  ])('error: $text leaves it open, and the chain tells that it landed', async ({ intercept, reason }) => {
    const { writer, raw, hash, look, call, payer } = await through(intercept, { timeoutMs: 1_000 });
    await expect(writer.broadcast(raw)).rejects.toMatchObject({ name: 'AdapterError', retry: 'unknown', reason });
    await mined(hash);
    expect(await look()).toMatchObject({ moved: 7n });
    // Whatever the node says of the same bytes, they have their effect once.
    await expect(writer.broadcast(raw)).rejects.toMatchObject({ retry: 'unknown', reason: 'rejected' });
    expect(await writer.spentNonces(payer.gig)).toEqual({ latest: 1, final: 1 });
    expect(await writer.nativeBalance(call.to)).toBe(7n);
  });

  test('error: who loses the transaction is found out, and the same bytes land when offered again', async () => {
    const { writer, raw, look, land, payer } = await through(onBroadcast(async () => ({ result: null })));
    await expect(writer.broadcast(raw)).rejects.toMatchObject({ retry: 'unknown', reason: 'bad_response' });
    expect(await look()).toBeNull();
    expect(await writer.spentNonces(payer.gig)).toEqual({ latest: 0, final: 0 });
    await land();
    expect(await look()).toMatchObject({ moved: 7n });
  });

  test('error: who says it took the bytes and did not is found out, and they land when offered again', async () => {
    let said = '';
    const { writer, raw, hash, look, land } = await through(onBroadcast(async () => ({ result: said })));
    said = hash;
    await writer.broadcast(raw);
    expect(await look()).toBeNull();
    await land();
    expect(await look()).toMatchObject({ moved: 7n });
  });
});

describe('an endpoint whose nodes do not agree', () => {
  /** A proxy that changes a part of each good answer to one method. */
  function changing(method: string, change: object): Interception {
    return (call) => {
      if (call.method !== method) return undefined;
      return call.forward().then((answer) => {
        if (!('result' in answer) || answer.result === null) return answer;
        return { result: { ...Object(answer.result), ...change } };
      });
    };
  }

  test.each([
    {
      text: 'a receipt from another block',
      method: 'eth_getTransactionReceipt',
      change: { blockHash: `0x${'ab'.repeat(32)}` },
    },
    {
      text: 'a receipt of another transaction',
      method: 'eth_getTransactionReceipt',
      change: { transactionHash: `0x${'ab'.repeat(32)}` },
    },
    {
      text: 'a receipt of another sender',
      method: 'eth_getTransactionReceipt',
      change: { from: `0x${'ab'.repeat(20)}` },
    },
    { text: 'a receipt without a price', method: 'eth_getTransactionReceipt', change: { effectiveGasPrice: null } },
    { text: 'a receipt without a status', method: 'eth_getTransactionReceipt', change: { status: null } },
    { text: 'a receipt without logs', method: 'eth_getTransactionReceipt', change: { logs: null } },
    { text: 'another block', method: 'eth_getBlockByNumber', change: { hash: `0x${'ab'.repeat(32)}` } },
  ])('security: $text is neither a landing nor its absence', async ({ method, change }) => {
    const { look, land } = await through(changing(method, change));
    await land();
    await expect(look()).rejects.toMatchObject({ name: 'AdapterError', retry: 'safe', reason: 'bad_response' });
  });

  test('security: a block that is not there yet is neither a landing nor its absence', async () => {
    const missing: Interception = (call) => {
      const asked = call.method === 'eth_getBlockByNumber' && call.times > 0;
      return asked ? Promise.resolve({ result: null }) : undefined;
    };
    const { look, land } = await through(missing);
    await land();
    await expect(look()).rejects.toMatchObject({ name: 'AdapterError', retry: 'safe', reason: 'bad_response' });
  });

  test('behavior: the fee of an OP-stack chain for publishing counts as gas spent', async () => {
    const plain = await through(() => undefined);
    await plain.land();
    const rollup = createPayer({
      url: (await serve(changing('eth_getTransactionReceipt', { l1Fee: '0x64' }))).url,
      wallets: plain.payer.wallets,
    });
    const [without, including] = await Promise.all([
      plain.look(),
      rollup.writer.inclusion({ hashes: [plain.hash], call: plain.call }),
    ]);
    expect((including?.gasSpent ?? 0n) - (without?.gasSpent ?? 0n)).toBe(100n);
  });

  async function serve(intercept: Interception) {
    const proxy = await serveRpcProxy(inject('anvilUrl'), intercept);
    onTestFinished(proxy.close);
    return proxy;
  }
});
