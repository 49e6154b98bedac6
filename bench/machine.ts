import { readFileSync } from 'node:fs';
import { arch, cpus, loadavg, release, totalmem } from 'node:os';
import { canPin } from './processes.ts';

function versionOf(name: string): string {
  const path = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  // Every package's manifest has its version.
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}

const PACKAGES = [
  'hono',
  '@hono/node-server',
  'better-sqlite3',
  'drizzle-orm',
  'express',
  'pg',
  'bullmq',
  'ioredis',
  'viem',
];

/** The machine, what ran on it, and how busy it was with other things. */
export function describeMachine(versions: ReadonlyMap<string, string>): string {
  const processors = cpus();
  const packages = PACKAGES.map((name) => `${name} ${versionOf(name)}`);
  const others = [...versions].map(([name, version]) => `${name} ${version}`);
  const load = loadavg().map((value) => value.toFixed(1));
  return [
    `- ${processors.length} × ${processors[0]?.model.trim()}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Linux ${release()} ${arch()}`,
    `- Node ${process.version}, ${[...packages, ...others].join(', ')}`,
    `- ${canPin ? 'Servers are held to core 0, the load generator to core 1' : 'taskset is missing: processes share all cores'}`,
    `- Load average at the end: ${load.join(', ')}`,
  ].join('\n');
}
