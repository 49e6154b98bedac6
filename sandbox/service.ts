import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../src/node-flags.ts';

const BUNDLE = fileURLToPath(new URL('../dist/main.js', import.meta.url));
/** Moves the service's clock on; nothing but the sandbox loads it. */
const CLOCK = new URL('./service-clock.js', import.meta.url);
const RESTART_MS = 500;
const START_TIMEOUT_MS = 20_000;
const TELL_MS = 2_000;

/** State changes of the service's process, for observers. */
export type ServiceEvent = (
  | { readonly type: 'ended'; readonly pid: number | undefined; readonly how: string }
  /** It is ended for a while. */
  | { readonly type: 'stopped'; readonly pid: number | undefined }
  /** It answers again, `ms` after it ended (`back`) or was stopped (`started`). */
  | { readonly type: 'back' | 'started'; readonly pid: number | undefined; readonly ms: number }
  | { readonly type: 'lost'; readonly why: string }
) & {
  /** How many other instances run; absent when there is one alone. */
  readonly others?: number;
};

/** The real service in a process of its own, started again whenever it dies, on the same database. */
export interface ServiceProcess {
  /** Resolves when `/health` answers. */
  start(): Promise<void>;
  /** Of the processes that run. */
  pids(): readonly number[];
  /** Tells its clock how far it is ahead now; resolves when it knows, and at once when it is down. */
  tellTime(): Promise<void>;
  /** Kills it with SIGKILL; it is started again as after any other death. False when it is down already. */
  crash(): boolean;
  /** Ends it as {@link stop} does, and starts it again after the work, also when that fails. */
  whileStopped(work: () => Promise<void>): Promise<void>;
  /** Ends it for good: SIGTERM, and SIGKILL for a service that does not drain. */
  stop(): Promise<void>;
  /** Ends it at once; for the moment at which this process itself ends. */
  kill(): void;
}

async function untilHealthy(url: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const healthy = await fetch(`${url}/health`).then(
      (response) => response.ok,
      () => false,
    );
    if (healthy) return;
    await wait(50);
  }
  throw new Error(`the service did not answer ${url}/health within ${START_TIMEOUT_MS / 1_000} s`);
}

export interface ServiceOptions {
  /** What it is called in what is said; “The service” when absent. */
  name?: string;
  url: string;
  /** All of its environment but PATH. */
  env: Record<string, string>;
  path: string;
  logFile: string;
  say: (line: string) => void;
  /** Told of each death and each return, at once. */
  observe?: (event: ServiceEvent) => void;
  /** How far its clock is ahead of the machine's, in ms; when absent it is the machine's and cannot be moved. */
  ahead?: () => number;
}

/** Supervises the bundled service. Its log goes to `logFile`, its restarts are told to `say`. */
export function createServiceProcess(options: ServiceOptions): ServiceProcess {
  const { name = 'The service', ahead, observe = () => undefined } = options;
  const log = createWriteStream(options.logFile, { flags: 'a' });
  let child: ChildProcess | undefined;
  let stopping = false;
  let restart: NodeJS.Timeout | undefined;

  function launch(): void {
    const clock = ahead === undefined ? [] : ['--import', `${CLOCK}?ahead=${ahead()}`];
    const started = spawn(process.execPath, [...NODE_FLAGS, ...clock, BUNDLE], {
      env: { PATH: options.path, ...NODE_ENVIRONMENT, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe', ...(ahead === undefined ? [] : (['ipc'] as const))],
    });
    started.stdout?.pipe(log, { end: false });
    started.stderr?.pipe(log, { end: false });
    started.on('exit', (code, signal) => {
      if (stopping) return;
      const how = signal ?? `exit code ${code}`;
      options.say(`${name} ended (${how}). Starting it again on the same database.`);
      observe({ type: 'ended', pid: started.pid, how });
      const endedAt = performance.now();
      restart = setTimeout(() => void relaunch(endedAt, 'back'), RESTART_MS);
    });
    child = started;
  }

  async function relaunch(endedAt: number, type: 'back' | 'started'): Promise<void> {
    if (stopping) return;
    launch();
    await untilHealthy(options.url).then(
      () => {
        options.say(`${name} is back, process ${child?.pid}.`);
        observe({ type, pid: child?.pid, ms: Math.round(performance.now() - endedAt) });
      },
      (error: unknown) => {
        options.say(`${name} did not restart: ${error}. Its log: ${options.logFile}`);
        observe({ type: 'lost', why: String(error) });
      },
    );
  }

  async function tellTime(): Promise<void> {
    const running = child;
    if (running === undefined || !running.connected || ahead === undefined) return;
    const known = new Promise<void>((resolve) => {
      running.once('message', () => resolve());
      running.once('exit', () => resolve());
    });
    running.send({ aheadMs: ahead() }, (error) => {
      // It has just ended; the next one is started with the time.
      if (error !== null) options.say(`${name} was not told the time: ${error.message}`);
    });
    await Promise.race([known, wait(TELL_MS)]);
  }

  function living(): ChildProcess | undefined {
    return child?.exitCode === null && child.signalCode === null ? child : undefined;
  }

  async function end(): Promise<void> {
    stopping = true;
    clearTimeout(restart);
    const running = living();
    if (running === undefined) return;
    const ended = new Promise<void>((resolve) => {
      running.once('exit', () => resolve());
    });
    running.kill('SIGTERM');
    const drained = await Promise.race([ended.then(() => true), wait(12_000, false)]);
    if (!drained) running.kill('SIGKILL');
    await ended;
  }

  return {
    start: async () => {
      launch();
      await untilHealthy(options.url);
    },
    pids: () => [living()?.pid ?? []].flat(),
    tellTime,
    crash: () => living()?.kill('SIGKILL') ?? false,
    whileStopped: async (work) => {
      const stoppedAt = performance.now();
      observe({ type: 'stopped', pid: child?.pid });
      await end();
      try {
        await work();
      } finally {
        stopping = false;
        await relaunch(stoppedAt, 'started');
      }
    },
    stop: end,
    kill: () => {
      stopping = true;
      child?.kill('SIGKILL');
    },
  };
}
