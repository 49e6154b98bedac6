#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runAdmin } from './program.ts';

if (existsSync('.env')) process.loadEnvFile('.env');
// The reader of the output may stop reading early, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});
// Such as a failed sync of the database: Node would print a line of the source above it.
process.on('uncaughtException', (error) => {
  process.stderr.write(`${error.stack ?? error.message}\n`);
  process.exit(1);
});
process.exitCode = await runAdmin({
  args: process.argv.slice(2),
  env: process.env,
  migrationsFolder: fileURLToPath(new URL('../../drizzle', import.meta.url)),
  clock: Date.now,
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
});
