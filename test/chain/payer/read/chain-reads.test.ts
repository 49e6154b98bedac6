import { encodeAbiParameters, numberToHex, padHex, parseEther, toEventSelector } from 'viem';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { PAYER_CONTRACTS } from '../../../../src/chain/payer/contract/contracts.ts';
import type { WalletCall } from '../../../../src/domain/payments/payer-chain.ts';
import { freshAddress, startAnvil } from '../../../support/anvil.ts';
import { type Answer, serveJsonRpc } from '../../../support/json-rpc.ts';
import { openPayments, type Payments } from '../../../support/payer-chain.ts';
import { deployHostileToken, type HostileToken } from '../../../support/payer-contracts.ts';
import { serveRpcProxy } from '../../../support/rpc-proxy.ts';

let payments: Payments;
let token: HostileToken;
let url: string;
beforeAll(async () => {
  // A node of its own, because blocks are counted and taken back.
  const anvil = await startAnvil();
  url = anvil.url;
  payments = await openPayments({ url });
  token = await deployHostileToken(payments.stage);
  return anvil.stop;
});

let lastGig = 0;
async function payment(numbers: bigint[] = [0n]): Promise<WalletCall> {
  lastGig += 1;
  const call = payments.call(lastGig, { token: token.address, to: freshAddress(), amount: 10n, numbers });
  await token.mint(call.wallet, 100n);
  return call;
}

async function mine(blocks: number): Promise<void> {
  await payments.stage.test.mine({ blocks });
}

/** The node behind an endpoint that answers one method as it likes. */
async function answering(method: string, answer: Answer) {
  const proxy = await serveRpcProxy(url, (call) => (call.method === method ? Promise.resolve(answer) : undefined));
  onTestFinished(proxy.close);
  return payments.behind(proxy.url);
}

describe('the head', () => {
  test('behavior: has the newest block, and the one with enough confirmations', async () => {
    await mine(5);
    const deep = payments.behind(url, { confirmations: 3 });
    const { latest, settled } = await deep.head();
    expect(latest.number - settled.number).toBe(2n);
    const [newest, below] = await Promise.all([
      payments.stage.public.getBlock({ blockNumber: latest.number }),
      payments.stage.public.getBlock({ blockNumber: settled.number }),
    ]);
    expect(latest).toEqual({ number: newest.number, hash: newest.hash, at: Number(newest.timestamp) * 1000 });
    expect(settled).toEqual({ number: below.number, hash: below.hash, at: Number(below.timestamp) * 1000 });
    const single = await payments.payer.head();
    expect(single.settled).toEqual(single.latest);
  });

  test('behavior: a block is found by its number, and null when the endpoint does not have it', async () => {
    await mine(2);
    const { payer } = payments;
    const { latest, settled } = await payments.behind(url, { confirmations: 2 }).head();
    expect(await payer.block(settled.number)).toEqual(settled);
    expect(await payer.block(latest.number + 1n)).toBeNull();
  });

  test('behavior: of a chain that is shorter than its confirmations is its first block', async () => {
    const { settled } = await payments.behind(url, { confirmations: 1_000_000 }).head();
    expect(settled.number).toBe(0n);
  });

  test('behavior: settles at the chain’s own tag where its facts name one', async () => {
    const finalized = payments.behind(url, { settledBy: 'finalized' });
    const { latest, settled } = await finalized.head();
    const block = await payments.stage.public.getBlock({ blockTag: 'finalized' });
    expect([settled.number, settled.hash]).toEqual([block.number, block.hash]);
    expect(settled.number).toBeLessThan(latest.number);
    const { settledNonces } = await finalized.tank();
    const nonces = { address: payments.tank, blockNumber: settled.number };
    expect(settledNonces).toBe(await payments.stage.public.getTransactionCount(nonces));
  });

  test('error: a settled block above the newest one comes from nodes that differ', async () => {
    const ahead = `0x${'ab'.repeat(32)}`;
    const proxy = await serveRpcProxy(url, (call) => {
      const tag = Array.isArray(call.params) ? call.params[0] : null;
      if (call.method !== 'eth_getBlockByNumber' || tag !== 'safe') return undefined;
      return Promise.resolve({ result: { number: '0xffffff', hash: ahead, timestamp: '0x1' } });
    });
    onTestFinished(proxy.close);
    const payer = payments.behind(proxy.url, { settledBy: 'safe' });
    await expect(payer.head()).rejects.toMatchObject({ name: 'AdapterError', retry: 'safe' });
  });
});

