import { setTimeout as wait } from 'node:timers/promises';

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

async function main(): Promise<void> {
  // Imported late: on an older Node the native module would crash the process before the version check's message.
  const [configs, { StoreMoved }, { createLog, createSourcePositions, summarizeError }, terminal, patience, runtimes] =
    await Promise.all([
      import('./config.ts'),
      import('./domain/errors.ts'),
      import('./log.ts'),
      import('./terminal.ts'),
      import('./http/patience.ts'),
      import('./runtime.ts'),
    ]);
  const { ConfigError, loadConfig, secretsOf, settingWarnings } = configs;
  const { existsSync, readFileSync } = await import('node:fs');
  const { fileURLToPath } = await import('node:url');

  if (existsSync('.env')) process.loadEnvFile('.env');
  const warnings = settingWarnings(process.env);
  let config: import('./config.ts').Config;
  try {
    config = loadConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write([error.message, ...warnings.map((warning) => `Warning: ${warning}`), ''].join('\n'));
    process.exit(1);
  }
  // A person reads a terminal; whatever else the output goes to gets JSON.
  const isTerminal = process.stdout.isTTY === true;
  const screen = { write: (line: string) => void process.stdout.write(terminal.terminalLine(line)) };
  const log = createLog({
    level: config.logLevel,
    secrets: secretsOf(config),
    namePositions: createSourcePositions(),
    ...(isTerminal ? { destination: screen } : {}),
  });
  // Node would print a line of the bundle. Nothing goes on after it, as a failed sync of the database demands.
  process.on('uncaughtException', (error) => {
    log.fatal({ error: summarizeError(error) }, 'the process ends after an unhandled failure');
    process.exit(1);
  });
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };

  let runtime: import('./runtime.ts').Runtime | null = null;
  let since: number | null = null;
  async function drain(working: import('./runtime.ts').Runtime): Promise<boolean> {
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

  function giveUp(error: unknown, message: string): never {
    // Printed once and without a stack, like every configuration error.
    if (error instanceof ConfigError) process.stderr.write(`${error.message}\n`);
    else if (isTerminal) process.stderr.write(terminal.problemText(terminal.startProblem(error, config)));
    else log.fatal({ error: summarizeError(error) }, message);
    process.exit(error instanceof StoreMoved ? MOVED_EXIT : 1);
  }

  const migrationsFolder = fileURLToPath(new URL('../drizzle', import.meta.url));
  // Relative to this file and to a bundle alike: the pages' files are not bundled.
  const pagesFolder = fileURLToPath(new URL('../src/http/pages', import.meta.url));
  const options = { config, log, migrationsFolder, pagesFolder, version, patience: patience.SERVICE_PATIENCE };
  const started = await runtimes.createRuntime(options).catch((error: unknown) => giveUp(error, 'cannot start'));
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
  if (!isTerminal) {
    for (const part of terminal.partsOf(config)) log.info({}, `${part.name}: ${terminal.partText(part)}`);
    log.info({}, `Chains: ${config.chains.map(({ chain }) => chain.key).join(', ')}`);
  }
  for (const warning of warnings) log.warn({}, warning);

  const { server, adminServer } = started;
  async function listen(listening: typeof server, wanted: number): Promise<number> {
    listening.on('error', (error) => giveUp(error, 'cannot listen'));
    await new Promise<void>((resolve) => void listening.listen(wanted, config.host, resolve));
    const address = listening.address();
    return typeof address === 'object' && address !== null ? address.port : wanted;
  }
  const port = await listen(server, config.port);
  setTimeout(started.start, FIRST_WORK_MS);
  if (!isTerminal) log.info({ host: config.host, port, publicUrl: config.publicUrl }, 'listening');
  const adminPort = adminServer && (await listen(adminServer, config.adminPort ?? 0));
  if (isTerminal) process.stdout.write(terminal.listeningText(config, { version, port, adminPort }));
  else if (adminPort !== null) log.info({ host: config.host, adminPort }, 'listening on ADMIN_PORT');
}

checkNode();
await main();
