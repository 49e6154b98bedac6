import { expect, test } from 'vitest';
import { createAskingLanes } from '../../../src/services/earning/asking-lanes.ts';

function setUp(lanes: number) {
  let woken = 0;
  const asking = createAskingLanes({
    lanes,
    wake: () => {
      woken += 1;
    },
  });
  return { asking, woken: () => woken };
}

test('behavior: an origin has one question at a time, and the next one when that is over', async () => {
  const { asking, woken } = setUp(8);
  const first = Promise.withResolvers<undefined>();
  expect(asking.take('https://a.example', () => first.promise)).toBe(true);
  expect(asking.take('https://a.example', async () => undefined)).toBe(false);
  expect(asking.take('https://b.example', async () => undefined)).toBe(true);
  const slow = asking.askNext();
  expect(await asking.askNext()).toBe(true);
  expect(asking.take('https://b.example', async () => undefined)).toBe(true);
  expect(asking.take('https://a.example', async () => undefined)).toBe(false);
  first.resolve(undefined);
  expect(await slow).toBe(true);
  expect(asking.take('https://a.example', async () => undefined)).toBe(true);
  expect(woken()).toBe(4);
});

test('error: a question that fails frees its origin', async () => {
  const { asking } = setUp(8);
  asking.take('https://a.example', () => Promise.reject(new TypeError('ours')));
  await expect(asking.askNext()).rejects.toThrow('ours');
  expect(asking.take('https://a.example', async () => undefined)).toBe(true);
});

test('behavior: no more origins are asked at once than there are lanes; without a question there is nothing to do', async () => {
  const { asking } = setUp(1);
  expect(await asking.askNext()).toBe(false);
  expect(asking.take('https://a.example', async () => undefined)).toBe(true);
  expect(asking.take('https://b.example', async () => undefined)).toBe(false);
});
