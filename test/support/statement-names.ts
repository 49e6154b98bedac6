import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ts } from '@ts-morph/common';

const STORE = fileURLToPath(new URL('../../src/store/', import.meta.url));
const FRAME = new RegExp(`${RegExp.escape(STORE)}([^:]+):(\\d+):(\\d+)`);

/** What all statements go through. */
const MACHINERY: readonly string[] = ['sql/nouns.ts', 'sqlite/methods.ts', 'sqlite/sql.ts'];

interface Frame {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** Where the store is in the calls that are running now, the outermost first. */
function framesOfStore(): Frame[] {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = Number.POSITIVE_INFINITY;
  // Vitest, too, writes the positions in the source into it.
  const { stack = '' } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  const frames = stack.split('\n').flatMap((text) => {
    const [, path = '', line, column] = FRAME.exec(text) ?? [];
    return path === '' || MACHINERY.includes(path) ? [] : [{ path, line: Number(line), column: Number(column) }];
  });
  return frames.reverse();
}

const files = new Map<string, ts.SourceFile>();

function fileAt(path: string): ts.SourceFile {
  const file =
    files.get(path) ?? ts.createSourceFile(path, readFileSync(STORE + path, 'utf8'), ts.ScriptTarget.Latest, true);
  files.set(path, file);
  return file;
}

function nodeAt({ path, line, column }: Frame): ts.Node {
  const file = fileAt(path);
  const position = file.getPositionOfLineAndCharacter(line - 1, column - 1);
  const innermost = (node: ts.Node): ts.Node => {
    const holds = (child: ts.Node) => child.getStart(file) <= position && position < child.end;
    const child = ts.forEachChild(node, (each) => (holds(each) ? each : undefined));
    return child === undefined ? node : innermost(child);
  };
  return innermost(file);
}

/** The names of the constants, properties and functions around a node, up to the function that it is in, or all. */
function namesAround(node: ts.Node, all: boolean): string[] {
  if (ts.isSourceFile(node) || (ts.isFunctionLike(node) && !all)) return [];
  const outer = namesAround(node.parent, all);
  const isNamed = ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node) || ts.isFunctionDeclaration(node);
  return isNamed && node.name !== undefined && ts.isIdentifier(node.name) ? [...outer, node.name.text] : outer;
}

/**
 * The name of the statement that the store prepares now: the noun, then what the statement, and each function that makes it, is
 * kept as, such as `ownerGigs.unfunded` or `earnings.all.newest`.
 */
export function nameOfStatement(): string {
  return framesOfStore()
    .flatMap((frame, place) => namesAround(nodeAt(frame), place === 0))
    .join('.');
}
