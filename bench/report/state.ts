import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is measured, and what measures it, without what a run writes. */
const CODE = [
  ...['src', 'bench', 'sandbox', 'scripts', 'drizzle', 'drizzle-postgres', 'package.json', 'package-lock.json'],
  ...[':!bench/results.md', ':!bench/results.svg'],
];

/** A state of the code. */
export interface CodeState {
  readonly commit: string;
  /** A hash of what the code has and the commit has not; null when they are the same. */
  readonly changes: string | null;
}

/** @returns null where git does not tell: in an archive, say */
function git(root: string, args: readonly string[]): string | null {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  return status === 0 ? stdout : null;
}

function contentOf(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

/** @returns null where git does not know the folder */
export function readState(root: string): CodeState | null {
  const commit = git(root, ['rev-parse', 'HEAD'])?.trim();
  const status = git(root, ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all', '--', ...CODE]);
  if (commit === undefined || status === null) return null;
  const changed = status.split('\0').filter((line) => line !== '');
  if (changed.length === 0) return { commit, changes: null };
  const hash = createHash('sha256');
  for (const line of changed) {
    const content = contentOf(join(root, line.slice(3)));
    hash.update(`${line}\0${content === null ? 'gone' : content.length}\0`).update(content ?? '');
  }
  return { commit, changes: hash.digest('hex') };
}

export function isSameState(one: CodeState, other: CodeState): boolean {
  return one.commit === other.commit && one.changes === other.changes;
}

/** A state in a few words. */
export function shownState({ commit, changes }: CodeState): string {
  const short = commit.slice(0, 12);
  return changes === null ? short : `${short} with changes that no commit has (${changes.slice(0, 8)})`;
}
