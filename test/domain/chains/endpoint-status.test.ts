import { expect, test } from 'vitest';
import { type EndpointAnswer, findEndpointFaults } from '../../../src/domain/chains/endpoint-status.ts';

const NOON = Date.UTC(2026, 10, 26, 12);

/** The newest block of an endpoint that answers, `seconds` after noon. */
function at(number: bigint, seconds: number): EndpointAnswer {
  return { kind: 'well', newest: { number, hash: '0x00', at: NOON + seconds * 1_000 } };
}

test('behavior: an endpoint lags when its newest block is more than 15 blocks or 30 seconds behind that of the best', () => {
  expect(findEndpointFaults([at(100n, 30), at(85n, 0)])).toEqual([null, null]);
  expect(findEndpointFaults([at(84n, 28), at(100n, 30)])).toEqual([
    { kind: 'behind', why: 'its newest block, 84, is 16 blocks and 2 s behind another endpoint' },
    null,
  ]);
  expect(findEndpointFaults([at(100n, 31), at(98n, 0), at(99n, 30)])).toEqual([
    null,
    { kind: 'behind', why: 'its newest block, 98, is 2 blocks and 31 s behind another endpoint' },
    null,
  ]);
});

test('behavior: what lags is told by those that answer for the chain alone', () => {
  const dead = { kind: 'failed', why: 'it could not be reached for eth_chainId' } as const;
  const other = { kind: 'other_chain', why: 'it serves chain id 1, expected 8453' } as const;
  expect(findEndpointFaults([dead, at(80n, 0), other])).toEqual([dead, null, other]);
  expect(findEndpointFaults([dead, other])).toEqual([dead, other]);
  expect(findEndpointFaults([])).toEqual([]);
});
