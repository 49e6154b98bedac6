import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createChains } from '../src/chain/registry.ts';
import { CHAINS } from '../src/domain/chains/chain.ts';
import { openStore } from '../src/store/open.ts';
import { AnvilMissing, type AnvilProcess, startAnvil } from './anvil.ts';
import { createLocalChain } from './chain.ts';
import { createSandboxClock } from './clock.ts';
import { createDatabase, MIGRATIONS } from './database.ts';
import { notificationEnvironment, serviceEnvironment } from './environment.ts';
import { createInstances } from './instances.ts';
import { createFarcasterNetwork, type FarcasterNetwork } from './networks/farcaster.ts';
import { SIGNER_KEY } from './networks/farcaster-api.ts';
import { createFarcasterRelay } from './networks/farcaster-relay.ts';
import { createTwitterNetwork } from './networks/twitter.ts';
import { operatorEnvFile, writeOperatorEnv, writeOperatorKey } from './operator-env.ts';
import { OptionError, readOptions, type SandboxOptions } from './options.ts';
import { appKeyOf } from './owners/app-keys.ts';
import { keyOf } from './owners/keys.ts';
import { placeRegistries } from './owners/registries.ts';
import { createSandboxPage } from './page/page.ts';
import type { Happenings } from './page/parts.ts';
import { BOT, farcasterAccount, MNEMONIC, NETWORK_CREDENTIALS, PEOPLE, SPONSOR } from './people.ts';
import { freePort } from './port.ts';
import { createReceiver } from './receiver.ts';
import { type Seed, seed } from './seed.ts';
import { createServiceProcess, type ServiceEvent } from './service.ts';
import { clearState, readState, type SandboxState, STATE_FILE, writeState } from './state.ts';
import { createStopping } from './stopping.ts';
import { createVerifier } from './verifier.ts';

const PORTS = {
  service: 3000,
  page: 4000,
  farcaster: 4001,
  x: 4002,
  verifier: 4003,
  receiver: 4004,
  relay: 4005,
  chain: 8545,
  registries: 8546,
} as const;
const REGISTRY_CHAIN_ID = 10;

type Part = keyof typeof PORTS;

/** The usual port of a part, or any free one: sandboxes that start at the same moment would both find the usual one free. */
async function portFor(part: Part): Promise<number> {
  if (process.env['SANDBOX_ANY_PORTS'] === 'true') return await freePort(0);
  const port = await freePort(PORTS[part]);
  if (port !== PORTS[part]) say(`Port ${PORTS[part]} is taken: this sandbox uses ${port} for its ${part}.`);
  return port;
}

