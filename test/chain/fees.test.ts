import { describe, expect, onTestFinished, test } from 'vitest';
import { anvilClients, startAnvil } from '../support/anvil.ts';
import { type Answer, serveJsonRpc } from '../support/json-rpc.ts';
import { createPayer } from '../support/payer.ts';

const GWEI = 1_000_000_000n;

/** A node whose newest block charges `base`, and which calls `priority` usual. */
async function serveFees(answers: { base?: string | null; priority: Answer }): Promise<string> {
  const server = await serveJsonRpc((method) => {
    if (method === 'eth_chainId') return { result: '0x7a69' };
    if (method === 'eth_maxPriorityFeePerGas') return answers.priority;
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

  test.each([-32601, -32004, 4200])(
    'behavior: take 1 gwei for usual when error %d says that nobody knows',
    async (code) => {
      const url = await serveFees({ base: '0x2540be400', priority: { error: { code, message: 'no such method' } } });
      expect(await createPayer({ url }).payer.fees()).toEqual({
        maxFeePerGas: 21n * GWEI,
        maxPriorityFeePerGas: GWEI,
      });
    },
  );

  test.each([
    { text: 'an error', base: '0x1', priority: { error: { code: -32000, message: 'header not found' } } },
    { text: 'no number', base: '0x1', priority: { result: null } },
    { text: 'no base fee', base: null, priority: { result: '0x1' } },
    { text: 'a base fee that is no number', base: 'ten', priority: { result: '0x1' } },
  ])('error: are not made up after $text', async ({ base, priority }) => {
    const { payer } = createPayer({ url: await serveFees({ base, priority }), retries: 0 });
    await expect(payer.fees()).rejects.toMatchObject({ name: 'AdapterError', retry: 'safe' });
  });

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
