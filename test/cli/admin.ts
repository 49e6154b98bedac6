import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject } from 'vitest';
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
    /** This field of each item of the list that a command printed as JSON. */
    async column(field: string, ...args: string[]): Promise<unknown[]> {
      const items: object[] = JSON.parse((await admin([...args, '--json'])).out);
      return items.map((item) => Reflect.get(item, field));
    },
    async close() {
      await store.close();
      folder.remove();
    },
  };
}

export type Desk = Awaited<ReturnType<typeof openDesk>>;

/** The desk of the test that runs, in a file that uses {@link useDesk}. */
export let desk: Desk;

/** Gives each test of a file a desk; the environment may be made anew for each. */
export function useDesk(
  environment: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>) = {},
): void {
  beforeEach(async () => {
    desk = await openDesk(typeof environment === 'function' ? await environment() : environment);
  });
  afterEach(() => desk.close());
}

/** What a command printed that succeeded without a complaint. */
export async function output(outcome: Outcome | Promise<Outcome>): Promise<string> {
  const { code, out, err } = await outcome;
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}

/** The same, line by line. */
export async function outputLines(outcome: Outcome | Promise<Outcome>): Promise<string[]> {
  const printed = (await output(outcome)).split('\n');
  expect(printed.pop()).toBe('');
  return printed;
}

/** The same of a table: each line with its cells, or so many of them, between bars. */
export async function outputRows(outcome: Outcome | Promise<Outcome>, cells?: number): Promise<string[]> {
  return (await outputLines(outcome)).map((line) => line.trim().split(/ {2,}/).slice(0, cells).join('|'));
}

/** Why a command failed, whatever it printed besides. */
export async function failure(outcome: Outcome | Promise<Outcome>): Promise<string> {
  const { code, err } = await outcome;
  expect(code).toBe(1);
  return err;
}

/** Why a command failed, which printed nothing besides. */
export async function refusal(outcome: Outcome | Promise<Outcome>): Promise<string> {
  const { code, out, err } = await outcome;
  expect({ code, out }).toEqual({ code: 1, out: '' });
  return err;
}
