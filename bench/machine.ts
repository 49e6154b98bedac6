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

/** The machine, and what of this project's packages took part. */
export function describeMachine(): string {
  const processors = cpus();
  const packages = PACKAGES.map((name) => `${name} ${versionOf(name)}`);
  return [
    `- ${processors.length} × ${processors[0]?.model.trim()}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Linux ${release()} ${arch()}`,
    `- Node ${process.version}, ${packages.join(', ')}`,
    `- ${canPin ? 'Servers are held to core 0, the load generator to core 1' : 'taskset is missing: processes share all cores'}`,
  ].join('\n');
}

/** How busy the machine is, and has been for some minutes. */
export function describeLoad(): string {
  return `load average at the end ${loadavg()
    .map((value) => value.toFixed(1))
    .join(', ')}`;
}
