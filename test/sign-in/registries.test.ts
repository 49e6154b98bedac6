import { createServer } from 'node:http';
import { encodeAbiParameters, encodeErrorResult, encodeFunctionData, numberToHex, pad, parseAbi } from 'viem';
import { expect, onTestFinished, test } from 'vitest';
import { openRegistries } from '../../src/sign-in/registries.ts';
import { listen } from '../support/listen.ts';
import { openEndpoint } from '../support/proxies.ts';

const CUSTODY = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const ABI = parseAbi([
  'function idOf(address owner) view returns (uint256)',
  'function keyDataOf(uint256 fid, bytes key) view returns ((uint8 state, uint32 keyType))',
]);

/** Registries behind an endpoint that answers each call like this, and what it was asked. */
async function open(result: string, ...others: string[]) {
  const asked: unknown[] = [];
  const { url } = await openEndpoint((method, _times, [call]) => {
    asked.push([method, call]);
    return { result };
  });
  return { asked, registries: openRegistries([...others, url], { timeoutMs: 5_000 }) };
}

test('behavior: the registry of ids on chain 10 is asked for the FID of an address', async () => {
  const { asked, registries } = await open(numberToHex(1003, { size: 32 }));
  expect(await registries.getFid(CUSTODY)).toBe(1003n);
  const data = encodeFunctionData({ abi: ABI, functionName: 'idOf', args: [CUSTODY] });
  expect(asked).toEqual([['eth_call', { to: '0x00000000fc6c5f01fc30151999387bb99a9f489b', data }]]);
});

test.each([
  [1, 2, true],
  [0, 2, false],
  [2, 2, false],
  [1, 1, false],
])('security: a key of state %i and type %i is an auth address in use: %s', async (state, type, isValid) => {
  const { asked, registries } = await open(
    `0x${[state, type].map((each) => pad(numberToHex(each)).slice(2)).join('')}`,
  );
  expect(await registries.isValidAuthAddress(CUSTODY, 1003n)).toBe(isValid);
  const key = encodeAbiParameters([{ type: 'address' }], [CUSTODY]);
  const data = encodeFunctionData({ abi: ABI, functionName: 'keyDataOf', args: [1003n, key] });
  expect(asked).toEqual([['eth_call', { to: '0x00000000fc1237824fb747abde0ff18990e59b7e', data }]]);
});

test('error: an endpoint that does not answer is followed by the next one, and a long answer is none', async () => {
  const dead = 'http://127.0.0.1:9';
  expect(await (await open(numberToHex(7, { size: 32 }), dead)).registries.getFid(CUSTODY)).toBe(7n);
  await expect((await open(`0x${'0'.repeat(2 ** 20)}`)).registries.getFid(CUSTODY)).rejects.toThrow();
});

test('security: an endpoint cannot have a server asked that it names', async () => {
  let requests = 0;
  const inside = await listen(
    createServer((_, response) => {
      requests += 1;
      response.end('{}');
    }),
  );
  onTestFinished(inside.close);
  const data = encodeErrorResult({
    abi: parseAbi(['error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 back, bytes extra)']),
    args: ['0x00000000fc6c5f01fc30151999387bb99a9f489b', [inside.url], '0x', '0x12345678', '0x'],
  });
  const { url } = await openEndpoint(() => ({ error: { code: 3, message: 'execution reverted', data } }));
  await expect(openRegistries([url], { timeoutMs: 5_000 }).getFid(CUSTODY)).rejects.toThrow();
  expect(requests).toBe(0);
});
