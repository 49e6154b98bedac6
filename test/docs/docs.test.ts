import { existsSync, globSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { anchors, placeOf, prose, ROOT, read, targetsIn } from './markdown.ts';

const DOCUMENTS = [
  'AGENTS.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
  ...globSync('docs/**/*.md', { cwd: ROOT }),
].toSorted();
/** What a document names as a path: text in backquotes that begins with one of these. */
const FOLDERS = [
  ...['.ci', '.github', 'bench', 'contracts', 'deploy', 'docs', 'drizzle', 'drizzle-postgres', 'sandbox', 'scripts'],
  ...['src', 'test'],
];
/** Rooms of `src`, which a document about the code may name without it. */
const ROOMS = ['domain', 'store', 'chain', 'platforms', 'services', 'bot', 'http', 'jobs', 'cli'];
/** Paths that only exist once something has been built or run. */
const MADE = ['data/', 'dist/'];

/** What stands in backquotes. */
function quotedIn(text: string): string[] {
  return [...prose(text).matchAll(/`([^`\n]+)`/g)].map(([, code]) => code ?? '');
}

/** What is quoted and is a path of this project, `{a,b}` and `*` included. */
function namedPaths(text: string): string[] {
  const whole = quotedIn(text).map((code) =>
    ROOMS.some((room) => code.startsWith(`${room}/`)) ? `src/${code}` : code,
  );
  return whole.filter((code) => {
    if (/[\s<>…]/.test(code) || MADE.some((folder) => code.startsWith(folder))) return false;
    return FOLDERS.includes(code) || FOLDERS.some((folder) => code.startsWith(`${folder}/`));
  });
}

/** A file is often named without its folder, in a row of files of one folder. */
function namedFiles(text: string): string[] {
  return quotedIn(text).filter((code) => /^[\w.-]+\.(?:ts|js|sql|css|json|yaml|yml)$/.test(code));
}

function scripts(text: string): string[] {
  const run = [...text.matchAll(/npm run (?:-s )?([a-z][\w:-]*)/g)].map(([, name]) => name ?? '');
  const short = [...text.matchAll(/npm (start|test)\b/g)].map(([, name]) => name ?? '');
  return [...run, ...short];
}

/** The problem of a link in a document, or null. */
function problemOf(document: string, target: string): string | null {
  if (/^[a-z]+:/.test(target)) return null;
  const { path: linked, anchor } = placeOf(document, target);
  if (!existsSync(join(ROOT, linked))) return `${target}: there is no ${linked}`;
  if (anchor === undefined || anchors(read(linked)).includes(anchor)) return null;
  return `${target}: ${linked} has no heading ${anchor}`;
}

describe.each(DOCUMENTS)('%s', (document) => {
  const text = read(document);

  test('behavior: each path that it names exists', () => {
    expect(namedPaths(text).filter((path) => globSync(path, { cwd: ROOT }).length === 0)).toEqual([]);
  });

  test('behavior: each file that it names without a folder exists', () => {
    const ignored = (path: string) => path === 'node_modules' || path === 'dist' || path === '.git';
    const missing = namedFiles(text).filter(
      (name) => globSync(`**/${name}`, { cwd: ROOT, exclude: ignored }).length === 0 && !existsSync(join(ROOT, name)),
    );
    expect(missing).toEqual([]);
  });

  test('behavior: each npm script that it names exists', () => {
    expect(scripts(text).filter((name) => !(name in manifest.scripts))).toEqual([]);
  });

  test('behavior: each link leads to a file, and to a heading of it', () => {
    expect(
      targetsIn(text)
        .map((target) => problemOf(document, target))
        .filter((problem) => problem !== null),
    ).toEqual([]);
  });
});

describe('the front page', () => {
  const lines = read('README.md').trimEnd().split('\n');

  test('behavior: its first lines say what the service does, what you do, and the two commands to try it', () => {
    const first = lines.slice(0, 20).join(' ');
    expect(first).toMatch(/\*\*The service\*\* .*pays claims.*\*\*You\*\* create gigs .*award the tips/);
    expect(first).toContain('npm install && npm run sandbox');
    expect(first).toContain('npm install && npm test');
  });

  test('behavior: it stays a front page', () => {
    expect(lines.length).toBeLessThanOrEqual(120);
  });

  test('behavior: its pictures, and all others of the documents, have at most 60 kB', () => {
    const pictures = globSync('.github/images/*', { cwd: ROOT });
    expect(pictures.length).toBeGreaterThan(5);
    expect(pictures.filter((path) => statSync(join(ROOT, path)).size > 60_000)).toEqual([]);
  });

  test('behavior: it leads to every document', () => {
    const reached = new Set(['README.md']);
    for (const document of reached) {
      for (const [, target = ''] of prose(read(document)).matchAll(/\]\(([^)#\s]+)/g)) {
        const linked = relative(ROOT, join(ROOT, dirname(document), target));
        const found = linked.endsWith('.md') ? [linked] : globSync(join(linked, '*.md'), { cwd: ROOT });
        for (const path of found) if (DOCUMENTS.includes(path)) reached.add(path);
      }
    }
    expect([...reached].toSorted()).toEqual(DOCUMENTS);
  });
});

describe('what the checks find', () => {
  test('error: a path, a script and a link that lead nowhere', () => {
    const named = namedPaths('`src/nowhere.ts` `src/{bot,cli}` `a/b` `src/<name>` `http/x`');
    expect(named).toEqual(['src/nowhere.ts', 'src/{bot,cli}', 'src/http/x']);
    expect(scripts('npm run -s admin -- x, npm run nothing, npm start')).toEqual(['admin', 'nothing', 'start']);
    expect(problemOf('docs/api.md', 'nothing.md')).toBe('nothing.md: there is no docs/nothing.md');
    const heading = '../README.md#nothing: README.md has no heading nothing';
    expect(problemOf('docs/api.md', '../README.md#nothing')).toBe(heading);
    expect(problemOf('docs/api.md', 'operate.md#with-docker-compose')).toBeNull();
  });
});
