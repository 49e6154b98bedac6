import { join } from 'node:path';
import { type SandboxState, writeState } from '../../sandbox/state.ts';
import { type Running, run } from './process.ts';
import { temporaryFolder } from './store.ts';

/** A whole sandbox in a process of its own, with its service. */
export interface Sandbox {
  /** The address of its page. */
  readonly page: string;
  readonly service: string;
  readonly farcaster: string;
  readonly x: string;
  readonly chain: string;
  /** For `x-api-key`. */
  readonly apiKey: string;
  /** With which `say` and the like find it. */
  readonly stateFile: string;
  output(): string;
  /** Ends it and everything it started, and forgets what it kept. */
  stop(): Promise<void>;
}

const READY =
  /^sandbox ready service=(\S+) farcaster=(\S+) x=(\S+) chain=(\S+) service_pid=[0-9]+ database=\S+ page=(\S+)$/m;

/** Starts a sandbox beside any others, and waits until it is ready. */
export async function startSandbox(): Promise<Sandbox> {
  const folder = temporaryFolder();
  const stateFile = join(folder.path, 'sandbox.json');
  const sandbox: Running = run('sandbox/main.ts', {
    env: { SANDBOX_STATE_FILE: stateFile, SANDBOX_ANY_PORTS: 'true' },
  });
  const [, service = '', farcaster = '', x = '', chain = '', page = ''] = await sandbox.seen(READY);
  const [, apiKey = ''] = /x-api-key: (gck_\S+)'/.exec(sandbox.output()) ?? [];
  return {
    page,
    service,
    farcaster,
    x,
    chain,
    apiKey,
    stateFile,
    output: sandbox.output,
    stop: async () => {
      sandbox.child.kill('SIGINT');
      await sandbox.ended;
      folder.remove();
    },
  };
}

/** Writes the state of a sandbox of which only this much is there. */
export function writePartOfState(
  path: string,
  part: Pick<SandboxState, 'database' | 'aheadMs' | 'pid'> & Partial<SandboxState>,
): void {
  const nowhere = { service: '', farcaster: '', x: '', chain: '', verifier: '', receiver: '', relay: '' };
  writeState(path, { ...nowhere, registries: '', page: '', tokens: [], ...part });
}

/** What a button of the sandbox's page has answered. */
export interface Pressed {
  readonly ok: boolean;
  readonly message: string;
}

/** Presses the button of a page that leads to a path, with these fields in its form. */
export async function press(page: string, path: string, fields: Record<string, string> = {}): Promise<Pressed> {
  const headers = { origin: page, accept: 'application/json' };
  const answer = await fetch(`${page}${path}`, { method: 'POST', body: new URLSearchParams(fields), headers });
  return (await answer.json()) as Pressed;
}
