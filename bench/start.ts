import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { ADMIN_NODE_FLAGS, NODE_ENVIRONMENT, NODE_FLAGS } from '../src/node-flags.ts';
import type { Bench } from './bench.ts';
import { prepareSqlite } from './data/sqlite.ts';
import { type Spread, shown, shownSpread, spreadOf } from './figures.ts';
import { SERVER_CORE, startProgram } from './processes.ts';
import { cpuMs, endedCpuMs, residentMb } from './processor-time.ts';
import { type Section, table } from './report.ts';
import { startService } from './surroundings.ts';

const STARTS = 10;
const IDLE_STARTS = 3;
/** V8 gives back what the start has used after 8 to 14 seconds with little to do. */
const IDLE_MS = 20_000;
const IMPORT_RUNS = 5;
const COMMAND = fileURLToPath(new URL('../dist/admin.js', import.meta.url));

const IMPORTS: readonly (readonly [name: string, code: string])[] = [
  ['nothing', ''],
  ['better-sqlite3', "import D from 'better-sqlite3'; new D(':memory:');"],
  ['drizzle-orm', "export * from 'drizzle-orm'; export * from 'drizzle-orm/better-sqlite3';"],
  ['zod', "import { z } from 'zod'; export const s = z.object({ a: z.string() });"],
  [
    'hono, @hono/zod-openapi, @hono/node-server',
    "export * from '@hono/zod-openapi'; export * from '@hono/node-server';",
  ],
  ['viem, its accounts and chains used here', "export * from 'viem'; export * from 'viem/accounts';"],
  ['undici', "import { Agent } from 'undici'; globalThis.kept = new Agent();"],
  ['@neynar/nodejs-sdk', "import * as n from '@neynar/nodejs-sdk'; globalThis.kept = n;"],
  ['twitter-api-v2', "import * as t from 'twitter-api-v2'; globalThis.kept = t;"],
  ['twitter-text', "import * as t from 'twitter-text'; globalThis.kept = t;"],
  ['prom-client', "import * as p from 'prom-client'; p.collectDefaultMetrics();"],
  ['pino', "import { pino } from 'pino'; pino();"],
];

function startCommand(): string {
  const variables = Object.entries(NODE_ENVIRONMENT).map(([name, value]) => `${name}=${value}`);
  return [...variables, 'node', ...NODE_FLAGS].join(' ');
}

const BANNER =
  "import { createRequire as c } from 'node:module'; const require = c(import.meta.url); const __filename = ''; const __dirname = '';";

/** What one import costs: resident megabytes and milliseconds, in a process that does nothing else. */
async function importCost(folder: string, name: string, code: string): Promise<{ mb: Spread; ms: Spread }> {
  const entry = join(folder, `${name.replaceAll(/[^a-z]/g, '-')}`);
  const measured = `const begin = performance.now(); await import('${entry}.mjs'); const ms = performance.now() - begin;
    process.stdout.write(JSON.stringify({ ms, mb: process.memoryUsage().rss / 2 ** 20 }));`;
  await build({
    stdin: { contents: code, resolveDir: new URL('..', import.meta.url).pathname },
    outfile: `${entry}.mjs`,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    logLevel: 'error',
    external: ['better-sqlite3'],
    banner: { js: BANNER },
  });
  writeFileSync(`${entry}.run.mjs`, measured);
  const runs: { ms: number; mb: number }[] = [];
  for (let run = 0; run < IMPORT_RUNS; run++) {
    const { child } = startProgram(process.execPath, [`${entry}.run.mjs`], { core: SERVER_CORE, stdout: 'pipe' });
    // What the program above prints.
    if (child.stdout !== null) runs.push(JSON.parse(await text(child.stdout)) as { ms: number; mb: number });
  }
  return { mb: spreadOf(runs.map(({ mb }) => mb)), ms: spreadOf(runs.map(({ ms }) => ms)) };
}

