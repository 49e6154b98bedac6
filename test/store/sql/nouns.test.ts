import { expect, expectTypeOf, test } from 'vitest';
import { type allLocked, locked, noun, subjectsOf } from '../../../src/store/sql/noun.ts';
import { joinMethods } from '../../../src/store/sql/nouns.ts';
import { byGig, nothing } from '../../../src/store/sql/subjects.ts';

const endOf = async (gigId: number): Promise<number> => gigId;
const end = async (gigId: number, _now: number): Promise<boolean> => gigId > 0;
const reads = { endOf: locked(byGig, async (gigId: number): Promise<number> => gigId) };
const writes = { end: locked(byGig, async (gigId: number, _now: number): Promise<boolean> => gigId > 0) };

test('behavior: a method says what a call of it locks', async () => {
  const ends = noun(() => ({ reads, writes }))({} as Parameters<ReturnType<typeof noun>>[0]);
  expect(subjectsOf(ends.writes.end, [7, 1])).toEqual(['gig:7']);
  expect(subjectsOf(ends.reads.endOf, [8])).toEqual(['gig:8']);
  expect(await ends.writes.end(7, 1)).toBe(true);
});

test('security: a method that does not say what it locks does not compile, and locks are not left out at run time', () => {
  type Make = Parameters<typeof noun<typeof reads, typeof writes>>[0];
  expectTypeOf(() => ({ reads, writes })).toExtend<Make>();
  type UnlockedWrite = Parameters<typeof noun<typeof reads, { end: typeof end }>>[0];
  expectTypeOf(() => ({ reads, writes: { end } })).not.toExtend<UnlockedWrite>();
  type UnlockedRead = Parameters<typeof noun<{ endOf: typeof endOf }, typeof writes>>[0];
  expectTypeOf(() => ({ reads: { endOf }, writes })).not.toExtend<UnlockedRead>();
  expectTypeOf(writes).toExtend<Parameters<typeof allLocked<typeof writes>>[0]>();
  expectTypeOf({ end }).not.toExtend<Parameters<typeof allLocked<{ end: typeof end }>>[0]>();
  expect(() => subjectsOf(end, [7, 1])).toThrow(new TypeError('a method of a transaction does not say what it locks'));
});

test('behavior: a lock takes the parameters of its method', () => {
  type Locks = Parameters<typeof locked<typeof end>>[0];
  expectTypeOf(byGig).toExtend<Locks>();
  expectTypeOf((gigId: string) => [gigId]).not.toExtend<Locks>();
});

test('behavior: another function of the type can stand in for a method', () => {
  expectTypeOf(end).toExtend<typeof writes.end>();
});

test('security: a function cannot be two methods, of which one would lock what the other does', () => {
  expect(() => locked(nothing, writes.end)).toThrow(new TypeError('one function cannot be two methods of the store'));
  expect(subjectsOf(writes.end, [7, 1])).toEqual(['gig:7']);
});

test('error: two methods of the store with one name are refused', () => {
  expect(joinMethods([reads, writes])).toEqual({ ...reads, ...writes });
  expect(() => joinMethods([reads, writes, { end }])).toThrow(new TypeError('two methods of the store are called end'));
});
