import { expect, inject, test } from 'vitest';
import { useDesk } from './admin.ts';
import { doctor as runDoctor } from './doctor/setup.ts';

/** Nothing listens there. */
const DEAD = 'http://127.0.0.1:9/fake-key';

useDesk();

/** What doctor says of the chain, its endpoints and what depends on it, with these URLs, and its exit code. */
async function doctor(...urls: readonly string[]) {
  const { code, out, report } = await runDoctor({ RPC_URL_31337: urls.join() });
  const ofChain = report.checks.filter(({ name }) => name.startsWith('chain '));
  return { code, out, checks: ofChain.map(({ name, mark }) => [name, mark]), ofChain };
}

test('behavior: one endpoint has no line of its own, and doctor says that it is one witness', async () => {
  const { checks, ofChain } = await doctor(inject('anvilUrl'));
  expect(checks).toEqual([['chain anvil', 'passed']]);
  expect(ofChain[0]?.detail).toMatch(/^Chain id 31337, newest block \d+; its one endpoint is the only witness$/);
});

test('behavior: an endpoint that does not answer is a hint while another one does', async () => {
  const { code, checks, ofChain } = await doctor(DEAD, inject('anvilUrl'));
  expect(code).toBe(0);
  expect(checks).toEqual([
    ['chain anvil', 'passed'],
    ['chain anvil endpoint 1', 'warning'],
    ['chain anvil endpoint 2', 'passed'],
  ]);
  expect(ofChain[1]).toMatchObject({
    detail: 'Anvil is not asked through endpoint 1 (127.0.0.1:9): it could not be reached for eth_chainId',
    remedy: 'The other endpoints of Anvil are asked meanwhile. If it lasts, replace that one in RPC_URL_31337.',
  });
});

test('error: when no endpoint answers, the chain and each of them fail', async () => {
  const { code, out, checks, ofChain } = await doctor(DEAD, 'http://127.0.0.1:7/fake-key');
  expect(code).toBe(1);
  expect(checks).toEqual([
    ['chain anvil', 'failed'],
    ['chain anvil endpoint 1', 'failed'],
    ['chain anvil endpoint 2', 'failed'],
  ]);
  expect(ofChain[0]?.detail).toBe(
    'The endpoint of Anvil gives no valid answer: it could not be reached for eth_chainId',
  );
  expect(out).not.toContain('fake-key');
});
