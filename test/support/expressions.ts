import { readFileSync } from 'node:fs';
import { ts } from '@ts-morph/common';

/** A regular expression that the source holds, and where. */
export interface Expression {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly pattern: RegExp;
}

/** The regular expression literals of source files. */
export function expressionsOf(paths: readonly string[]): Expression[] {
  return paths.flatMap((path) => {
    const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
    const found: Expression[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf('/');
        const pattern = new RegExp(node.text.slice(1, end), node.text.slice(end + 1));
        const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
        found.push({ path, line: line + 1, text: node.text, pattern });
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
    return found;
  });
}

/** A character of each class that a pattern names. */
const SAMPLES: readonly (readonly [RegExp, string])[] = [
  [/\\s|\\t|\\p\{White/, ' '],
  [/\\d|\\w|0-9|\\p\{N/, '0'],
  [/\\S|\\w|\\p\{L|\[\^|a-z|a-f|A-Z|\./, 'a'],
  [/\\p\{M/, '\u0301'],
];
const MARKS = /[-"'=,:@/#<>._ ]/g;
const MOST_ATOMS = 9;

/** Words and characters that a pattern reads: what runs of it can be made of. */
function atomsOf({ source }: RegExp): string[] {
  const plain = source
    .replaceAll(/\[(?:\\.|[^\]\\])*\]|\\[pPuxbBdDsSwWkntr](?:\{[^}]*\})?|\(\?(?:<?[=!]|:)|\{[\d,]*\}/g, '\0')
    .replaceAll(/\\(.)/g, '$1')
    .replaceAll(/(?<=[\w /])\?/g, '');
  const words = plain.match(/[\w:/@ .,#"=;!-]+/g) ?? [];
  const classes = SAMPLES.filter(([named]) => named.test(source)).map(([, sample]) => sample);
  return [...new Set([...classes, ...words, ...(source.match(MARKS) ?? [])])].slice(0, MOST_ATOMS);
}

/** A text to repeat, and an end that keeps a pattern from matching at the end of the run. */
export interface Pump {
  readonly pump: string;
  readonly end: string;
}

/** Pumps that make a pattern go back: each thing that it reads, and each two of them, before each kind of end. */
export function pumpsOf(pattern: RegExp): Pump[] {
  const atoms = atomsOf(pattern);
  const pumps = [...new Set(atoms.flatMap((one) => [one, ...atoms.map((other) => one + other)]))];
  const ends = ['', '\0', ' \0\n', ...(pattern.source.includes('[^"') ? ['"'] : [])];
  return pumps.flatMap((pump) => ends.map((end) => ({ pump, end })));
}

/** A pump, repeated to a length in UTF-16 units. */
export function pumped({ pump, end }: Pump, length: number): string {
  return pump.repeat(Math.ceil(length / pump.length)).slice(0, length - end.length) + end;
}

const NEVER = new Int32Array(new SharedArrayBuffer(4));

/**
 * Milliseconds of processor time that work takes: the least of a few tries, because compilation and the collection of garbage
 * count, too, also of what other tests have left behind. It stops trying at `enough`, and where no further try can help.
 */
export function processorTime(work: () => unknown, enough: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 12 && least > enough && (tries < 2 || least < 10 * enough); tries++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
    // Threads that collect garbage come to an end meanwhile.
    if (tries > 1 && least > enough) Atomics.wait(NEVER, 0, 0, 25);
  }
  return least;
}

/** Searches a text for all that a pattern finds in it, as the source may. */
export function searchAll(pattern: RegExp, text: string): void {
  if (!pattern.sticky) text.replace(pattern, '');
  else for (pattern.lastIndex = 0; pattern.test(text) && pattern.lastIndex < text.length; );
}
