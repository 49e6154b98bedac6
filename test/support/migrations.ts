import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './store.ts';

interface Entry {
  readonly tag: string;
}

/** A copy of migrations, of which `list` says which are there; it is gone after the test. */
function copyMigrations(from: string, list: (entries: readonly Entry[]) => readonly Entry[]): string {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const path = join(folder.path, 'migrations');
  cpSync(from, path, { recursive: true });
  const journal = join(path, 'meta/_journal.json');
  const listed = JSON.parse(readFileSync(journal, 'utf8')) as { entries: Entry[] };
  writeFileSync(journal, JSON.stringify({ ...listed, entries: list(listed.entries) }));
  return path;
}

/** The first migrations alone, as an earlier version has them: so many, or those before the one with this tag. */
export function firstMigrations(from: string, until: number | RegExp): string {
  return copyMigrations(from, (entries) => {
    const end = typeof until === 'number' ? until : entries.findIndex(({ tag }) => until.test(tag));
    return entries.slice(0, end);
  });
}

/** One more migration than there is, as a later version has it. */
export function moreMigrations(from: string, statement: string): string {
  const entry = { idx: 9_999, version: '7', when: 9_999_999_999_999, tag: '9999_more', breakpoints: true };
  const path = copyMigrations(from, (entries) => [...entries, entry]);
  writeFileSync(join(path, '9999_more.sql'), statement);
  return path;
}
