import { expect, test } from 'vitest';
import { OptionError, readOptions } from '../../sandbox/options.ts';

test('behavior: without options one instance serves a file', () => {
  expect(readOptions([])).toEqual({ store: 'sqlite', instances: 1 });
});

test('behavior: several instances share a database on PostgreSQL', () => {
  expect(readOptions(['--store', 'postgres', '--instances', '2'])).toEqual({ store: 'postgres', instances: 2 });
  expect(readOptions(['--store=postgres'])).toEqual({ store: 'postgres', instances: 1 });
  expect(readOptions(['--help'])).toBeNull();
});

test.each([
  [['--store', 'mysql'], '--store must be sqlite or postgres, not "mysql".'],
  [['--store', 'postgres', '--instances', '0'], '--instances must be from 1 to 8, not "0".'],
  [['--store', 'postgres', '--instances', '9'], '--instances must be from 1 to 8, not "9".'],
  [['--store', 'postgres', '--instances', '2x'], '--instances must be from 1 to 8, not "2x".'],
  [['--instances', '2'], '--instances 2 needs --store postgres: one instance serves an SQLite file.'],
  [['--shop'], 'The options are --store sqlite|postgres and --instances 1 to 8.'],
  [['postgres'], 'The options are --store sqlite|postgres and --instances 1 to 8.'],
  [['--store'], 'The options are --store sqlite|postgres and --instances 1 to 8.'],
])('error: %j is refused with what is valid', (args, message) => {
  expect(() => readOptions(args)).toThrow(OptionError);
  expect(() => readOptions(args)).toThrow(message);
});
