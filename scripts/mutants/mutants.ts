import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import type { Ignorer, NodePath } from '@stryker-mutator/api/ignore';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { GENERATED, MUTATED_ROOMS, type MutatedRoom } from './rooms.ts';

/** A fault: at one place of a file, other code than the file has. */
export interface Mutant {
  /** The switch in the instrumented file; another run of the tool may give another one. */
  readonly id: string;
  readonly file: string;
  /** Where it is in the file at hand, for people; `name` stays when lines are added elsewhere. */
  readonly line: number;
  readonly decides: MutatedRoom['decides'];
  readonly name: MutantName;
}

/** What makes a fault the same one in a later version of its file. */
export interface MutantName {
  /** The first line of the mutated code, without indentation. */
  readonly at: string;
  /** The mutated code, its white space folded, cut at 100 characters. */
  readonly code: string;
  /** What replaces it, written the same way. */
  readonly to: string;
}

/** Files with all faults in them, each behind a switch. */
export interface Mutated {
  readonly mutants: readonly Mutant[];
  /** The instrumented text of each file. */
  readonly files: ReadonlyMap<string, string>;
}

const LONGEST_TEXT = 100;

function folded(code: string): string {
  const text = code.replaceAll(/\s+/g, ' ').trim();
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
}

const silent = (): boolean => false;
const say = (): void => undefined;
const NO_LOG = {
  isTraceEnabled: silent,
  isDebugEnabled: silent,
  isInfoEnabled: silent,
  isWarnEnabled: silent,
  isErrorEnabled: silent,
  isFatalEnabled: silent,
  trace: say,
  debug: say,
  info: say,
  warn: say,
  error: say,
  fatal: say,
};

declare module '@stryker-mutator/api/ignore' {
  /** The parts of Babel's paths that are read here. */
  interface NodePath {
    readonly type: string;
    readonly parentPath: NodePath | null;
    toString(): string;
  }
}

const LOG_CALL = /^(\w+\.)*log\??\.(debug|info|warn|error)\(/;
const NEW_ERROR = /^new \w*Error\(/;

/** Whether a text is in an error, or says what a request to another machine was for, which is in its error. */
function isOfError(path: NodePath): boolean {
  const parent = path.parentPath;
  if (parent?.type === 'NewExpression') return NEW_ERROR.test(parent.toString());
  if (parent?.type !== 'ObjectProperty') return false;
  const property = parent.toString();
  const around = parent.parentPath?.parentPath;
  const isMessage = around?.type === 'NewExpression' && around.toString().startsWith('new AdapterError(');
  return property.startsWith('what: ') || (isMessage && property.startsWith('message: '));
}

/** Log lines and the words of errors for operators decide nothing: faults there are left out. */
const DECIDES_NOTHING: Ignorer = {
  shouldIgnore(path) {
    if (/^((Optional)?CallExpression|ExpressionStatement)$/.test(path.type) && LOG_CALL.test(path.toString()))
      return 'a log line';
    const isText = path.type === 'StringLiteral' || path.type === 'TemplateLiteral';
    return isText && isOfError(path) ? 'the words of an error' : undefined;
  },
};

/** The text of a file between two places as Babel counts them, lines from 0. */
function codeBetween(lines: readonly string[], start: Place, end: Place): string {
  if (start.line === end.line) return (lines[start.line] ?? '').slice(start.column, end.column);
  const between = lines.slice(start.line + 1, end.line);
  return [(lines[start.line] ?? '').slice(start.column), ...between, (lines[end.line] ?? '').slice(0, end.column)].join(
    '\n',
  );
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** Puts every fault that Stryker knows into the files of the rooms. */
export async function mutateRooms(): Promise<Mutated> {
  const instrumenter = new Instrumenter(NO_LOG);
  const rooms = MUTATED_ROOMS.flatMap(({ files, decides }) =>
    globSync([...files], { exclude: GENERATED }).map((file) => ({
      file,
      decides,
      content: readFileSync(file, 'utf8'),
    })),
  ).toSorted((a, b) => (a.file < b.file ? -1 : 1));
  const { files, mutants } = await instrumenter.instrument(
    rooms.map(({ file, content }) => ({ name: file, mutate: true, content })),
    { plugins: null, ignorers: [DECIDES_NOTHING], excludedMutations: [] },
  );
  const roomOf = new Map(rooms.map((room) => [room.file, room]));
  return {
    files: new Map(files.map(({ name, content }) => [name, content])),
    mutants: mutants.flatMap(({ id, fileName, location, replacement, status }) => {
      const room = roomOf.get(fileName);
      if (room === undefined || status === 'Ignored') return [];
      const lines = room.content.split('\n');
      const name = {
        at: (lines[location.start.line] ?? '').trim(),
        code: folded(codeBetween(lines, location.start, location.end)),
        to: folded(replacement),
      };
      return [{ id, file: fileName, line: location.start.line + 1, decides: room.decides, name }];
    }),
  };
}

/**
 * `count` of the faults, drawn by a seed. A fault's place in the draw is a hash of its name, so that a smaller sample is the
 * beginning of a larger one, and a change of one file leaves the draw of the others.
 */
export function drawMutants(mutants: readonly Mutant[], seed: number, count: number): Mutant[] {
  const seen = new Map<string, number>();
  const placed = mutants.map((mutant) => {
    const { at, code, to } = mutant.name;
    const name = [mutant.file, at, code, to].join('\0');
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return { mutant, place: createHash('sha256').update(`${seed}\0${name}\0${before}`).digest('hex') };
  });
  return placed
    .toSorted((a, b) => (a.place < b.place ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant);
}
