import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeReport } from '../../bench/report/compose.ts';
import { dropPart, keepPart, type MeasuredPart, readParts } from '../../bench/report/parts.ts';
import { isSameState, readState } from '../../bench/report/state.ts';
import { isMet, type Verdict } from '../../bench/report.ts';
import { temporaryFolder } from '../support/store.ts';

const COMMIT = 'a'.repeat(40);
const NAMES = ['lookups', 'payouts'];
const CLEAN = { names: NAMES, isDirtyAllowed: false };
const DIRTY = { names: NAMES, isDirtyAllowed: true };

let folder: ReturnType<typeof temporaryFolder>;
let out: string;
let picture: string;

beforeEach(() => {
  folder = temporaryFolder();
  out = join(folder.path, 'results.md');
  picture = join(folder.path, 'results.svg');
});
afterEach(() => folder.remove());

const written = () => readFileSync(out, 'utf8');
/** What is wrong with a report of the parts that are kept; null when it was written. */
const writeKept = () => writeReport(out, readParts(folder.path, NAMES), CLEAN);

function measured(part: string, changed: Partial<MeasuredPart> = {}): MeasuredPart {
  const found = { median: 0.6, least: 0.5, most: 0.75 };
  const verdict = { goal: `${part} of the rival`, is: 'at least', bound: 0.5, measured: found } as const;
  return {
    part,
    state: { commit: COMMIT, changes: null },
    machine: '- 2 × Some processor',
    programs: { Redis: '7.0' },
    how: 'Ended 2026-01-01T00:00Z.',
    section: { title: `Part ${part}`, text: 'A table.', verdicts: [verdict] },
    ...changed,
  };
}

test.each<[is: Verdict['is'], bound: number, median: number, met: boolean]>([
  ['at most', 2, 2.004, true],
  ['at most', 2, 2.006, false],
  ['at least', 1_500, 1_499.6, true],
  ['at least', 1_500, 1_499.4, false],
  ['at most', 2, Number.NaN, false],
])('behavior: a figure is held to its goal as it is shown: %s %d, measured %d', (is, bound, median, met) => {
  expect(isMet({ goal: 'a goal', is, bound, measured: { median, least: median, most: median } })).toBe(met);
});

