import { encodeAbiParameters, numberToHex, padHex, parseEther, toEventSelector } from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import { PAYER_CONTRACTS } from '../../../../src/chain/payer/contract/contracts.ts';
import type { Chain, Fees } from '../../../../src/domain/chains/chain.ts';
import type { PayerChain, WalletCall } from '../../../../src/domain/payments/payer-chain.ts';
import { freshAddress, startAnvil } from '../../../support/anvil.ts';
import type { Answer } from '../../../support/json-rpc.ts';
import { openPayments } from '../../../support/payer-chain.ts';
import { answersTo, changes, type Interception, openAnvil, openEndpoint, openProxy } from '../../../support/proxies.ts';
import { openTokenPayments, type TokenPayments } from '../../../support/token-payments.ts';

let payments: TokenPayments;
let url: string;
beforeAll(async () => {
  // A node of its own, because blocks are counted and taken back.
  const anvil = await startAnvil();
  url = anvil.url;
  payments = await openTokenPayments({ url });
  return anvil.stop;
});

async function mine(blocks: number): Promise<void> {
  await payments.stage.test.mine({ blocks });
}

/** The node behind an endpoint that intercepts what passes. */
async function through(intercept: Interception, chain: Partial<Chain> = {}) {
  return payments.behind((await openProxy(url, intercept)).url, chain);
}

/** The node behind an endpoint that answers one method as it likes. */
const answering = (method: string, answer: Answer) => through(answersTo(method, answer));

/** Signs these calls with so much gas each, offers the bytes and waits for their block. */
async function send(payer: PayerChain, calls: WalletCall[], terms: { gas: bigint; nonce: number; fees: Fees }) {
  const { gas, ...signing } = terms;
  const signed = await payer.sign({ calls: calls.map((call) => ({ ...call, gas })), ...signing });
  await payments.payer.broadcast(signed.raw);
  return { hash: signed.hash, ...(await payments.stage.outcome(signed.hash)) };
}

