import { expect, test } from 'vitest';
import { createShortMemory } from '../../../src/http/pages/short-memory.ts';

function open(limit = 10) {
  const time = { now: 1_000 };
  const memory = createShortMemory<string>({ clock: () => time.now, keepMs: 100, limit });
  const looks: string[] = [];
  const find = (key: string, answer = 'seen') =>
    memory.find(key, async () => {
      looks.push(key);
      return answer;
    });
  return { time, memory, looks, find };
}

test('behavior: looks once for all who ask at the same time or soon after', async () => {
  const { time, looks, find } = open();
  expect(await Promise.all([find('a'), find('a'), find('b')])).toEqual(['seen', 'seen', 'seen']);
  time.now += 99;
  await find('a', 'changed');
  expect(looks).toEqual(['a', 'b']);
});

test('behavior: looks again when the time is over', async () => {
  const { time, looks, find } = open();
  await find('a');
  time.now += 100;
  expect(await find('a', 'changed')).toBe('changed');
  expect(looks).toEqual(['a', 'a']);
});

test('error: a failure reaches all who waited for it and is forgotten', async () => {
  const { memory, find } = open();
  const fail = () => memory.find('a', () => Promise.reject(new Error('no')));
  const failed = await Promise.allSettled([fail(), fail()]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await find('a')).toBe('seen');
});

test('security: whatever is asked for, it keeps no more than it may', async () => {
  const { looks, find } = open(2);
  for (const key of ['a', 'b', 'c', 'c', 'b', 'a']) await find(key);
  expect(looks).toEqual(['a', 'b', 'c', 'a']);
});
