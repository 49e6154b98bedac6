#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config.ts';
import { DomainError } from '../domain/errors.ts';
import { apiKeyCommand } from './api-key.ts';
import { createContext } from './context.ts';

const context = createContext({
  env: process.env,
  migrationsFolder: fileURLToPath(new URL('../../drizzle', import.meta.url)),
  print: (line) => process.stdout.write(`${line}\n`),
});

const program = new Command('gigclaim')
  .description(
    'Operate a gigclaim service: works on the database that DATABASE_URL names, also while the service runs.',
  )
  .exitOverride()
  .showHelpAfterError('(run with --help to see what is possible)')
  .addCommand(apiKeyCommand(context));

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode;
  } else {
    // What the operator can mend is said in a sentence; anything else is a defect and shows where it came from.
    const expected = error instanceof ConfigError || error instanceof DomainError || error instanceof RangeError;
    process.stderr.write(`${expected ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 1;
  }
}
