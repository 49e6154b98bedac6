import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

const QUOTES = ["'", '"', '`'];

/** Whether a text is read back from `.env`. */
function isReadBack(name: string, value: string, text: string): boolean {
  return parseEnv(text)[name] === value;
}

/**
 * A setting as it is read back: only where that is needed its value is in quotes, which other programs keep as part of it.
 * @returns null when there is no such text
 */
export function settingLine(name: string, value: string): string | null {
  const lines = ['', ...QUOTES].map((quote) => `${name}=${quote}${value}${quote}`);
  const fitting = /[#'"`\\]/.test(value) ? lines.slice(1) : lines;
  return fitting.find((line) => isReadBack(name, value, line)) ?? null;
}

function lineOf(name: string, value: string): string {
  return settingLine(name, value) ?? `${name}=${value}`;
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
    return value === undefined ? line : lineOf(name, value);
  });
  if (lines.at(-1) === '') lines.pop();
  const text = [...lines, ...[...left].map(([name, value]) => lineOf(name, value)), ''].join('\n');
  const changed = Object.entries(values).filter(([name, value]) => !isReadBack(name, value, text));
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
