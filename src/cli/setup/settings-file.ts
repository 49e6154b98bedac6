import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

const QUOTES = ["'", '"', '`'];

/** A value as it is read back: only where that is needed it is in quotes, which other programs keep as part of it. */
function written(value: string): string {
  if (!/[#'"`\\]/.test(value)) return value;
  const quote = QUOTES.find((each) => !value.includes(each)) ?? '';
  return `${quote}${value}${quote}`;
}

/**
 * The text of `.env`: that of `.env.example`, which explains each setting, with these values.
 * @throws Error when a value would not be read back as it is
 */
export function settingsText(example: string, values: Readonly<Record<string, string>>): string {
  const left = new Map(Object.entries(values));
  const lines = example.split('\n').map((line) => {
    const name = line.replace(/^#/, '').split('=', 1)[0] ?? '';
    const value = left.get(name);
    left.delete(name);
    return value === undefined ? line : `${name}=${written(value)}`;
  });
  if (lines.at(-1) === '') lines.pop();
  const text = [...lines, ...[...left].map(([name, value]) => `${name}=${written(value)}`), ''].join('\n');
  const read = parseEnv(text);
  const changed = Object.entries(values).filter(([name, value]) => read[name] !== value);
  if (changed.length > 0) throw new Error(`.env cannot hold the value of ${changed.map(([name]) => name).join(', ')}`);
  return text;
}

/**
 * Writes a file that only its owner can read, whole or not at all.
 * @returns false when there is one already, which stays as it is
 */
export function writeOnce(path: string, text: string): boolean {
  const unfinished = `${path}.${process.pid}.new`;
  rmSync(unfinished, { force: true });
  try {
    const file = openSync(unfinished, 'wx', 0o600);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    // Unlike a rename it replaces nothing.
    linkSync(unfinished, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(unfinished, { force: true });
  }
}
