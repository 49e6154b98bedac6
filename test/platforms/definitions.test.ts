import { expect, test } from 'vitest';
import { PLATFORMS } from '../../src/domain/platforms/platforms.ts';
import { PLATFORM_DEFINITIONS } from '../../src/platforms/index.ts';

test('behavior: each platform that has a row has its settings, in the same order', () => {
  expect(PLATFORM_DEFINITIONS.map(({ facts }) => facts)).toEqual([...PLATFORMS]);
});

test('security: no variable belongs to two platforms, and each begins as its platform says', () => {
  const variables = PLATFORM_DEFINITIONS.flatMap(({ needed, extra, prefixes }) =>
    Object.keys({ ...needed, ...extra }).map((name) => ({
      name,
      begins: prefixes.some((each) => name.startsWith(each)),
    })),
  );
  expect(new Set(variables.map(({ name }) => name)).size).toBe(variables.length);
  expect(variables.filter(({ begins }) => !begins)).toEqual([]);
});
