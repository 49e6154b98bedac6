import { existsSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { keepCompiled } from './compile-cache.ts';
import type { Config } from './config.ts';
import type { Log } from './log.ts';
import type { Runtime } from './runtime.ts';

const WANTED_NODE = 24;
const DRAIN_MS = 10_000;
/** Signals within this time are one signal, milliseconds. */
const ONE_SIGNAL_MS = 1_000;
/** How long requests get 503, and `/ready` says why, before the process ends whose database was moved. */
const MOVED_MS = 10_000;
/** `EX_CONFIG` of sysexits.h: DATABASE_URL is to be set anew, so that no restart helps. */
const MOVED_EXIT = 78;
/** Requests come first: background work begins by loading the platforms' SDKs, which blocks the thread. */
const FIRST_WORK_MS = 50;

function checkNode(): void {
  const major = Number(process.versions.node.split('.')[0]);
  if (major >= WANTED_NODE) return;
  process.stderr.write(
    `gigclaim needs Node ${WANTED_NODE} or newer, this is ${process.version}.\n` +
      'Start it with `npm start`, which uses the Node that `npm install` put into node_modules, or install a newer Node.\n',
  );
  process.exit(1);
}

/** Imported late: on an older Node the native module would crash the process before the version check's message. */
async function loadParts() {
  const [configs, errors, logs, terminal, patience, runtimes] = await Promise.all([
    import('./config.ts'),
    import('./domain/errors.ts'),
    import('./log.ts'),
    import('./terminal.ts'),
    import('./http/patience.ts'),
    import('./runtime.ts'),
  ]);
  return { ...configs, ...errors, ...logs, ...patience, ...runtimes, terminal };
}

type Parts = Awaited<ReturnType<typeof loadParts>>;

function readConfig({ ConfigError, loadConfig }: Parts, warnings: readonly string[]): Config {
  try {
    return loadConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write([error.message, ...warnings.map((warning) => `Warning: ${warning}`), ''].join('\n'));
    process.exit(1);
  }
}

/** A person reads a terminal; whatever else the output goes to gets JSON. */
function openLog(
  { createLog, createSourcePositions, secretsOf, summarizeError, terminal }: Parts,
  config: Config,
): Log {
  const screen = { write: (line: string) => void process.stdout.write(terminal.terminalLine(line)) };
  const log = createLog({
    level: config.logLevel,
    secrets: secretsOf(config),
    namePositions: createSourcePositions(),
    ...(process.stdout.isTTY === true ? { destination: screen } : {}),
  });
  // Node would print a line of the bundle. Nothing goes on after it, as a failed sync of the database demands.
  process.on('uncaughtException', (error) => {
    log.fatal({ error: summarizeError(error) }, 'the process ends after an unhandled failure');
    process.exit(1);
  });
  return log;
}

/** Ends the process at a signal, or when the database was moved. Returns what is called with the service that has started. */
function endOnSignals(log: Log): (started: Runtime) => void {
  let runtime: Runtime | null = null;
  let since: number | null = null;
  async function drain(working: Runtime): Promise<boolean> {
    const ended = await Promise.race([working.stop().then(() => true), wait(DRAIN_MS, false)]);
    log.info({ drained: ended }, ended ? 'stopped' : 'stopped with work under way; it resumes at the next start');
    return ended;
  }
  async function stop(signal: NodeJS.Signals): Promise<void> {
    // Before that nothing is under way that a start could not begin again.
    if (runtime === null) process.exit(0);
    // npm hands a signal on that a terminal, or a stop of the process group, has sent to the service as well.
    if (since !== null && performance.now() - since < ONE_SIGNAL_MS) return;
    if (since !== null) process.exit(1);
    since = performance.now();
    log.info({ signal }, 'stopping; a second signal, at least a second later, stops at once');
    process.exit((await drain(runtime)) ? 0 : 1);
  }
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return (started) => {
    runtime = started;
    void started.moved.then(async (reason) => {
      log.fatal({}, `${reason}. Requests get 503 from now on, and this process ends in 10 seconds`);
      await wait(MOVED_MS);
      // A signal that came meanwhile ends it.
      if (since !== null) return;
      since = performance.now();
      await drain(started);
      process.exit(MOVED_EXIT);
    });
  };
}

async function listen(
  { server, host, port }: { server: Server; host: string; port: number },
  failed: (error: unknown) => never,
): Promise<number> {
  server.on('error', failed);
  await new Promise<void>((resolve) => void server.listen(port, host, resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

async function main(): Promise<void> {
  const parts = await loadParts();
  const { ConfigError, StoreMoved, settingWarnings, summarizeError, terminal } = parts;
  if (existsSync('.env')) process.loadEnvFile('.env');
  const warnings = settingWarnings(process.env);
  const config = readConfig(parts, warnings);
  const { host } = config;
  const isTerminal = process.stdout.isTTY === true;
  const log = openLog(parts, config);
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const follow = endOnSignals(log);

  function giveUp(error: unknown, message: string): never {
    // Printed once and without a stack, like every configuration error.
    if (error instanceof ConfigError) process.stderr.write(`${error.message}\n`);
    else if (isTerminal) process.stderr.write(terminal.problemText(terminal.startProblem(error, config)));
    else {
      const remedy = terminal.knownProblem(error, config)?.remedy;
      log.fatal({ error: summarizeError(error), ...(remedy === undefined ? {} : { remedy }) }, message);
    }
    process.exit(error instanceof StoreMoved ? MOVED_EXIT : 1);
  }

  const migrationsFolder = fileURLToPath(new URL('../drizzle', import.meta.url));
  // Relative to this file and to a bundle alike: the pages' files are not bundled.
  const pagesFolder = fileURLToPath(new URL('../src/http/pages', import.meta.url));
  const options = { config, log, migrationsFolder, pagesFolder, version, patience: parts.SERVICE_PATIENCE };
  const started = await parts.createRuntime(options).catch((error: unknown) => giveUp(error, 'cannot start'));
  follow(started);
  if (!isTerminal) {
    for (const part of terminal.partsOf(config)) log.info({}, `${part.name}: ${terminal.partText(part)}`);
    log.info({}, `Chains: ${config.chains.map(({ chain }) => chain.key).join(', ')}`);
  }
  for (const warning of warnings) log.warn({}, warning);

  const { server, adminServer } = started;
  const cannotListen = (error: unknown) => giveUp(error, 'cannot listen');
  const port = await listen({ server, host, port: config.port }, cannotListen);
  setTimeout(started.start, FIRST_WORK_MS);
  if (!isTerminal) log.info({ host, port, publicUrl: config.publicUrl }, 'listening');
  const adminPort =
    adminServer && (await listen({ server: adminServer, host, port: config.adminPort ?? 0 }, cannotListen));
  if (isTerminal) process.stdout.write(terminal.listeningText(config, { version, port, adminPort }));
  else if (adminPort !== null) log.info({ host, adminPort }, 'listening on ADMIN_PORT');
}

checkNode();
keepCompiled(import.meta.url, process.env);
await main();
