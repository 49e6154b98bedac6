import { join } from 'node:path';
import { expect } from 'vitest';
import { type Connections, openConnections } from '../../src/store/sqlite/connection.ts';
import { createIdsFile } from '../../src/store/sqlite/files/ids-file.ts';
import { createReads, createTxMethods } from '../../src/store/sqlite/methods.ts';
import { MIGRATIONS, temporaryFolder } from './store.ts';

/** A statement and the steps of its plan. */
export interface Plan {
  readonly statement: string;
  readonly steps: readonly string[];
}

/** The plan of every statement that the store prepares when it is opened. */
export function plansOf(writer: Connections['writer']): Plan[] {
  const sql = writer.$client;
  const statements = new Set<string>();
  const prepare = sql.prepare.bind(sql);
  // Records what is prepared on this one connection, and prepares it all the same.
  Object.assign(sql, {
    prepare(statement: string) {
      statements.add(statement);
      return prepare(statement);
    },
  });
  createReads(sql, { isEager: true });
  const ids = { file: createIdsFile(sql.name), clock: () => 1, newWord: () => 'word' };
  createTxMethods(sql, { isEager: true, ids, rest: async () => undefined });
  Object.assign(sql, { prepare });
  return [...statements].map((statement) => {
    const values = Array.from(statement.matchAll(/\?/g), () => 1);
    const rows = prepare<unknown[], { detail: string }>(`explain query plan ${statement}`).all(...values);
    return { statement, steps: rows.map(({ detail }) => detail) };
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

/** The steps of the one statement that holds all these parts. */
export function planOf(...parts: readonly string[]): readonly string[] {
  const found = plans().filter(({ statement }) => parts.every((part) => statement.includes(part)));
  expect(found.map(({ statement }) => statement)).toHaveLength(1);
  return found.flatMap(({ steps }) => steps);
}

/** Expects the step or the steps of one statement each, which holds all these parts, with “ … ” between them. */
export function expectPlans(expected: Readonly<Record<string, string | readonly string[]>>): void {
  for (const [parts, steps] of Object.entries(expected)) {
    expect(planOf(...parts.split(' … ')), parts).toEqual([steps].flat());
  }
}
