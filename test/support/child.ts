import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('./store-child.ts', import.meta.url));

/** A process that works on a store. */
export interface StoreChild {
  /** What it had said when it said `done`. */
  readonly said: readonly string[];
  /** Kills it as a crash would, and waits until it is gone. */
  kill(): Promise<void>;
}

/** Starts a process that does the work `name` of `store-child.ts` on the store at `path`; settles when it is done. */
export async function startStoreChild(name: string, path: string): Promise<StoreChild> {
  const child = spawn(process.execPath, [SCRIPT, name, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (line === 'done') break;
  }
  if (said.at(-1) !== 'done') throw new Error(`the child ended before it was done: ${said.join(', ')}`);
  return {
    said,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Runs a process that does the work `name` of `store-child.ts`, until it ends by itself. */
export async function runStoreChild(name: string, path: string) {
  const child = spawn(process.execPath, [SCRIPT, name, path], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [said, failure, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { said: said.split('\n').filter((line) => line !== ''), failure, code: Number(code) };
}
