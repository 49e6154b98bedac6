import { expect } from 'vitest';
import type { Connections } from '../../src/store/sqlite/connection.ts';
import { createIdsFile } from '../../src/store/sqlite/ids-file.ts';
import { createReads, createTxMethods } from '../../src/store/sqlite/methods.ts';

/** The plan of every statement that the store prepares when it is opened: its text, and the steps. */
export function plansOf(writer: Connections['writer']): { statement: string; steps: string[] }[] {
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
  createTxMethods(sql, { isEager: true, ids });
  Object.assign(sql, { prepare });
  return [...statements].map((statement) => {
    const values = Array.from(statement.matchAll(/\?/g), () => 1);
    const rows = prepare<unknown[], { detail: string }>(`explain query plan ${statement}`).all(...values);
    return { statement, steps: rows.map(({ detail }) => detail) };
  });
}

/** The steps of the one statement that holds all these parts. */
export function findPlan(writer: Connections['writer'], parts: readonly string[]): string[] {
  const found = plansOf(writer).filter(({ statement }) => parts.every((part) => statement.includes(part)));
  expect(found.map(({ statement }) => statement)).toHaveLength(1);
  return found.flatMap(({ steps }) => steps);
}