describe('the head', () => {
  test('behavior: has the newest block, and the one with enough confirmations', async () => {
    await mine(5);
    const deep = payments.behind(url, { confirmations: 3 });
    const { latest, settled } = await deep.head();
    expect(latest.number - settled.number).toBe(2n);
    for (const block of [latest, settled]) {
      const { number, hash, timestamp } = await payments.stage.public.getBlock({ blockNumber: block.number });
      expect(block).toEqual({ number, hash, at: Number(timestamp) * 1000 });
    }
    const proxy = await openProxy(url);
    const single = await payments.behind(proxy.url).head();
    expect(single.settled).toEqual(single.latest);
    expect(proxy.asked).toEqual(['eth_chainId', 'eth_getBlockByNumber']);
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
    const payer = await through(
      ({ method, params }) => {
        const isSafe = method === 'eth_getBlockByNumber' && (params as unknown[])[0] === 'safe';
        return isSafe ? { result: { number: '0xffffff', hash: ahead, timestamp: '0x1' } } : undefined;
      },
      { settledBy: 'safe' },
    );
    await expect(payer.head()).rejects.toMatchObject({
      name: 'AdapterError',
      retry: 'safe',
      reason: 'bad_response',
      message: expect.stringMatching(/^chain anvil: the endpoint's settled block 16777215 is above its newest, \d+$/),
    });
  });
});

describe('a block', () => {
  test('behavior: is part of the chain until a reorganisation takes it away, with the marks in it', async () => {
    const { payer, pay, stage, payment } = payments;
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
    const lagging = await through(({ method, params, ask }) => {
      const [block] = Array.isArray(params) ? params : [];
      if (method !== 'eth_getBlockByNumber') return undefined;
      if (block === 'latest') return ask(method, [numberToHex(seen), false]);
      return BigInt(String(block)) > seen ? { result: null } : undefined;
    });
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
    const { stage, payer, payBlindly, payment } = payments;
    const call = await payment();
    // The node names a nonce that the wallet does not have, so that the authorization is for another one.
    const misled = await through(({ method, params }) => {
      const isWallet = method === 'eth_getTransactionCount' && (params as unknown[])[0] === call.wallet;
      return isWallet ? { result: '0x5' } : undefined;
    });
    const { spentNonces: nonce } = await payer.tank();
    const fees = await payer.fees();
    const alone = await send(misled, [call], { gas: 200_000n, nonce, fees });
    expect(await payer.inclusion([alone.hash])).toMatchObject({ succeeded: true, paid: [], failed: [] });
    expect(await stage.marks(call.wallet)).toBe(0n);

    const second = await payment();
    const batch = await send(misled, [call, second], { gas: 150_000n, nonce: nonce + 1, fees });
    expect(await payer.inclusion([batch.hash])).toMatchObject({
      succeeded: true,
      paid: [{ wallet: second.wallet }],
      failed: [{ wallet: call.wallet, reason: 'the wallet does not delegate to the payer contract' }],
    });
    expect((await payBlindly(150_000n, call)).paid).toHaveLength(1);
  });

  test('behavior: is found among several attempts, and costs what the tank lost', async () => {
    const { stage, payer, tank } = payments;
    const calls = [{ ...(await payments.payment()), gas: 200_000n }];
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
    expect(await payer.isKnown(dearer.hash)).toBe(false);
    await payer.broadcast(dearer.raw);
    expect(await payer.isKnown(dearer.hash)).toBe(true);
    await stage.outcome(dearer.hash);
    // A node that has them already is content.
    const found = await payer.inclusion(hashes);
    expect(found).toMatchObject({ hash: dearer.hash, succeeded: true });
    expect(await stage.public.getBalance({ address: tank })).toBe(parseEther('3') - (found?.cost ?? 0n));
  });

  test('security: events of others in the own receipt are no failures of wallets', async () => {
    const { payer, token } = payments;
    const call = await payments.payment();
    const { spentNonces: nonce } = await payer.tank();
    const { receipt, hash } = await send(payer, [call], { gas: 200_000n, nonce, fees: await payer.fees() });
    const [log] = receipt.logs;
    const forged = {
      address: token.address,
      topics: [toEventSelector('PayFailed(address,uint256,bytes)'), padHex(call.wallet)],
      data: encodeAbiParameters([{ type: 'uint256' }, { type: 'bytes' }], [0n, '0x']),
    };
    const own = { address: log?.address, topics: log?.topics, data: log?.data };
    const byBatch = { ...forged, address: PAYER_CONTRACTS.payBatch.address };
    const receiptWith = async (logs: readonly object[]) => {
      const lying = await through(changes('eth_getTransactionReceipt', (answer) => ({ ...answer, logs })));
      return await lying.inclusion([hash]);
    };
    expect(await receiptWith([own, forged])).toMatchObject({ failed: [] });
    const reason = 'no reason given; the payment may need more gas than it may have';
    expect(await receiptWith([own, byBatch])).toMatchObject({ failed: [{ wallet: call.wallet, reason }] });
  });
});

describe('readiness', () => {
  test('behavior: the contracts are there with the committed code; that is asked for until it is so', async () => {
    const anvil = await openAnvil();
    const proxy = await openProxy(anvil.url);
    const payer = payments.behind(proxy.url);
    expect(await payer.isReady()).toBe(false);
    await openPayments({ url: anvil.url });
    expect(await payer.isReady()).toBe(true);
    const asked = proxy.asked.length;
    expect(await payer.isReady()).toBe(true);
    expect(proxy.asked.length).toBe(asked);
  });

  test.each(['tipPayer', 'payBatch'] as const)(
    'security: other code at the address of %s is not ready',
    async (name) => {
      const { address } = PAYER_CONTRACTS[name];
      const payer = await through(({ method, params }) =>
        method === 'eth_getCode' && (params as unknown[])[0] === address ? { result: '0x6001' } : undefined,
      );
      expect(await payer.isReady()).toBe(false);
    },
  );
});

describe('a lying endpoint', () => {
  const BLOCK = { number: '0x1', hash: `0x${'11'.repeat(32)}`, timestamp: '0x1' };
  test.each([
    ['no object', 5],
    ['no number', { ...BLOCK, number: null }],
    ['a number of seventeen digits', { ...BLOCK, number: `0x${'1'.repeat(17)}` }],
    ['a number behind something', { ...BLOCK, number: ' 0x1' }],
    ['no hash', { ...BLOCK, hash: '0x11' }],
    ['a hash of 65 digits', { ...BLOCK, hash: `${BLOCK.hash}1` }],
    ['a hash behind something', { ...BLOCK, hash: `0x${BLOCK.hash}` }],
    ['no time', { ...BLOCK, timestamp: 'now' }],
    ['a time after the year 9999', { ...BLOCK, timestamp: '0x3afff44180' }],
  ])('error: a newest block that is %s is an AdapterError', async (_what, result) => {
    const payer = await answering('eth_getBlockByNumber', { result });
    await expect(payer.head()).rejects.toMatchObject({ name: 'AdapterError', reason: 'bad_response' });
  });

  test('error: a newest block that is nothing is an AdapterError that says so', async () => {
    const payer = await answering('eth_getBlockByNumber', { result: null });
    const message = 'chain anvil: the endpoint does not have block latest';
    const error = { name: 'AdapterError', retry: 'safe', reason: 'bad_response', message };
    await expect(payer.head()).rejects.toMatchObject(error);
  });

  test('behavior: a block is read without its transactions, in any case, until the year 9999', async () => {
    const asked: unknown[] = [];
    const result = { number: '0xA', hash: `0x${'AB'.repeat(32)}`, timestamp: '0x3AFFF4417F' };
    const payer = await through(
      ({ method, params }) => {
        if (method !== 'eth_getBlockByNumber') return undefined;
        asked.push(params);
        return { result };
      },
      { settledBy: 'safe' },
    );
    const block = { number: 10n, hash: `0x${'ab'.repeat(32)}`, at: Date.UTC(10_000, 0) - 1000 };
    expect(await payer.head()).toEqual({ latest: block, settled: block });
    expect(asked).toEqual([
      ['latest', false],
      ['safe', false],
    ]);
  });

  test('security: a block with another number proves nothing', async () => {
    const payer = await answering('eth_getBlockByNumber', { result: BLOCK });
    const asked = { number: 7n, hash: `0x${'11'.repeat(32)}` } as const;
    await expect(payer.isCanonical(asked)).rejects.toMatchObject({ name: 'AdapterError' });
    const unreadable = await answering('eth_getBlockByNumber', { result: 5 });
    await expect(unreadable.isCanonical(asked)).rejects.toMatchObject({ name: 'AdapterError' });
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
    const place = { transactionHash: `0x${'33'.repeat(32)}`, blockNumber: '0x1' };
    const address = payments.wallets.gigAddress(2);
    const event = { address, topics: [`0x${'22'.repeat(32)}`], data: '0x', ...place };
    const query = { wallets: [payments.wallets.gigAddress(1)], from: 1n, to: 1n };
    const strange = (await answering('eth_getLogs', { result: [event] })).paidEvents(query);
    await expect(strange).rejects.toMatchObject({ name: 'AdapterError' });
    const none = (await answering('eth_getLogs', { result: 'none' })).paidEvents(query);
    await expect(none).rejects.toMatchObject({ name: 'AdapterError', reason: 'bad_response' });
  });

  test('error: half a receipt, and one of another transaction, are AdapterErrors', async () => {
    const hash = `0x${'44'.repeat(32)}` as const;
    for (const result of [{}, { transactionHash: hash, status: '0x1' }, 'yes']) {
      const payer = await answering('eth_getTransactionReceipt', { result });
      await expect(payer.inclusion([hash])).rejects.toMatchObject({ name: 'AdapterError', reason: 'bad_response' });
    }
  });

  test('security: of another chain gets no signature', async () => {
    const payer = payments.behind((await openEndpoint(() => ({ result: '0x1' }))).url);
    const payment = { token: payments.token.address, to: freshAddress(), amount: 1n, numbers: [0n] };
    const calls = [{ ...payments.call(1, payment), gas: 1n }];
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
