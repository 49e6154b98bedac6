import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** A local EVM node of its own. */
export interface AnvilProcess {
  readonly url: string;
  readonly port: number;
  /**
   * Ends the node and waits until its port is free; ending it again does nothing. Hand it to `onTestFinished`, so that a
   * failed test leaves no node behind.
   */
  stop(): Promise<void>;
}

/** This installation has no node for this machine. */
export class AnvilMissing extends Error {
  constructor(options?: ErrorOptions) {
    const machine = `${process.platform} ${process.arch}`;
    super(`anvil is not installed for ${machine}: install again without --omit=optional or --omit=dev`, options);
  }
}

/**
 * The node's own executable. The launcher in `.bin` would answer a signal before its child is gone, which leaves the
 * port taken and, when the launcher is killed, the child behind.
 */
function executable(): string {
  try {
    return findExecutable();
  } catch (cause) {
    throw new AnvilMissing({ cause });
  }
}

function findExecutable(): string {
  const name = process.platform === 'win32' ? 'anvil.exe' : 'anvil';
  return createRequire(import.meta.url).resolve(
    `@foundry-rs/anvil-${process.platform}-${ARCHITECTURES[process.arch]}/bin/${name}`,
  );
}

/** Waits for the line that says where the node listens; the rest of its output is read and dropped. */
function listeningPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      output = (output + chunk).slice(-10_000);
      const port = /Listening on [0-9.]+:([0-9]+)/.exec(output)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      output = (output + chunk).slice(-10_000);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`anvil ended with code ${code}: ${output}`)));
  });
}

/**
 * Starts a node on loopback with chain id 31337, unless another is named, and one block for each transaction, on a free port unless one is named.
 * With `keptStates` it forgets the states of all but so many blocks, which otherwise make each further block dearer.
 * `forkOf` is the URL of a node whose chain it goes on with, apart from it. `network` makes it a rollup of the OP stack, which takes what its L1Block contract says for publishing.
 */
export async function startAnvil(
  options: { port?: number; keptStates?: number; network?: 'optimism'; chainId?: number; forkOf?: string } = {},
): Promise<AnvilProcess> {
  // Where it puts the states of old blocks; in its own place for them they would outlive it, gigabytes in time.
  const states = mkdtempSync(join(tmpdir(), 'gigclaim-anvil-'));
  const args = ['--host', '127.0.0.1', '--port', String(options.port ?? 0), '--cache-path', states];
  if (options.keptStates !== undefined) args.push('--prune-history', String(options.keptStates));
  if (options.forkOf !== undefined) args.push('--fork-url', options.forkOf, '--no-rate-limit');
  if (options.chainId !== undefined) args.push('--chain-id', String(options.chainId));
  if (options.network !== undefined) args.push('--network', options.network);
  const child = spawn(executable(), args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const removeStates = () => rmSync(states, { recursive: true, force: true, maxRetries: 3 });
  const kill = () => {
    child.kill('SIGKILL');
    removeStates();
  };
  process.once('exit', kill);
  const exited = once(child, 'exit');
  const port = await listeningPort(child);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async stop() {
      child.kill('SIGKILL');
      await exited;
      removeStates();
      process.off('exit', kill);
    },
  };
}