/** Found before anything is started, so that other ports than the usual are said first. */
async function choosePorts(): Promise<Readonly<Record<Part, number>>> {
  const ports = new Map<number, Part>();
  for (const part of Object.keys(PORTS) as Part[]) {
    let port = await portFor(part);
    while (ports.has(port)) port = await freePort(0);
    ports.set(port, part);
  }
  return Object.fromEntries([...ports].map(([port, part]) => [part, port])) as Record<Part, number>;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** A node that is chain 10, with Farcaster's registries, which know the people and the bot. */
async function startRegistries(port: number): Promise<AnvilProcess> {
  const node = await startAnvil({ port, chainId: REGISTRY_CHAIN_ID });
  const registries = await placeRegistries(node.url);
  await registries.addKey(SIGNER_KEY, BOT.fid);
  for (const one of PEOPLE) {
    await registries.register(keyOf(one).address, one.fid);
    await registries.addKey(appKeyOf(one), one.fid);
  }
  return node;
}

async function seedStore(database: string, rpcUrl: string, farcaster: FarcasterNetwork): Promise<Seed> {
  const store = await openStore({ url: database, migrationsFolder: MIGRATIONS });
  try {
    const chains = createChains({
      endpoints: CHAINS.filter(({ key }) => key === 'anvil').map((chain) => ({ chain, rpcUrls: [rpcUrl] })),
      clock: Date.now,
    });
    const chain = createLocalChain({ url: rpcUrl, mnemonic: MNEMONIC });
    await chain.deployPayer();
    return await seed({ store, chain, chains, clock: Date.now, cast: (made) => farcaster.post(made).url });
  } finally {
    await store.close();
  }
}

function describe(
  state: SandboxState,
  seeded: Seed,
  { logFile, instances }: { logFile: string; instances: number },
): void {
  const api = state.service;
  say('');
  if (instances > 1) say(`${instances} instances of the service share a database: ${state.database}`);
  say(`Users on both networks: ${PEOPLE.map(({ name }) => name).join(', ')}. The bot is @${BOT.username}.`);
  for (const line of seeded.gigs) say(`  ${line}`);
  say('');
  say(`Try it in a browser: ${state.page}`);
  say('Or post to the bot from another terminal in this folder:');
  say(`  npm run say -- farcaster alice "@${BOT.username} claims"`);
  say(`  npm run say -- x bob "@${BOT.username} start gig 2"`);
  say(`  npm run say -- farcaster bob "@${BOT.username} start gig 3"`);
  say(`  npm run say -- farcaster alice "@${BOT.username} claim my rewards"`);
  say('  npm run say -- balances');
  say(`Tap cards in the feed: ${state.page}/feed`);
  say(`Sign in at the service as one of them, with one click: ${state.page}/#people-title`);
  say('Move the time on, for what waits for hours:');
  say('  npm run later -- 13h');
  say('Print the events of all gigs as they happen:');
  say('  npm run -s listen');
  say('Call the API:');
  say(`  curl '${api}/api/claim?identifiers=1001,bob'`);
  say(
    `  curl -X POST ${api}/api/gigs/start -H 'x-api-key: ${seeded.apiKey}' -H 'content-type: application/json' -d '{"gig_id":5}'`,
  );
  say(`  open ${api}/api/docs`);
  say(`A verifier of bounties, which awards 2.5 to anyone who links a design: ${state.verifier}/decide`);
  say(`Log of the service: ${logFile}`);
  say('Kill the service with kill -9: it restarts with the same database. Ctrl-C stops everything.');
  say('');
}

const USAGE = `Usage: npm run sandbox -- [--store sqlite|postgres] [--instances 1..8]

Starts a local EVM node, a simulated Farcaster, a simulated X and the service, with users, gigs and tips.
It prints what to try; Ctrl-C stops it. With --store postgres it starts a PostgreSQL server, on which there can be several
instances of the service. Only one sandbox can run in a folder at a time.
`;

/** The sandbox that runs from this folder, or null. */
function runningSandbox(stateFile: string): SandboxState | null {
  try {
    return readState(stateFile);
  } catch {
    return null;
  }
}

/** A command line that is none ends the process, and so does one that asks for help. */
function optionsOrExit(): SandboxOptions {
  try {
    const options = readOptions(process.argv.slice(2));
    if (options !== null) return options;
    say(USAGE);
    process.exit(0);
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    process.stderr.write(`${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}

async function main(): Promise<void> {
  const { store, instances } = optionsOrExit();
  const stateFile = process.env['SANDBOX_STATE_FILE'] ?? STATE_FILE;
  const other = runningSandbox(stateFile);
  if (other !== null) {
    process.stderr.write(
      `A sandbox is already running in this folder: process ${other.pid}, page ${other.page}\nUse it, or stop it with Ctrl-C in its terminal. Start a second one in another folder with gigclaim.\n`,
    );
    process.exit(1);
  }
  const stopping = createStopping();
  const ports = await choosePorts();
  const folder = mkdtempSync(join(tmpdir(), 'gigclaim-sandbox-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  const database = await createDatabase(store, { folder });
  const logFile = join(folder, 'service.log');

  const anvil = await startAnvil({ port: ports.chain });
  const registries = await startRegistries(ports.registries);
  const relay = createFarcasterRelay();
  const clock = createSandboxClock(Date.now);
  const happenings: Happenings = new EventEmitter();
  const farcaster = createFarcasterNetwork({
    ...NETWORK_CREDENTIALS.farcaster,
    clock: clock.now,
    observe: (event) => happenings.emit('network', 'farcaster', event),
  });
  const x = createTwitterNetwork({
    ...NETWORK_CREDENTIALS.twitter,
    clock: clock.now,
    observe: (event) => happenings.emit('network', 'x', event),
  });
  const startedAt = clock.now();
  for (const one of PEOPLE) {
    farcaster.addUser(farcasterAccount(one, startedAt));
    x.addUser({ id: one.xUserId, username: one.name });
  }
  farcaster.addUser({ id: String(SPONSOR.fid), username: SPONSOR.username });
  const serviceUrl = `http://127.0.0.1:${ports.service}`;
  const verifier = createVerifier({
    service: serviceUrl,
    clock: Date.now,
    observe: (event) => happenings.emit('verifier', event),
  });
  const places = {
    service: serviceUrl,
    farcaster: await farcaster.start(ports.farcaster),
    x: await x.start(ports.x),
    verifier: await verifier.start(ports.verifier),
    receiver: `http://127.0.0.1:${ports.receiver}`,
    relay: await relay.start(ports.relay),
    chain: anvil.url,
    registries: registries.url,
    page: `http://127.0.0.1:${ports.page}`,
  };
  const seeded = await seedStore(database.name, anvil.url, farcaster);
  const state: SandboxState = {
    ...places,
    database: database.name,
    tokens: seeded.tokens,
    aheadMs: clock.ahead(),
    pid: process.pid,
  };
  const env = {
    ...serviceEnvironment({ ...places, signIn: places }, database.name),
    ...notificationEnvironment(places),
  };
  const serviceOptions = {
    url: state.service,
    env,
    path: process.env['PATH'] ?? '',
    logFile,
    say,
    observe: (event: ServiceEvent) => void happenings.emit('service', event),
    ahead: clock.ahead,
  };
  const service =
    instances === 1
      ? createServiceProcess(serviceOptions)
      : await createInstances({ ...serviceOptions, count: instances });
  // First, because the service writes into the folder that goes.
  process.prependOnceListener('exit', () => {
    service.kill();
    clearState(stateFile);
  });
  await service.start();
  const receiver = createReceiver({
    service: state.service,
    apiKey: seeded.apiKey,
    clock: Date.now,
    observe: (event) => happenings.emit('receiver', event),
  });
  await receiver.start(Number(new URL(state.receiver).port));
  // So that the feed has a card at once.
  farcaster.post({ author: SPONSOR.username, text: 'Gig 1 pays DEGEN.', embeds: [`${state.service}/gigs/1`] });
  farcaster.setWebhook(`${state.service}/webhooks/farcaster`);
  x.setWebhook(`${state.service}/webhooks/twitter`);
  const chain = createLocalChain({ url: state.chain, mnemonic: MNEMONIC });
  const moveOn = async (ms: number) => {
    clock.moveOn(ms);
    writeState(stateFile, { ...state, aheadMs: clock.ahead() });
    await Promise.all([service.tellTime(), database.tellTime(clock.ahead()), chain.moveOn(ms)]);
  };
  const sandboxPage = await createSandboxPage({
    networks: { farcaster, x },
    chain,
    places: state,
    database: database.name,
    service,
    receiver,
    instances,
    logFile,
    happenings,
    time: { now: clock.now, ahead: clock.ahead, moveOn },
    apiKey: seeded.apiKey,
    tokens: seeded.tokens,
  });
  await sandboxPage.start(Number(new URL(state.page).port));
  writeState(stateFile, state);
  writeOperatorEnv(stateFile, env);
  writeOperatorKey(stateFile, seeded.apiKey);

  describe(state, seeded, { logFile, instances });
  say(`Operator’s commands: . ${operatorEnvFile(relative(process.cwd(), stateFile))} && npm run -s admin -- gig list`);
  say('');
  say(
    `sandbox ready service=${state.service} farcaster=${state.farcaster} x=${state.x} chain=${state.chain} ` +
      `service_pid=${service.pids()} database=${database.name} page=${state.page}`,
  );

  await stopping.asked();
  say('Stopping the sandbox.');
  await sandboxPage.stop();
  await service.stop();
  const parts = [farcaster, x, verifier, receiver, relay, anvil, registries, database];
  await Promise.all(parts.map((part) => part.stop()));
  process.exit(0);
}

await main().catch((error: unknown) => {
  // Node would also print the source line, which in a bundle is the whole program.
  const text = error instanceof AnvilMissing ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`The sandbox cannot go on. ${text}\n`);
  process.exit(1);
});
