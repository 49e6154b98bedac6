import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AnvilProcess, startAnvil } from '../sandbox/anvil.ts';
import { serviceEnvironment } from '../sandbox/environment.ts';
import { createFarcasterNetwork, type FarcasterNetwork } from '../sandbox/networks/farcaster.ts';
import { createTwitterNetwork } from '../sandbox/networks/twitter.ts';
import { NETWORK_CREDENTIALS } from '../sandbox/people.ts';
import { freePort } from '../sandbox/port.ts';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../src/node-flags.ts';
import { type Program, SERVER_CORE, startProgram, untilAnswers } from './processes.ts';

const BUNDLE = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const BUNDLER = fileURLToPath(new URL('../scripts/bundle.ts', import.meta.url));

/** What lies around the service on this machine: a chain, both networks, and a folder for what is made on the way. */
export interface Surroundings {
  readonly folder: string;
  readonly anvil: AnvilProcess;
  readonly farcaster: FarcasterNetwork;
  readonly x: ReturnType<typeof createTwitterNetwork>;
  stop(): Promise<void>;
}

export async function startSurroundings(): Promise<Surroundings> {
  const folder = mkdtempSync(join(tmpdir(), 'gigclaim-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const anvil = await startAnvil();
  const farcaster = createFarcasterNetwork(NETWORK_CREDENTIALS.farcaster);
  const x = createTwitterNetwork(NETWORK_CREDENTIALS.twitter);
  await Promise.all([farcaster.start(), x.start()]);
  return {
    folder,
    anvil,
    farcaster,
    x,
    async stop() {
      await Promise.all([farcaster.stop(), x.stop(), anvil.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Bundles the service, as `npm run build` does. */
export async function bundleService(): Promise<void> {
  const { child } = startProgram(process.execPath, [BUNDLER], { core: null });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error('the service could not be bundled');
}

export interface RunningService extends Program {
  readonly port: number;
  readonly url: string;
  readonly logFile: string;
}

/**
 * Starts the bundled service in a process of its own, with both platforms configured, as in production but for the rate
 * limit: it counts every request and refuses none, because one client stands for thousands.
 */
export async function startService(
  surroundings: Surroundings,
  options: {
    databasePath: string;
    core?: number | null;
    env?: Record<string, string>;
    flags?: readonly string[];
    bundle?: string;
    /** Called as soon as the process was started; waits until it answers. */
    watch?: (port: number) => Promise<void>;
  },
): Promise<RunningService> {
  const port = await freePort(0);
  const url = `http://127.0.0.1:${port}`;
  const { folder, anvil, farcaster, x } = surroundings;
  const logFile = join(folder, `service-${port}.log`);
  const env = {
    ...NODE_ENVIRONMENT,
    ...serviceEnvironment({ service: url, farcaster: farcaster.url, x: x.url, chain: anvil.url }, options.databasePath),
    NODE_ENV: 'production',
    RATE_LIMIT_PER_MINUTE: '1000000000',
    MENTION_POLL_SECONDS: '300',
    ...options.env,
  };
  const args = [...NODE_FLAGS, ...(options.flags ?? []), options.bundle ?? BUNDLE];
  const core = options.core === undefined ? SERVER_CORE : options.core;
  const program = startProgram(process.execPath, args, { core, env, stdout: openSync(logFile, 'a') });
  await (options.watch?.(port) ?? untilAnswers(`${url}/health`));
  return { ...program, port, url, logFile };
}
