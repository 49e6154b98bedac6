import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { composeOf, notesOf } from './release/texts.ts';

// What the release workflow writes to files: `compose IMAGE`, `notes SOURCE`, or `check TAG`, which fails for another tag than
// that of this version.

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
const { version } = manifest;

function textOf(what: string | undefined, value: string): string {
  if (what === 'compose') return composeOf(read('compose.yaml'), value);
  if (what === 'notes') return notesOf(read('CHANGELOG.md'), { version, source: value });
  if (what !== 'check') throw new Error('usage: node scripts/release.ts compose IMAGE | notes SOURCE | check TAG');
  if (value !== `v${version}`) throw new Error(`the tag is ${value}, and the version ${version}`);
  return `${version}\n`;
}

const [what, value = ''] = process.argv.slice(2);
process.stdout.write(textOf(what, value));
