import { setTimeout as wait } from 'node:timers/promises';

const WANTED_NODE = 24;
const DRAIN_MS = 10_000;
/** Signals within this time are one signal, milliseconds. */
const ONE_SIGNAL_MS = 1_000;
/** Requests come first: background work begins by loading the platforms' SDKs, which blocks the thread. */
const FIRST_WORK_MS = 50;
/**
 * Time limits of a request, tighter than Node's one and five minutes because bodies are small. A claim's response takes
 * up to a minute without a byte sent; the largest response, compressed, is 1 MB.
 */
const PATIENCE = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  idleMs: 90_000,
  answerMs: 120_000,
};

function checkNode(): void {
  const major = Number(process.versions.node.split('.')[0]);
  if (major >= WANTED_NODE) return;
  process.stderr.write(
    `gigclaim needs Node ${WANTED_NODE} or newer, this is ${process.version}.\n` +
      'Start it with `npm start`, which uses the Node that `npm install` put into node_modules, or install a newer Node.\n',
  );
  process.exit(1);
}

/** The parts that are off, with the variables that turn them on. */
function describeParts(
  config: import('./config.ts').Config,
  { platformSettings, variablesOf }: typeof import('./config.ts'),
  platforms: typeof import('./domain/platforms.ts').PLATFORMS,
): string[] {
  const off = (part: string, names: readonly string[]) => `${part} is off; to turn it on set ${names.join(', ')}`;
  return [
    ...platforms.map(({ id, label }) => {
      const settings = platformSettings(config).get(id);
      return settings === undefined ? off(label, variablesOf(id)) : `${label}: @${settings.botUsername}`;
    }),
    config.gigWalletMnemonic === null ? off('Creating gigs', ['GIG_WALLET_MNEMONIC']) : 'Creating gigs is on',
    config.alertWebhooks.length === 0 ? off('Telling of what is wrong', ['ALERT_WEBHOOK_URL']) : 'Alerts are on',
    `Chains: ${config.chains.map(({ chain }) => chain.key).join(', ')}`,
  ];
}

async function main(): Promise<void> {
  // Imported late: on an older Node the native module would crash the process before the version check's message.
  const [configs, { PLATFORMS }, { createLog, createSourcePositions, summarizeError }, runtimes] = await Promise.all([
    import('./config.ts'),
    import('./domain/platforms.ts'),
    import('./log.ts'),
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
  const log = createLog({
    level: config.logLevel,
    secrets: secretsOf(config),
    namePositions: createSourcePositions(),
  });
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const migrationsFolder = fileURLToPath(new URL('../drizzle', import.meta.url));

  // Relative to this file and to a bundle alike: the pages' files are not bundled.
  const pagesFolder = fileURLToPath(new URL('../src/http/pages', import.meta.url));
  const options = { config, log, migrationsFolder, pagesFolder, version, patience: PATIENCE };
  const runtime = await runtimes.createRuntime(options).catch((error: unknown) => {
    // Printed once and without a stack, like every configuration error.
    if (error instanceof ConfigError) process.stderr.write(`${error.message}\n`);
    else log.fatal({ error: summarizeError(error) }, 'cannot start');
    process.exit(1);
  });
  for (const line of describeParts(config, configs, PLATFORMS)) log.info({}, line);
  for (const warning of warnings) log.warn({}, warning);

  const { server, adminServer } = runtime;
  const portOf = (listening: typeof server) => {
    const address = listening.address();
    return typeof address === 'object' ? address?.port : undefined;
  };
  server.listen(config.port, config.host, () => {
    setTimeout(runtime.start, FIRST_WORK_MS);
    log.info({ host: config.host, port: portOf(server), publicUrl: config.publicUrl }, 'listening');
  });
  adminServer?.listen(config.adminPort ?? 0, config.host, () => {
    log.info({ host: config.host, adminPort: portOf(adminServer) }, 'listening on ADMIN_PORT');
  });
  for (const one of [server, adminServer]) {
    one?.on('error', (error) => {
      log.fatal({ error: summarizeError(error) }, 'cannot listen');
      process.exit(1);
    });
  }

  let since: number | null = null;
  async function stop(signal: NodeJS.Signals): Promise<void> {
    // npm hands a signal on that a terminal, or a stop of the process group, has sent to the service as well.
    if (since !== null && performance.now() - since < ONE_SIGNAL_MS) return;
    if (since !== null) process.exit(1);
    since = performance.now();
    log.info({ signal }, 'stopping; a second signal, at least a second later, stops at once');
    const ended = await Promise.race([runtime.stop().then(() => true), wait(DRAIN_MS, false)]);
    log.info({ drained: ended }, ended ? 'stopped' : 'stopped with work under way; it resumes at the next start');
    process.exit(ended ? 0 : 1);
  }
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

checkNode();
await main();
