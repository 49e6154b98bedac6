import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  fieldProblemsOf,
  parse,
  parseOrThrow,
  problemsWith,
  refuseFields,
  throwIfInvalid,
} from '../../src/domain/validation.ts';

const schema = z.object(
  {
    name: z
      .string('name must be a text')
      .min(3, 'name must have three letters')
      .regex(/^[a-z]*$/, 'name must be lower case'),
    count: z.int('count must be a number').default(1),
    list: z
      .array(z.object({ id: z.int('id must be a number') }, 'must be an object'), 'list must be a list')
      .optional(),
  },
  'must be an object',
);

const problemsOf = (body: unknown) => parse(schema, body).problems;

test('behavior: what is well-formed is read, with its defaults, and nothing else', () => {
  expect(parse(schema, { name: 'abc', list: [{ id: 1, more: 2 }], other: true })).toEqual({
    fields: { name: 'abc', count: 1, list: [{ id: 1 }] },
    problems: [],
  });
});

test('error: every problem is found, and what is well-formed is read all the same', () => {
  expect(parse(schema, { name: 'A', count: 5, list: 'none' })).toEqual({
    fields: { count: 5 },
    problems: ['name must have three letters', 'name must be lower case', 'list must be a list'],
  });
});

test('error: a problem inside a list is told with its place', () => {
  const body = { name: 'abc', list: [{ id: 1 }, {}, 'x', { id: 'y' }] };
  expect(problemsOf(body)).toEqual([
    'list[1].id must be a number',
    'list[2] must be an object',
    'list[3].id must be a number',
  ]);
  const lists = z.object({ tips: z.array(schema) });
  expect(parse(lists, { tips: [{ name: 'abc' }, {}, body, 'x'] }).problems).toEqual([
    'tips[1].name must be a text',
    'tips[2].list[1].id must be a number',
    'tips[2].list[2] must be an object',
    'tips[2].list[3].id must be a number',
    'tips[3] must be an object',
  ]);
});

test('error: only objects have fields, and only their own', () => {
  for (const body of [null, undefined, [], [{ name: 'abc' }], 'name', 5, true]) {
    expect(problemsOf(body)).toEqual(['must be an object']);
  }
  const inherited = Object.create({ name: 'abc', list: 'none' });
  expect(
    parse(z.object({ toString: z.string('must be text').optional(), list: z.int('no') }), inherited).fields,
  ).toEqual({});
});

test('error: problems are refused all at once, and none is no refusal', () => {
  const refusal = { code: 'validation_failed', details: ['name must have three letters', 'and another'] };
  expect(() => throwIfInvalid(['name must have three letters', 'and another'])).toThrow(
    expect.objectContaining({ refusal }),
  );
  expect(() => throwIfInvalid([])).not.toThrow();
});

test('error: a refusal of fields says which each problem concerns, and tells the same sentences', () => {
  const found = schema.safeParse({ name: 'abc', count: 'x', list: [{}] }).error;
  const problems = found === undefined ? [] : fieldProblemsOf(found);
  expect(problems).toEqual([
    { field: 'count', text: 'count must be a number' },
    { field: 'list', text: 'list[0].id must be a number' },
  ]);
  const refusal = { code: 'validation_failed', details: ['count must be a number', 'list[0].id must be a number'] };
  expect(() => refuseFields(problems)).toThrow(expect.objectContaining({ refusal, problems }));
  expect(() => refuseFields(problemsWith('name', null))).not.toThrow();
  expect(fieldProblemsOf(schema.safeParse(5).error ?? new z.ZodError([]))).toEqual([
    { field: null, text: 'must be an object' },
  ]);
});

test('error: what is one sentence tells the first problem', () => {
  expect(parseOrThrow(schema, { name: 'abc' })).toEqual({ name: 'abc', count: 1 });
  const refusal = { code: 'invalid_request', message: 'name must have three letters' };
  expect(() => parseOrThrow(schema, { name: 'A', count: 'x' })).toThrow(expect.objectContaining({ refusal }));
});