describe('a block', () => {
  test('behavior: is part of the chain until a reorganisation takes it away, with the marks in it', async () => {
    const { payer, pay, stage } = payments;
    const call = await payment();
    const { blockNumber, hash } = await pay(call);
    const { latest } = await payer.head();
    expect(latest.number).toBe(blockNumber);
    expect(await payer.isCanonical(latest)).toBe(true);
    expect(await payer.isCanonical({ number: latest.number + 1n, hash: latest.hash })).toBe(false);
    expect(await payer.marks([{ wallet: call.wallet, word: 0n }], blockNumber)).toEqual([1n]);

    await stage.public.request({ method: 'anvil_reorg' as never, params: [1, []] as never });
    expect(await payer.isCanonical(latest)).toBe(false);
    expect(await payer.marks([{ wallet: call.wallet, word: 0n }], blockNumber)).toEqual([0n]);
    expect(await payer.inclusion([hash])).toBeNull();
    expect(await payer.paidEvents({ wallets: [call.wallet], from: 0n, to: blockNumber })).toEqual([]);

    expect((await pay(call)).paid).toHaveLength(1);
  });

  test('behavior: that a lagging node has not seen is none of its chain, and its head says so', async () => {
    await mine(4);
    const { latest } = await payments.payer.head();
    const seen = latest.number - 3n;
    const proxy = await serveRpcProxy(url, (call) => {
      const [block] = Array.isArray(call.params) ? call.params : [];
      if (call.method !== 'eth_getBlockByNumber') return undefined;
      if (block === 'latest')
        return payments.stage.public
          .request({ method: 'eth_getBlockByNumber', params: [numberToHex(seen), false] })
          .then((result) => ({ result }));
      return BigInt(String(block)) > seen ? Promise.resolve({ result: null }) : undefined;
    });
    onTestFinished(proxy.close);
    const lagging = payments.behind(proxy.url);
    const head = await lagging.head();
    expect(head.latest.number).toBe(seen);
    expect(await lagging.isCanonical(latest)).toBe(false);
    expect(await lagging.isCanonical(head.latest)).toBe(true);
  });

  test('error: that the node does not have yet gives no marks at all', async () => {
    const { latest } = await payments.payer.head();
    const query = { wallet: payments.wallets.gigAddress(1), word: 0n };
    await expect(payments.payer.marks([query], latest.number + 50n)).rejects.toMatchObject({ name: 'AdapterError' });
  });
});

