import { expect, test } from 'vitest';
import { createAskingLanes } from '../../../../src/services/earning/decide/asking-lanes.ts';

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
  expect(asking.take('https://a.example', () => first.promise)).toBeNull();
  expect(asking.take('https://a.example', async () => undefined)).toBe(2_000);
  expect(asking.take('https://b.example', async () => undefined)).toBeNull();
  const slow = asking.askNext();
  expect(await asking.askNext()).toBe(true);
  expect(asking.take('https://b.example', async () => undefined)).toBeNull();
  expect(asking.take('https://a.example', async () => undefined)).toBe(2_000);
  first.resolve(undefined);
  expect(await slow).toBe(true);
  expect(asking.take('https://a.example', async () => undefined)).toBeNull();
  expect(woken()).toBe(4);
});

test('error: a question that fails frees its origin', async () => {
  const { asking } = setUp(8);
  asking.take('https://a.example', () => Promise.reject(new TypeError('ours')));
  await expect(asking.askNext()).rejects.toThrow('ours');
  expect(asking.take('https://a.example', async () => undefined)).toBeNull();
});

test('behavior: no more origins are asked at once than there are lanes; without a question there is nothing to do', async () => {
  const { asking } = setUp(1);
  expect(await asking.askNext()).toBe(false);
  expect(asking.take('https://a.example', async () => undefined)).toBeNull();
  expect(asking.take('https://b.example', async () => undefined)).toBe(2_000);
});

test('security: the more gigs wait for one origin, the less often they look, and the gig that was asked about goes last', async () => {
  const { asking } = setUp(8);
  const pauses: number[] = [];
  const waits: (number | null)[] = [];
  const work = async () => {
    pauses.push(asking.pauseAfter('https://a.example'));
    for (let gig = 1; gig <= 1_000; gig += 1) waits.push(asking.take('https://a.example', work));
    pauses.push(asking.pauseAfter('https://a.example'));
  };
  expect(asking.take('https://a.example', work)).toBeNull();
  await asking.askNext();
  expect(pauses).toEqual([0, 30_000]);
  expect([0, 19, 20, 99, 299, 999].map((index) => waits[index])).toEqual([2_000, 2_000, 2_100, 10_000, 30_000, 30_000]);
  // The next question begins a new count.
  expect([asking.pauseAfter('https://a.example'), asking.take('https://a.example', work)]).toEqual([30_000, null]);
  expect(asking.pauseAfter('https://a.example')).toBe(0);
});
