import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Connections, openConnections } from '../../../src/store/sqlite/connection.ts';
import { plans } from '../../support/plans.ts';
import { MIGRATIONS, temporaryFolder } from '../../support/store.ts';

const folder = temporaryFolder();
let connections: Connections;

beforeAll(() => {
  connections = openConnections({ path: join(folder.path, 'gigclaim.db'), migrationsFolder: MIGRATIONS });
});

afterAll(() => {
  connections.close();
  folder.remove();
});

const RUNS = 40;
const ROUNDS = 7;
/** A plan takes ten times as long as a run that finds nothing. */
const MOST_TIMES = 2;
/** What binding a few values takes. */
const BINDING_MICROS = 2;

/** The microseconds of processor time of one run, of the quickest of some rounds. */
function timeOf(statement: string, values: readonly unknown[]): number {
  const prepared = connections.writer.$client.prepare<unknown[]>(statement).raw();
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    for (let runs = 0; runs < RUNS; runs += 1) prepared.all(...values);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / RUNS;
  });
  return Math.min(...rounds);
}

/** A statement's twin, with a literal for each value, has one plan from the beginning. */
function twinOf(statement: string) {
  const parts = statement.split('?');
  const isList = (index: number) => parts[index]?.endsWith('json_each(') === true;
  const literal = (index: number) => (isList(index) ? "'[1]'" : '1');
  const text = parts.map((part, index) => (index === parts.length - 1 ? part : part + literal(index))).join('');
  return { text, values: parts.slice(1).map((_, index) => (isList(index) ? '[1]' : 1)) };
}

test('behavior: SQLite keeps the plan of every read: with bound values it takes no longer than with literals', () => {
  const reads = plans().filter(({ statement }) => /^(?:select|with) /.test(statement));
  const slow = reads.flatMap(({ names: [name], statement }) => {
    const { text, values } = twinOf(statement);
    const isSlow = () => timeOf(statement, values) > MOST_TIMES * timeOf(text, []) + BINDING_MICROS;
    // A second look: something else may have used the processor's caches.
    return isSlow() && isSlow() ? [`${name}: ${statement}`] : [];
  });
  expect(reads.length).toBeGreaterThan(250);
  expect(slow).toEqual([]);
});