async function importTable(folder: string): Promise<string> {
  const rows: string[][] = [];
  let base: { mb: Spread; ms: Spread } | null = null;
  for (const [name, code] of IMPORTS) {
    const cost = await importCost(folder, name, code);
    base ??= cost;
    const more = (of: Spread, from: Spread) => (of === from ? shown(of.median) : `+ ${shown(of.median - from.median)}`);
    rows.push([name, more(cost.mb, base.mb), more(cost.ms, base.ms)]);
  }
  return table(['imported alone, bundled', 'resident MB', 'ms'], rows);
}

function isUp(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ port, host: '127.0.0.1', path: '/health' }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.on('error', () => resolve(false));
    asked.end();
  });
}

interface ColdStart {
  /** Seconds from the start of the process to the first 200. */
  readonly clock: number;
  /** Seconds of processor time until then, of all threads. */
  readonly cpu: number;
}

async function coldStart(bench: Bench, databasePath: string): Promise<ColdStart> {
  let begin = 0;
  let end = 0;
  const service = await startService(bench.surroundings, {
    databasePath,
    watch: async (port) => {
      begin = performance.now();
      while (!(await isUp(port))) await wait(2);
      end = performance.now();
    },
  });
  const cpu = cpuMs(service.pid) / 1_000;
  await service.stop();
  return { clock: (end - begin) / 1_000, cpu };
}

async function idleMemory(bench: Bench, databasePath: string): Promise<number> {
  const service = await startService(bench.surroundings, { databasePath });
  await wait(IDLE_MS);
  const found = residentMb(service.pid);
  await service.stop();
  return found;
}

/** Seconds of processor time that a command of the operator takes from its start to its end. */
async function commandCpu(databasePath: string): Promise<number> {
  const before = endedCpuMs();
  const env = { DATABASE_URL: databasePath };
  const { child } = startProgram(process.execPath, [...ADMIN_NODE_FLAGS, COMMAND, 'gig', 'list'], {
    core: SERVER_CORE,
    env,
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the command ended with ${code}`);
  return (endedCpuMs() - before) / 1_000;
}

async function several(count: number, measure: () => Promise<number>): Promise<Spread> {
  const found: number[] = [];
  for (let run = 0; run < count; run++) found.push(await measure());
  return spreadOf(found);
}

/** How fast the service is there, and what it holds while nothing happens. */
export async function benchStart(bench: Bench): Promise<Section> {
  bench.say('start and memory');
  const path = await prepareSqlite(bench.dataFolder, 10_000);
  const folder = join(bench.surroundings.folder, 'imports');
  mkdirSync(folder);
  // For the native module, which no bundle can hold.
  symlinkSync(new URL('../node_modules', import.meta.url), join(folder, 'node_modules'));
  const cold: ColdStart[] = [];
  while (cold.length < STARTS) cold.push(await coldStart(bench, path));
  const coldCpu = spreadOf(cold.map(({ cpu }) => cpu));
  const idle = await several(IDLE_STARTS, () => idleMemory(bench, path));
  const command = await several(STARTS, () => commandCpu(path));
  const rows = [
    [`a command of the operator (\`gig list\`), s of processor time (${STARTS} runs)`, shownSpread(command)],
    [`cold start to the first 200, s of processor time (${STARTS} starts)`, shownSpread(coldCpu)],
    ['cold start to the first 200, s by the clock', shownSpread(spreadOf(cold.map(({ clock }) => clock)))],
    [`resident after ${IDLE_MS / 1_000} s of idling, MB (${IDLE_STARTS} starts)`, shownSpread(idle)],
  ];
  const intro = `The bundled service with both platforms and the gas tank configured, on a database with 10,000 tips, which reuses what the start before has compiled; started with \`${startCommand()}\`.`;
  const imports = await importTable(folder);
  return {
    title: 'Start and memory',
    text: `${intro}\n\n${table(['', 'median (least–most)'], rows)}\n\n${imports}`,
    verdicts: [
      {
        goal: 'cold start to the first 200',
        is: 'at most',
        bound: 0.45,
        unit: 's of processor time',
        measured: coldCpu,
      },
      { goal: 'idle resident memory', is: 'at most', bound: 115, unit: 'MB', measured: idle },
      { goal: 'a command of the operator', is: 'at most', bound: 0.3, unit: 's of processor time', measured: command },
    ],
  };
}
