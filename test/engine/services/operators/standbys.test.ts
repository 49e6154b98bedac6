import { expect, test } from 'vitest';
import { judgeStandbys } from '../../../../src/services/operators/store-status.ts';

const GRANT = 'pg_monitor to gigclaim';

test.for([
  ['no standby', '', [], 'warning', /^No standby holds your latest commits$/, 'back up'],
  ['no standby, though one is named', 'a', [], 'warning', /^No standby holds your latest commits$/, 'back up'],
  [
    'asynchronous ones alone',
    '',
    [false, false],
    'failed',
    /^2 standbys, and none is synchronous/,
    'synchronous_standby_names',
  ],
  ['those that cannot be seen, and none is named', ' ', [null], 'failed', /^1 standby, and none is synchronous/, GRANT],
  ['a synchronous one', 'a', [true], 'safe', /^1 standby with all that is committed$/, ''],
  ['a synchronous one and another', 'a', [true, false], 'safe', /, and 1 that must not become the primary$/, ''],
  [
    'those that cannot be seen, and one is named',
    'a',
    [null],
    'warning',
    /^1 standby, and this user may not see/,
    GRANT,
  ],
  [
    'those that are not the named one',
    'a',
    [false],
    'failed',
    /^1 standby, and none of them is named .* \(a\)$/,
    'synchronous_standby_names',
  ],
] as const)('behavior: %s', ([, synchronousNames, kinds, state, text, remedy]) => {
  const standbys = kinds.map((isSynchronous, index) => ({ name: `${index}`, isSynchronous }));
  const found = judgeStandbys({ standbys, synchronousNames, user: 'gigclaim' });
  expect(found.state).toBe(state);
  expect(found.text).toMatch(text);
  expect(found.remedy).toContain(remedy);
});
