import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runAdmin } from '../../src/cli/program.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const DOCUMENTS = [
  'SECURITY.md',
  ...globSync('docs/{api,architecture,operate,operate/*}.md', { cwd: ROOT }),
].toSorted();
/** It names commands of an earlier version. */
const OF_AN_EARLIER_VERSION = /^## Upgrade from [\s\S]*?(?=^## )/m;

/** What a command says about its use, or about what is wrong with it. */
async function helpOf(words: readonly string[]): Promise<string> {
  let output = '';
  const write = (text: string) => {
    output += text;
  };
  const clock = () => 0;
  await runAdmin({ args: [...words, '--help'], env: {}, migrationsFolder: '', clock, stdout: write, stderr: write });
  return output;
}

/** The groups and commands at the top. */
async function topOf(): Promise<string[]> {
  return [...(await helpOf([])).matchAll(/^ {2}([a-z][a-z-]+)(?: |$)/gm)].map(([, name = '']) => name);
}

/** Texts in which a command may stand: code in a line, and lines of code. */
function codeOf(text: string): string[] {
  const fenced = [...text.matchAll(/^ *```(?:sh|console)\n([\s\S]*?)^ *```$/gm)].flatMap(([, code = '']) =>
    code.split('\n'),
  );
  const inline = [...text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '').matchAll(/`([^`]+)`/g)].map(
    ([, code = '']) => code,
  );
  return [...fenced, ...inline].map((code) => code.replaceAll(/\s+/g, ' '));
}

/** The commands of the operator in a document, each as its words and options; `…` and what is to be filled in left out. */
function commandsOf(text: string, top: readonly string[]): string[][] {
  return codeOf(text.replace(OF_AN_EARLIER_VERSION, ''))
    .map((code) => /admin -- (.*)/.exec(code)?.[1] ?? code)
    .map((code) => code.replace(/ (?:#|&&|\|).*$/, '').split(' '))
    .filter(([first = '', second]) => top.includes(first) && (second !== undefined || first === 'doctor'));
}

/** Why a command would not be taken, or null. */
async function problemOf(words: readonly string[]): Promise<string | null> {
  const names = words.filter((word) => /^[a-z][a-z-]*$/.test(word));
  const [group = '', name] = names;
  const help = await helpOf([group]);
  const isGroup = /^Commands:$/m.test(help);
  const isThere = !isGroup || (name !== undefined && new RegExp(`^ {2}${name}(?: |$)`, 'm').test(help));
  if (!isThere) return `${words.join(' ')}: there is no such command`;
  const path = isGroup ? names.slice(0, names[1] === 'owner' ? 3 : 2) : [group];
  const own = await helpOf(path);
  const missing = words.filter((word) => /^--[a-z-]+/.test(word)).map((word) => word.split('=')[0] ?? '');
  const unknown = missing.filter((option) => !own.includes(option));
  return unknown.length === 0 ? null : `${words.join(' ')}: no option ${unknown.join(', ')}`;
}

describe('the operator’s commands', () => {
  test.each(DOCUMENTS)('behavior: those that %s names exist, with their options', async (document) => {
    const commands = commandsOf(read(document), await topOf());
    const problems: (string | null)[] = [];
    for (const words of commands) problems.push(await problemOf(words));
    expect(problems.filter((problem) => problem !== null)).toEqual([]);
  });

  test('error: a command and an option that do not exist are found', async () => {
    const text = 'Run `npm run admin -- gig nothing`, `payment list --nothing` and `gig freeze 42 --reason "…"`.';
    const commands = commandsOf(text, await topOf());
    expect(commands).toHaveLength(3);
    expect([await problemOf(commands[0] ?? []), await problemOf(commands[1] ?? [])]).toEqual([
      'gig nothing: there is no such command',
      'payment list --nothing: no option --nothing',
    ]);
    expect(await problemOf(commands[2] ?? [])).toBeNull();
  });
});

test('behavior: each metric that a document names is one of the service', () => {
  const code = globSync('src/**/*.ts', { cwd: ROOT }).map(read).join('\n');
  const named = DOCUMENTS.flatMap((document) => [...read(document).matchAll(/`(gigclaim_[a-z_]+)`/g)]);
  const names = named.map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(5);
  // The last word of some is put in by the code.
  const isOurs = (name: string) => code.includes(name) || code.includes(`${name.replace(/[a-z]+$/, '')}$`);
  expect(names.filter((name) => !isOurs(name))).toEqual([]);
});
