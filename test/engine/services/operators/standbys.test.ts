import { expect, test } from 'vitest';
import { judgeStandbys } from '../../../../src/services/operators/store-status.ts';

const GRANT = 'pg_monitor to gigclaim';

const NAMES = 'synchronous_standby_names';
const NONE = /^No standby holds your latest commits$/;

test.for([
  ['no standby', '', [], 'warning', NONE, 'back up'],
  ['no standby, though one is named', 'a', [], 'warning', NONE, 'back up'],
  ['asynchronous ones alone', '', [false, false], 'failed', /^2 standbys, and none is synchronous/, NAMES],
  ['unseen ones, and none is named', ' ', [null], 'failed', /^1 standby, and none is synchronous/, GRANT],
  ['a synchronous one', 'a', [true], 'safe', /^1 standby with all that is committed$/, ''],
  ['a synchronous one and another', 'a', [true, false], 'safe', /, and 1 that must not become the primary$/, ''],
  ['unseen ones, and one is named', 'a', [null], 'warning', /^1 standby, and this user may not see/, GRANT],
  [
    'storage of the host',
    '',
    [],
    'safe',
    /^The storage of your host keeps .* POSTGRES_DURABLE=storage says$/,
    '',
    true,
  ],
  ['asynchronous ones, and storage of the host', '', [false], 'failed', /^1 standby, and none/, NAMES, true],
  ['others than the named one', 'a', [false], 'failed', /^1 standby, and none of them is named .* \(a\)$/, NAMES],
] as const)('behavior: %s', ([, synchronousNames, kinds, state, text, remedy, isKeptByStorage = false]) => {
  const standbys = kinds.map((isSynchronous, index) => ({ name: `${index}`, isSynchronous }));
  const found = judgeStandbys({ standbys, synchronousNames, user: 'gigclaim', isKeptByStorage });
  expect(found.state).toBe(state);
  expect(found.text).toMatch(text);
  expect(found.remedy).toContain(remedy);
});
