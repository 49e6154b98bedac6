import { describe, expect, onTestFinished, test } from 'vitest';
import { anvilClients, startAnvil } from '../support/anvil.ts';
import { type Answer, serveJsonRpc } from '../support/json-rpc.ts';
import { createPayer } from '../support/payer.ts';

const GWEI = 1_000_000_000n;

const NOT_THERE: Answer = { error: { code: -32_601, message: 'the method does not exist' } };

/** A node whose newest block charges `base`, and which calls `priority` usual. */
async function serveFees(answers: {
  base?: string | null;
  priority: Answer;
  history?: Answer;
  price?: Answer;
}): Promise<string> {
  const server = await serveJsonRpc((method) => {
    if (method === 'eth_chainId') return { result: '0x7a69' };
    if (method === 'eth_maxPriorityFeePerGas') return answers.priority;
    if (method === 'eth_feeHistory') return answers.history ?? NOT_THERE;
    if (method === 'eth_gasPrice') return answers.price ?? NOT_THERE;
    const block = { number: '0x10', hash: `0x${'ab'.repeat(32)}` };
    return { result: answers.base === null ? block : { ...block, baseFeePerGas: answers.base } };
  });
  onTestFinished(server.close);
  return server.url;
}

describe('fees', () => {
  test.each([
    { text: 'twice the base fee and what is usual', base: '0x2540be400', usual: '0x3b9aca00', max: 21n, priority: 1n },
    { text: 'no priority where none is usual', base: '0x2540be400', usual: '0x0', max: 20n, priority: 0n },
    { text: 'at most the cap', base: '0x174876e800', usual: '0x3b9aca00', max: 100n, priority: 1n },
    { text: 'a priority of at most the cap', base: '0x2540be400', usual: '0x22ecb25c00', max: 100n, priority: 100n },
  ])('behavior: are $text', async ({ base, usual, max, priority }) => {
    const url = await serveFees({ base, priority: { result: usual } });
    const { payer } = createPayer({ url, maxFeePerGas: 100n * GWEI });
    expect(await payer.fees()).toEqual({ maxFeePerGas: max * GWEI, maxPriorityFeePerGas: priority * GWEI });
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
    const url = await serveFees({ base: '0x2540be400', priority: { error }, history: { result: { reward } } });
    const { payer } = createPayer({ url, retries: 0 });
    expect(await payer.fees()).toEqual({ maxFeePerGas: 22n * GWEI, maxPriorityFeePerGas: 2n * GWEI });
  });

  test.each([
    { text: 'no number', priority: { result: null } },
    { text: 'HTTP 404', priority: (response) => response.writeHead(404).end('no') },
    { text: 'HTTP 500', priority: (response) => response.writeHead(500).end('no') },
  ] satisfies { text: string; priority: Answer }[])(
    'behavior: after $text, and without a history, take what the suggested price has above the base fee',
    async ({ priority }) => {
      const url = await serveFees({ base: '0x2540be400', priority, price: { result: '0x2cb417800' } });
      const { payer } = createPayer({ url, retries: 0 });
      expect(await payer.fees()).toEqual({ maxFeePerGas: 22n * GWEI, maxPriorityFeePerGas: 2n * GWEI });
      const low = await serveFees({ base: '0x2540be400', priority, history: { result: {} }, price: { result: '0x1' } });
      const cheap = createPayer({ url: low, retries: 0 });
      expect(await cheap.payer.fees()).toEqual({ maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: 0n });
    },
  );

  test('behavior: take 1 gwei for usual when nothing tells', async () => {
    const url = await serveFees({ base: '0x2540be400', priority: NOT_THERE, history: { result: { reward: [] } } });
    const { payer } = createPayer({ url, retries: 0 });
    expect(await payer.fees()).toEqual({ maxFeePerGas: 21n * GWEI, maxPriorityFeePerGas: GWEI });
  });

  test.each([
    { text: 'no base fee', base: null, priority: { result: '0x1' } },
    { text: 'a base fee that is no number', base: 'ten', priority: { result: '0x1' } },
    { text: 'a lost connection', base: '0x1', priority: (response) => response.destroy() },
    { text: 'a limit of requests', base: '0x1', priority: (response) => response.writeHead(429).end() },
  ] satisfies { text: string; base: string | null; priority: Answer }[])(
    'error: are not made up after $text',
    async ({ base, priority }) => {
      const { payer } = createPayer({ url: await serveFees({ base, priority }), retries: 0 });
      await expect(payer.fees()).rejects.toMatchObject({ name: 'AdapterError', retry: 'safe' });
    },
  );

  test('behavior: of a real node follow its base fee', async () => {
    const anvil = await startAnvil();
    onTestFinished(anvil.stop);
    const { test: node } = anvilClients(anvil.url);
    await node.setNextBlockBaseFeePerGas({ baseFeePerGas: 30n * GWEI });
    await node.mine({ blocks: 1 });
    const { maxFeePerGas, maxPriorityFeePerGas } = await createPayer({ url: anvil.url }).payer.fees();
    expect(maxFeePerGas - maxPriorityFeePerGas).toBe(60n * GWEI);
  });
});
