import { expect, test } from 'vitest';
import { keyOf } from '../../../sandbox/owners/keys.ts';
import { PEOPLE } from '../../../sandbox/people.ts';

test('behavior: the key of each person is that of the address', () => {
  expect(PEOPLE.map((one) => keyOf(one).address)).toEqual(PEOPLE.map(({ address }) => address));
});
