import { expect, test } from 'vitest';
import { judgeStandbys } from '../../../src/services/operators/store-standing.ts';

const GRANT = 'pg_monitor to gigclaim';

test.for([
  ['no standby', '', [], true, /^Warning: no standby/, ''],
  ['no standby, though one is named', 'a', [], true, /^Warning: no standby/, ''],
  [
    'asynchronous ones alone',
    '',
    [false, false],
    false,
    /^2 standbys, and none is synchronous/,
    'synchronous_standby_names',
  ],
  ['those that cannot be seen, and none is named', ' ', [null], false, /^1 standby, and none is synchronous/, GRANT],
  ['a synchronous one', 'a', [true], true, /^1 standby with all that is committed$/, ''],
  ['a synchronous one and another', 'a', [true, false], true, /, and 1 that must not become the primary$/, ''],
  [
    'those that cannot be seen, and one is named',
    'a',
    [null],
    true,
    /^Warning: 1 standby, of which this user may not see/,
    GRANT,
  ],
  [
    'those that are not the named one',
    'a',
    [false],
    false,
    /^1 standby, and none of them is named .* \(a\)$/,
    'synchronous_standby_names',
  ],
] as const)('behavior: %s', ([, synchronousNames, kinds, isSafe, text, remedy]) => {
  const standbys = kinds.map((isSynchronous, index) => ({ name: `${index}`, isSynchronous }));
  const found = judgeStandbys({ standbys, synchronousNames, user: 'gigclaim' });
  expect(found.isSafe).toBe(isSafe);
  expect(found.text).toMatch(text);
  expect(found.remedy).toContain(remedy);
});
