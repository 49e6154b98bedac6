import { expect, test } from 'vitest';
import { deliveryBackoff } from '../../../src/domain/events/delivery.ts';

test('behavior: the pauses between tries double, from ten seconds up to half an hour', () => {
  expect([1, 2, 3, 8, 9, 50].map((tries) => deliveryBackoff(tries))).toEqual([
    10_000, 20_000, 40_000, 1_280_000, 1_800_000, 1_800_000,
  ]);
});