describe('an inclusion', () => {
  test('security: a wrong authorization gives a transaction that succeeds and has paid nothing', async () => {
    const { stage, payer, payBlindly } = payments;
    const call = await payment();
    // The node names a nonce that the wallet does not have, so that the authorization is for another one.
    const proxy = await serveRpcProxy(url, (asked) => {
      const [address] = Array.isArray(asked.params) ? asked.params : [];
      const isWallet = asked.method === 'eth_getTransactionCount' && address === call.wallet;
      return isWallet ? Promise.resolve({ result: '0x5' }) : undefined;
    });
    onTestFinished(proxy.close);
    const misled = payments.behind(proxy.url);
    const { spentNonces: nonce } = await payer.tank();
    const signed = await misled.sign({ calls: [{ ...call, gas: 200_000n }], nonce, fees: await payer.fees() });
    await payer.broadcast(signed.raw);
    await stage.outcome(signed.hash);
    expect(await payer.inclusion([signed.hash])).toMatchObject({ succeeded: true, paid: [], failed: [] });
    expect(await stage.marks(call.wallet)).toBe(0n);

    const second = await payment();
    const batch = await misled.sign({
      calls: [call, second].map((each) => ({ ...each, gas: 150_000n })),
      nonce: nonce + 1,
      fees: await payer.fees(),
    });
    await payer.broadcast(batch.raw);
    await stage.outcome(batch.hash);
    expect(await payer.inclusion([batch.hash])).toMatchObject({
      succeeded: true,
      paid: [{ wallet: second.wallet }],
      failed: [{ wallet: call.wallet, reason: 'the wallet does not delegate to the payer contract' }],
    });
    expect((await payBlindly(150_000n, call)).paid).toHaveLength(1);
  });

  test('behavior: is found among several attempts, and costs what the tank lost', async () => {
    const { stage, payer, tank } = payments;
    const calls = [{ ...(await payment()), gas: 200_000n }];
    await stage.test.setBalance({ address: tank, value: parseEther('3') });
    const { spentNonces: nonce } = await payer.tank();
    const fees = await payer.fees();
    const attempts = [
      await payer.sign({ calls, nonce, fees }),
      await payer.sign({ calls, nonce, fees: { ...fees, maxFeePerGas: fees.maxFeePerGas * 2n } }),
    ];
    const hashes = attempts.map(({ hash }) => hash);
    expect(await payer.inclusion(hashes)).toBeNull();
    const [, dearer] = attempts;
    if (dearer === undefined) throw new Error('no second attempt');
    await payer.broadcast(dearer.raw);
    await stage.outcome(dearer.hash);
    // A node that has them already is content.
    const found = await payer.inclusion(hashes);
    expect(found).toMatchObject({ hash: dearer.hash, succeeded: true });
    expect(await stage.public.getBalance({ address: tank })).toBe(parseEther('3') - (found?.cost ?? 0n));
  });

  test('security: events of others in the own receipt are no failures of wallets', async () => {
    const { stage, payer } = payments;
    const call = await payment();
    const { spentNonces: nonce } = await payer.tank();
    const { raw, hash } = await payer.sign({ calls: [{ ...call, gas: 200_000n }], nonce, fees: await payer.fees() });
    await payer.broadcast(raw);
    const { receipt } = await stage.outcome(hash);
    const [log] = receipt.logs;
    const forged = {
      address: token.address,
      topics: [toEventSelector('PayFailed(address,uint256,bytes)'), padHex(call.wallet)],
      data: encodeAbiParameters([{ type: 'uint256' }, { type: 'bytes' }], [0n, '0x']),
    };
    const own = { address: log?.address, topics: log?.topics, data: log?.data };
    const byBatch = { ...forged, address: PAYER_CONTRACTS.payBatch.address };
    const receiptWith = async (logs: readonly object[]) => {
      const lying = await serveRpcProxy(url, async (asked) => {
        if (asked.method !== 'eth_getTransactionReceipt') return undefined;
        const answer = await asked.forward();
        if (typeof answer === 'function' || !('result' in answer)) return answer;
        return { result: { ...(answer.result as object), logs } };
      });
      onTestFinished(lying.close);
      return await payments.behind(lying.url).inclusion([hash]);
    };
    expect(await receiptWith([own, forged])).toMatchObject({ failed: [] });
    const reason = 'no reason given; the payment may need more gas than it may have';
    expect(await receiptWith([own, byBatch])).toMatchObject({ failed: [{ wallet: call.wallet, reason }] });
  });
});

describe('readiness', () => {
  test('behavior: the contracts are there with the committed code; that is asked for until it is so', async () => {
    const anvil = await startAnvil();
    onTestFinished(anvil.stop);
    const proxy = await serveRpcProxy(anvil.url, () => undefined);
    onTestFinished(proxy.close);
    const payer = payments.behind(proxy.url);
    expect(await payer.isReady()).toBe(false);
    await openPayments({ url: anvil.url });
    expect(await payer.isReady()).toBe(true);
    const asked = proxy.asked.length;
    expect(await payer.isReady()).toBe(true);
    expect(proxy.asked.length).toBe(asked);
  });

  test('security: other code at an address is not ready', async () => {
    expect(await (await answering('eth_getCode', { result: '0x6001' })).isReady()).toBe(false);
  });
});