describe('the report', () => {
  test('behavior: is written of parts that ran one by one, names their commit and shows the picture', () => {
    keepPart(folder.path, measured('payouts', { programs: { PostgreSQL: '18.1' } }));
    keepPart(folder.path, measured('lookups'));
    expect(writeKept()).toBeNull();
    const text = written();
    expect(text).toContain(`\n- Commit ${COMMIT}\n- 2 × Some processor\n- Redis 7.0, PostgreSQL 18.1\n`);
    expect(text).toContain(
      '| lookups of the rival | at least 0.50 | 0.60 (0.50–0.75) | met |\n| payouts of the rival |',
    );
    expect(text).toContain('## Part lookups\n\nEnded 2026-01-01T00:00Z.\n\nA table.\n\n## Part payouts\n');
    expect(text).toContain('](results.svg)');
    expect(readFileSync(picture, 'utf8')).toContain(`>Commit ${COMMIT}.`);
  });

  const other = { commit: 'b'.repeat(40), changes: null };
  const dirty = { commit: COMMIT, changes: 'c'.repeat(64) };

  const SEVERAL = 'its parts are of several states of the code: lookups aaaaaaaaaaaa, payouts';
  const CHANGED = 'with changes that no commit has (cccccccc)';

  test.each<[why: string, payouts: Partial<MeasuredPart> | null, problem: string]>([
    ['a part is missing', null, 'not measured: payouts'],
    ['its parts are of two commits', { state: other }, `${SEVERAL} bbbbbbbbbbbb`],
    ['one part has changes that the other has not', { state: dirty }, `${SEVERAL} aaaaaaaaaaaa ${CHANGED}`],
    ['its parts are of two machines', { machine: '- Another' }, 'measured on another machine than lookups: payouts'],
  ])('error: is not written where %s, also not with --dirty', (_why, payouts, problem) => {
    const parts = [measured('lookups'), ...(payouts === null ? [] : [measured('payouts', payouts)])];
    writeFileSync(out, 'older');
    expect(writeReport(out, parts, CLEAN)).toBe(problem);
    expect(writeReport(out, parts, DIRTY)).toBe(problem);
    expect(written()).toBe('older');
    expect(existsSync(picture)).toBe(false);
  });

  test('error: of a dirty tree goes over an older one only with --dirty, and says so', () => {
    const parts = NAMES.map((name) => measured(name, { state: dirty }));
    writeFileSync(out, 'older');
    expect(writeReport(out, parts, CLEAN)).toMatch(/^the code has changes that no commit has: .* say --dirty$/);
    expect(written()).toBe('older');
    expect(writeReport(out, parts, DIRTY)).toBeNull();
    expect(written()).toContain(`\n- **Dirty**: commit ${COMMIT} with changes that no commit has (${dirty.changes})`);
    expect(readFileSync(picture, 'utf8')).toContain(`>Commit ${COMMIT}, DIRTY.`);
  });

  test('error: a part that failed when it was measured again is not in it', () => {
    for (const name of NAMES) keepPart(folder.path, measured(name));
    dropPart(folder.path, 'lookups');
    expect(writeKept()).toBe('not measured: lookups');
  });

  test('error: a part that an older bench kept in another form counts as not measured', () => {
    for (const name of NAMES) keepPart(folder.path, measured(name));
    writeFileSync(join(folder.path, 'parts', 'payouts.json'), '{"part":"payouts"}');
    expect(writeKept()).toBe('not measured: payouts');
  });

  test('behavior: what could not be divided stays no number, and misses its goal', () => {
    const nothing = { median: Number.NaN, least: Number.NaN, most: Number.NaN };
    const verdict = { goal: 'x', is: 'at most', bound: 2, measured: nothing } as const;
    for (const name of NAMES)
      keepPart(folder.path, measured(name, { section: { title: '', text: '', verdicts: [verdict] } }));
    expect(writeKept()).toBeNull();
    expect(written()).toContain('| x | at most 2.00 | – (–––) | **missed** |');
  });
});

describe('the state of the code', () => {
  const run = (...args: string[]) => execFileSync('git', args, { cwd: folder.path, stdio: 'ignore' });
  const write = (path: string, text: string) => writeFileSync(join(folder.path, path), text);

  beforeEach(() => {
    run('init', '--quiet');
    for (const name of ['src', 'bench', 'docs']) mkdirSync(join(folder.path, name));
    for (const path of ['src/a.ts', 'bench/results.md', 'docs/a.md']) write(path, 'old');
    run('add', '--all');
    run('-c', 'user.name=x', '-c', 'user.email=x@example.org', 'commit', '--quiet', '--message', 'x');
  });

  test('behavior: documents, and what the bench writes, are no change of it', () => {
    write('docs/a.md', 'new');
    write('bench/results.md', 'new');
    write('bench/results.svg', 'new');
    const state = readState(folder.path);
    expect(state?.commit).toMatch(/^[0-9a-f]{40}$/);
    expect(state?.changes).toBeNull();
  });

  test('behavior: each change of the code is a state of its own, also in files that git does not know yet', () => {
    const found = [readState(folder.path)];
    for (const path of ['src/a.ts', 'src/b.ts']) {
      for (const text of ['new', 'newer']) {
        write(path, text);
        found.push(readState(folder.path));
      }
    }
    rmSync(join(folder.path, 'src/a.ts'));
    found.push(readState(folder.path));
    const states = found.filter((state) => state !== null);
    expect(states).toHaveLength(6);
    expect(new Set(states.map(({ changes }) => changes)).size).toBe(6);
    const again = readState(folder.path);
    expect(states.map((state) => again !== null && isSameState(state, again))).toEqual([...Array(5).fill(false), true]);
  });

  test('behavior: a folder that git does not know has none', () => {
    rmSync(join(folder.path, '.git'), { recursive: true });
    expect(readState(folder.path)).toBeNull();
  });
});
