import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ACTIVE_MUTANT, COVERED_FILE, type Covered, type HostAnswer, type HostRequest } from './messages.ts';

const HOST = 'scripts/mutants/host.ts';

/** A copy of this project, as it is on disk, with other text in some files; packages are shared. */
export function copyProject(files: ReadonlyMap<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'gigclaim-mutants-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  for (const path of listed.split('\0').filter((name) => name !== '')) {
    // A file that git knows may have been deleted.
    cpSync(path, join(folder, path), { force: true, errorOnExist: false });
  }
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  for (const [path, text] of files) writeFileSync(join(folder, path), text);
  return folder;
}

/** Runs tests of the copy, with one fault or none. */
export interface TestRunner {
  /** All test files that may be run. */
  readonly tests: readonly string[];
  /** @returns null when the tests had not ended after the time */
  readonly run: (request: HostRequest, limitMs: number) => Promise<HostAnswer | null>;
  /** What the tests of the last run without a fault came by. */
  readonly covered: () => Covered;
  readonly stop: () => void;
}

interface Host {
  readonly child: ChildProcess;
  readonly tests: readonly string[];
}

function stopHost({ child }: Host): void {
  // It leads a group, in which are its workers and nodes.
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
    process.kill(-child.pid, 'SIGKILL');
}

function startHost(folder: string, coveredFile: string): Promise<Host> {
  const env: NodeJS.ProcessEnv = { ...process.env, NODE_NO_WARNINGS: '1', [COVERED_FILE]: coveredFile };
  delete env[ACTIVE_MUTANT];
  const child = spawn(process.execPath, [HOST], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    child.once('message', (message: { readonly tests: readonly string[] }) => resolve({ child, tests: message.tests }));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${HOST} ended with code ${code}`)));
  });
}

function ask({ child }: Host, request: HostRequest, limitMs: number): Promise<HostAnswer | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(() => resolve(null)), limitMs);
    const heard = (answer: HostAnswer): void => settle(() => resolve(answer));
    const ended = (): void =>
      settle(() => reject(new Error(`${HOST} ended while it ran ${request.tests.map(({ file }) => file).join(', ')}`)));
    function settle(then: () => void): void {
      clearTimeout(timer);
      child.off('message', heard);
      child.off('exit', ended);
      then();
    }
    child.on('message', heard);
    child.on('exit', ended);
    child.send(request);
  });
}

/** @param name tells it from other runners of the same copy */
export async function startTestRunner(folder: string, name: string): Promise<TestRunner> {
  const coveredFile = join(folder, `covered-${name}.json`);
  let host = await startHost(folder, coveredFile);
  const stop = (): void => stopHost(host);
  process.on('exit', stop);
  return {
    tests: host.tests,
    run: async (request, limitMs) => {
      const answer = await ask(host, request, limitMs);
      if (answer !== null) return answer;
      stopHost(host);
      host = await startHost(folder, coveredFile);
      return null;
    },
    covered: () => JSON.parse(readFileSync(coveredFile, 'utf8')) as Covered,
    stop,
  };
}

/** Deletes a copy of this project. */
export function deleteCopy(folder: string): void {
  if (dirname(folder) === tmpdir()) rmSync(folder, { recursive: true, force: true });
}
