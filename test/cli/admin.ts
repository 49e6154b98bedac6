import { join } from 'node:path';
import { inject } from 'vitest';
import { runAdmin } from '../../src/cli/program.ts';
import type { Screen } from '../../src/cli/progress.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/port/index.ts';
import { readAmpleDisk } from '../support/disk.ts';
import { MIGRATIONS, SEEDED_AT, temporaryFolder, writeEmptyDatabase } from '../support/store.ts';

/** What a command wrote and how it ended. */
export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** An operator's desk: a database of its own, and commands that run on it as `npm run admin` runs them. */
export async function openDesk(environment: Record<string, string> = {}) {
  const folder = temporaryFolder();
  const path = join(folder.path, 'gigclaim.db');
  await writeEmptyDatabase(path);
  const env = { DATABASE_URL: `file:${path}`, CHAINS: 'anvil', RPC_URL_31337: inject('anvilUrl'), ...environment };
  const store: Store = await openStore({ url: path, migrationsFolder: MIGRATIONS });

  /** Runs a command at the time of the seeded rows, or at another one; `env` adds to the desk's environment. */
  async function admin(
    args: readonly string[],
    options: {
      env?: Record<string, string>;
      readDisk?: typeof readAmpleDisk;
      clock?: () => number;
      /** The width of a terminal that stdout is. */
      width?: number;
      /** The terminal that stderr is. */
      screen?: Screen;
    } = {},
  ): Promise<Outcome> {
    let out = '';
    let err = '';
    const code = await runAdmin({
      args,
      env: { ...env, ...options.env },
      migrationsFolder: MIGRATIONS,
      clock: options.clock ?? (() => SEEDED_AT),
      readDisk: options.readDisk ?? readAmpleDisk,
      width: options.width ?? null,
      screen: options.screen ?? null,
      elapsed: () => performance.now(),
      stdout: (text) => {
        out += text;
      },
      stderr: (text) => {
        err += text;
      },
    });
    return { code, out, err };
  }

  return {
    store,
    path,
    env,
    admin,
    /** The JSON that a command printed. @throws SyntaxError when it printed anything else */
    async json(...args: string[]): Promise<unknown> {
      return JSON.parse((await admin([...args, '--json'])).out);
    },
    async close() {
      await store.close();
      folder.remove();
    },
  };
}

export type Desk = Awaited<ReturnType<typeof openDesk>>;
