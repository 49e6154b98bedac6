import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Where Node keeps what it compiled for an earlier process: that is a third of the work of starting one. */
const COMPILED = `${ROOT}/node_modules/.cache/compiled`;

/** A program of this project in a process of its own. */
export interface Running {
  readonly child: ChildProcess;
  /** What it has written so far, on both outputs. */
  output(): string;
  /** Resolves with the first match in the output. @throws Error with the output when the process ends before */
  seen(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves with the exit code, or the signal's name. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Runs a script of this project with this environment and nothing else but PATH and Node's compile cache. */
export function run(
  script: string,
  options: { env?: Record<string, string>; flags?: readonly string[]; args?: readonly string[]; cwd?: string } = {},
): Running {
  const { flags = [], args = [] } = options;
  const child = spawn(process.execPath, [...flags, `${ROOT}/${script}`, ...args], {
    cwd: options.cwd ?? ROOT,
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: COMPILED, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const listeners = new Set<() => void>();
  const collect = (chunk: string) => {
    output += chunk;
    for (const listener of listeners) listener();
  };
  child.stdout.setEncoding('utf8').on('data', collect);
  child.stderr.setEncoding('utf8').on('data', collect);
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 1));
  });
  return {
    child,
    output: () => output,
    ended,
    seen: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(output);
          if (match === null) return;
          listeners.delete(look);
          resolve(match);
        };
        listeners.add(look);
        look();
        void ended.then((code) => reject(new Error(`ended with ${code} before it wrote ${pattern}:\n${output}`)));
      }),
  };
}
