import { describe, expect, test } from 'vitest';
import { anvilClients } from '../support/anvil.ts';
import type { Answer } from '../support/json-rpc.ts';
import { createPayer, type PayerOptions } from '../support/payer.ts';
import { openAnvil, openEndpoint } from '../support/proxies.ts';

const GWEI = 1_000_000_000n;

const NOT_THERE: Answer = { error: { code: -32_601, message: 'the method does not exist' } };

/** What a node answers: its newest block charges `base`, 10 gwei unless said otherwise, and it calls `priority` usual. */
interface Answers {
  readonly base?: string | null;
  readonly priority: Answer;
  readonly history?: Answer;
  readonly price?: Answer;
}

/** The fees by a node with these answers. */
async function feesBy(answers: Answers, options: PayerOptions = { retries: 0 }) {
  const { base = '0x2540be400', priority, history = NOT_THERE, price = NOT_THERE } = answers;
  const block = { number: '0x10', hash: `0x${'ab'.repeat(32)}`, ...(base === null ? {} : { baseFeePerGas: base }) };
  const by: Readonly<Record<string, Answer>> = {
    eth_chainId: { result: '0x7a69' },
    eth_maxPriorityFeePerGas: priority,
    eth_feeHistory: history,
    eth_gasPrice: price,
  };
  const { url } = await openEndpoint((method) => by[method] ?? { result: block });
  return await createPayer({ url, ...options }).payer.fees();
}

const gwei = (most: bigint, priority: bigint) => {
  return { maxFeePerGas: most * GWEI, maxPriorityFeePerGas: priority * GWEI };
};

describe('fees', () => {
  test.each([
    { text: 'twice the base fee and what is usual', base: '0x2540be400', usual: '0x3b9aca00', max: 21n, priority: 1n },
    { text: 'no priority where none is usual', base: '0x2540be400', usual: '0x0', max: 20n, priority: 0n },
    { text: 'at most the cap', base: '0x174876e800', usual: '0x3b9aca00', max: 100n, priority: 1n },
    { text: 'a priority of at most the cap', base: '0x2540be400', usual: '0x22ecb25c00', max: 100n, priority: 100n },
  ])('behavior: are $text', async ({ base, usual, max, priority }) => {
    const fees = await feesBy({ base, priority: { result: usual } }, { maxFeePerGas: 100n * GWEI });
    expect(fees).toEqual(gwei(max, priority));
  });

  test.each([
    { code: -32_601, message: 'the method eth_maxPriorityFeePerGas does not exist/is not available' },
    { code: -32_000, message: 'not supported' },
    { code: -32_004, message: 'method not supported' },
    { code: 4_200, message: 'unsupported method' },
    { code: -32_603, message: 'internal error' },
    { code: 0, message: '' },
  ])('behavior: take what recent blocks paid after error $code, $message', async (error) => {
    const reward = [['0x77359400'], ['0x3b9aca00'], ['0x0'], ['0xb2d05e00'], ['0x77359400']];
    expect(await feesBy({ priority: { error }, history: { result: { reward } } })).toEqual(gwei(22n, 2n));
  });

  test.each([
    { text: 'no number', priority: { result: null } },
    { text: 'HTTP 404', priority: (response) => response.writeHead(404).end('no') },
    { text: 'HTTP 500', priority: (response) => response.writeHead(500).end('no') },
  ] satisfies { text: string; priority: Answer }[])(
    'behavior: after $text, and without a history, take what the suggested price has above the base fee',
    async ({ priority }) => {
      expect(await feesBy({ priority, price: { result: '0x2cb417800' } })).toEqual(gwei(22n, 2n));
      const low = { history: { result: {} }, price: { result: '0x1' } };
      expect(await feesBy({ priority, ...low })).toEqual(gwei(20n, 0n));
    },
  );

  test('behavior: take 1 gwei for usual when nothing tells', async () => {
    const history = { result: { reward: [] } };
    expect(await feesBy({ priority: NOT_THERE, history })).toEqual(gwei(21n, 1n));
  });

  test.each([
    { text: 'no base fee', base: null, priority: { result: '0x1' } },
    { text: 'a base fee that is no number', base: 'ten', priority: { result: '0x1' } },
    { text: 'a lost connection', base: '0x1', priority: (response) => response.destroy() },
    { text: 'a limit of requests', base: '0x1', priority: (response) => response.writeHead(429).end() },
  ] satisfies { text: string; base: string | null; priority: Answer }[])(
    'error: are not made up after $text',
    async ({ base, priority }) => {
      await expect(feesBy({ base, priority })).rejects.toMatchObject({ name: 'AdapterError', retry: 'safe' });
    },
  );

  test('behavior: of a real node follow its base fee', async () => {
    const { url } = await openAnvil();
    const { test: node } = anvilClients(url);
    await node.setNextBlockBaseFeePerGas({ baseFeePerGas: 30n * GWEI });
    await node.mine({ blocks: 1 });
    const { maxFeePerGas, maxPriorityFeePerGas } = await createPayer({ url }).payer.fees();
    expect(maxFeePerGas - maxPriorityFeePerGas).toBe(60n * GWEI);
  });
});
