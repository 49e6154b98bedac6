import { join } from 'node:path';
import { expect } from 'vitest';
import { type Connections, openConnections } from '../../src/store/sqlite/connection.ts';
import { createIdsFile } from '../../src/store/sqlite/files/ids-file.ts';
import { createReads, createTxMethods } from '../../src/store/sqlite/methods.ts';
import { nameOfStatement } from './statement-names.ts';
import { MIGRATIONS, temporaryFolder } from './store.ts';

/** A statement, what it is called, and the steps of its plan. */
export interface Plan {
  /** Several when several nouns prepare the same statement. */
  readonly names: readonly string[];
  readonly statement: string;
  readonly steps: readonly string[];
}

/** The plan of every statement that the store prepares when it is opened. */
export function plansOf(writer: Connections['writer']): Plan[] {
  const sql = writer.$client;
  const statements = new Map<string, Set<string>>();
  const prepare = sql.prepare.bind(sql);
  // Records what is prepared on this one connection, and prepares it all the same.
  Object.assign(sql, {
    prepare(statement: string) {
      const names = statements.get(statement) ?? new Set();
      statements.set(statement, names.add(nameOfStatement()));
      return prepare(statement);
    },
  });
  createReads(sql, { isEager: true });
  const ids = { file: createIdsFile(sql.name), clock: () => 1, newWord: () => 'word' };
  createTxMethods(sql, { isEager: true, ids, rest: async () => undefined });
  Object.assign(sql, { prepare });
  return [...statements].map(([statement, names]) => {
    const values = Array.from(statement.matchAll(/\?/g), () => 1);
    const rows = prepare<unknown[], { detail: string }>(`explain query plan ${statement}`).all(...values);
    return { names: [...names], statement, steps: rows.map(({ detail }) => detail) };
  });
}

let read: readonly Plan[] | undefined;

/** The plans on an empty database, read once by each worker; tests of their own show that a large one has the same. */
export function plans(): readonly Plan[] {
  if (read !== undefined) return read;
  const folder = temporaryFolder();
  const connections = openConnections({ path: join(folder.path, 'gigclaim.db'), migrationsFolder: MIGRATIONS });
  read = plansOf(connections.writer);
  connections.close();
  folder.remove();
  return read;
}

const LETTERS = 3;
const MOST_NEAR = 5;

/** How much of two names is the same, from 0 to 1. */
function likeness(one: string, other: string): number {
  const pieces = (name: string) => new Set(Array.from(name, (_, at) => name.slice(at, at + LETTERS)));
  const [ones, others] = [pieces(one), pieces(other)] as const;
  return ones.intersection(others).size / ones.union(others).size;
}

/** The steps of the one statement of this name. @throws TypeError when there is none, or are several */
export function planOf(name: string): readonly string[] {
  const found = plans().filter(({ names }) => names.includes(name));
  const [plan] = found;
  if (plan !== undefined && found.length === 1) return plan.steps;
  if (found.length > 1) throw new TypeError(`${found.length} statements are called ${name}`);
  const all = plans().flatMap(({ names }) => names);
  const nearest = all.sort((one, other) => likeness(name, other) - likeness(name, one)).slice(0, MOST_NEAR);
  throw new TypeError(`no statement is called ${name}; near it are ${nearest.join(', ')}`);
}

/** Expects the step or the steps of statements by their names. */
export function expectPlans(expected: Readonly<Record<string, string | readonly string[]>>): void {
  for (const [name, steps] of Object.entries(expected)) expect(planOf(name), name).toEqual([steps].flat());
}