describe('a lying endpoint', () => {
  const BLOCK = { number: '0x1', hash: `0x${'11'.repeat(32)}`, timestamp: '0x1' };
  test.each([
    ['no object', 5],
    ['no number', { ...BLOCK, number: null }],
    ['no hash', { ...BLOCK, hash: '0x11' }],
    ['no time', { ...BLOCK, timestamp: 'now' }],
    ['nothing', null],
  ])('error: a newest block that is %s is an AdapterError', async (_what, result) => {
    const payer = await answering('eth_getBlockByNumber', { result });
    await expect(payer.head()).rejects.toMatchObject({ name: 'AdapterError', reason: 'bad_response' });
  });

  test('security: a block with another number proves nothing', async () => {
    const payer = await answering('eth_getBlockByNumber', { result: BLOCK });
    const asked = { number: 7n, hash: `0x${'11'.repeat(32)}` } as const;
    await expect(payer.isCanonical(asked)).rejects.toMatchObject({ name: 'AdapterError' });
  });

  test.each([['0x'], [null], ['0xzz'], [`0x${'1'.repeat(65)}`], [1]])(
    'security: %s is no word of marks',
    async (result) => {
      const payer = await answering('eth_getStorageAt', { result });
      const query = { wallet: payments.wallets.gigAddress(1), word: 0n };
      await expect(payer.marks([query], 1n)).rejects.toMatchObject({ name: 'AdapterError', reason: 'bad_response' });
    },
  );

  test('security: events of other wallets, and of other kinds, are refused', async () => {
    const event = {
      address: payments.wallets.gigAddress(2),
      topics: [`0x${'22'.repeat(32)}`],
      data: '0x',
      transactionHash: `0x${'33'.repeat(32)}`,
      blockNumber: '0x1',
    };
    const payer = await answering('eth_getLogs', { result: [event] });
    const query = { wallets: [payments.wallets.gigAddress(1)], from: 1n, to: 1n };
    await expect(payer.paidEvents(query)).rejects.toMatchObject({ name: 'AdapterError' });
    await expect((await answering('eth_getLogs', { result: 'none' })).paidEvents(query)).rejects.toMatchObject({
      name: 'AdapterError',
      reason: 'bad_response',
    });
  });

  test('error: half a receipt, and one of another transaction, are AdapterErrors', async () => {
    const hash = `0x${'44'.repeat(32)}` as const;
    for (const result of [{}, { transactionHash: hash, status: '0x1' }, 'yes']) {
      const payer = await answering('eth_getTransactionReceipt', { result });
      await expect(payer.inclusion([hash])).rejects.toMatchObject({ name: 'AdapterError', reason: 'bad_response' });
    }
  });

  test('security: of another chain gets no signature', async () => {
    const server = await serveJsonRpc(() => ({ result: '0x1' }));
    onTestFinished(server.close);
    const payer = payments.behind(server.url);
    const calls = [
      { ...payments.call(1, { token: token.address, to: freshAddress(), amount: 1n, numbers: [0n] }), gas: 1n },
    ];
    const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
    await expect(payer.sign({ calls, nonce: 0, fees })).rejects.toMatchObject({
      name: 'AdapterError',
      message: 'chain anvil: the endpoint serves chain id 1, expected 31337',
    });
  });

  test.each([
    ['authority already reserved', 'a wallet in it has transactions of its own that wait'],
    ['nonce too low', 'its nonce is spent'],
  ])('error: a broadcast that is refused with "%s" says what that means', async (message, meaning) => {
    const payer = await answering('eth_sendRawTransaction', { error: { code: -32000, message } });
    await expect(payer.broadcast('0x02')).rejects.toMatchObject({ message: expect.stringContaining(meaning) });
  });
});

test('error: a number of confirmations that is none is refused at once', () => {
  expect(() => payments.behind(url, { confirmations: 0 })).toThrow(RangeError);
});
