import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LocalToken } from './chain.ts';
import { clearOperatorEnv } from './operator-env.ts';

/** Where the parts of a running sandbox are; `say` finds them by this. */
export interface SandboxState {
  readonly service: string;
  readonly farcaster: string;
  readonly x: string;
  readonly chain: string;
  /** Decides about bounties. */
  readonly verifier: string;
  /** Takes the events of all gigs. */
  readonly receiver: string;
  /** Between the service and people's Farcaster apps. */
  readonly relay: string;
  /** The node with Farcaster's registries, which is chain 10 to the service. */
  readonly registries: string;
  /** The page that shows all of it. */
  readonly page: string;
  /** The service's database: the path of a file, or a URL. */
  readonly database: string;
  /** The ERC-20 tokens on the chain. */
  readonly tokens: readonly LocalToken[];
  /** How far its clock is ahead of the machine's, in ms. */
  readonly aheadMs: number;
  /** The sandbox's own process. */
  readonly pid: number;
}

/** Where a sandbox leaves its state unless it is told otherwise. */
export const STATE_FILE = fileURLToPath(new URL('../data/sandbox.json', import.meta.url));

export function writeState(file: string, state: SandboxState): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(state, null, 2)}\n`);
}

/** The running sandbox. @throws Error saying how to start one when none runs from this folder */
export function readState(file: string): SandboxState {
  try {
    const state = JSON.parse(readFileSync(file, 'utf8')) as SandboxState; // written by writeState alone
    process.kill(state.pid, 0);
    return state;
  } catch (cause) {
    throw new Error('No sandbox runs from this folder. Start one in another terminal: npm run sandbox', { cause });
  }
}

/** Forgets the sandbox of this process; the state of another one stays. */
export function clearState(file: string): void {
  try {
    if (readState(file).pid !== process.pid) return;
  } catch {
    // Its sandbox has ended.
  }
  rmSync(file, { force: true });
  clearOperatorEnv(file);
}
