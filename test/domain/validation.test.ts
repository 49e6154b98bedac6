import { expect, test } from 'vitest';
import { z } from 'zod';
import { complete, readFields } from '../../src/domain/validation.ts';

const shape = {
  name: z
    .string('name must be a text')
    .min(3, 'name must have three letters')
    .regex(/^[a-z]*$/, 'name must be lower case'),
  count: z.int('count must be a number').default(1),
  list: z.array(z.object({ id: z.int('id must be a number') }, 'must be an object'), 'list must be a list').optional(),
};

const problemsOf = (body: unknown, where?: string) =>
  readFields(shape, body, where === undefined ? {} : { where }).problems;

test('behavior: what is well-formed is read, with its defaults, and nothing else', () => {
  expect(complete(readFields(shape, { name: 'abc', list: [{ id: 1, more: 2 }], other: true }))).toEqual({
    name: 'abc',
    count: 1,
    list: [{ id: 1 }],
  });
});

test('error: every problem is found, and what is well-formed is read all the same', () => {
  const reading = readFields(shape, { name: 'A', count: 5, list: 'none' });
  expect(reading.problems).toEqual(['name must have three letters', 'name must be lower case', 'list must be a list']);
  expect(reading.fields).toEqual({ count: 5 });
});

test('error: a problem inside a list is told with its place', () => {
  const body = { name: 'abc', list: [{ id: 1 }, {}, 'x', { id: 'y' }] };
  const inside = ['list[1].id must be a number', 'list[2] must be an object', 'list[3].id must be a number'];
  expect(problemsOf(body)).toEqual(inside);
  expect(problemsOf(body, 'tips[4]')).toEqual(inside.map((problem) => `tips[4].${problem}`));
  expect(problemsOf({}, 'tips[4]')).toEqual(['tips[4].name must be a text']);
});

test('error: only objects have fields, and only their own', () => {
  for (const body of [null, undefined, [], [{ name: 'abc' }], 'name', 5, true]) {
    expect(problemsOf(body)).toEqual(['The body must be a JSON object']);
    expect(problemsOf(body, 'tips[0]')).toEqual(['tips[0] must be an object']);
  }
  expect(problemsOf(Object.create({ name: 'abc' }))).toEqual(['name must be a text']);
});

test('error: a reading with problems is never complete', () => {
  const reading = readFields(shape, { name: 'A' });
  expect(() => complete(reading, ['and another'])).toThrow(
    expect.objectContaining({
      refusal: {
        code: 'validation_failed',
        details: ['name must have three letters', 'name must be lower case', 'and another'],
      },
    }),
  );
  expect(() => complete(readFields(shape, { name: 'abc' }), ['only this'])).toThrow(
    expect.objectContaining({ refusal: { code: 'validation_failed', details: ['only this'] } }),
  );
});
