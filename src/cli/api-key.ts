import { randomBytes } from 'node:crypto';
import { Command, InvalidArgumentError } from 'commander';
import { DomainError } from '../domain/errors.ts';
import { createApiKey } from '../services/api-keys.ts';
import { type Context, printRows } from './context.ts';

function instant(text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new InvalidArgumentError('must be a date such as 2027-01-31 or 2027-01-31T12:00:00Z');
  return time;
}

function id(text: string): number {
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw new InvalidArgumentError('must be the id of a key; see api-key list');
  return Number(text);
}

function iso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

/** `api-key create|list|revoke`: who may call the routes that need `x-api-key`. */
export function apiKeyCommand(context: Context): Command {
  const command = new Command('api-key').description('make, list and revoke the keys of API clients');

  command
    .command('create')
    .description('make a key; it is shown once, as the last line, and kept only as a hash')
    .requiredOption('--name <name>', 'whose key it is')
    .option('--expires <date>', 'when it stops working (ISO 8601)', instant)
    .action(async (options: { name: string; expires?: number }) => {
      const { key, record } = await context.withStore((store) =>
        createApiKey(
          { store, clock: Date.now, randomBytes },
          { name: options.name, expiresAt: options.expires ?? null },
        ),
      );
      context.print(`API key ${record.id} for ${record.name}. Keep it: it cannot be shown again.`);
      context.print(key);
    });

  command
    .command('list')
    .description('the keys that were made, without their secrets')
    .option('--json', 'as JSON', false)
    .action(async (options: { json: boolean }) => {
      const keys = await context.withStore((store) => store.apiKeys());
      const rows = keys.map((key) => ({
        id: key.id,
        name: key.name,
        created_at: iso(key.createdAt),
        expires_at: iso(key.expiresAt),
        revoked_at: iso(key.revokedAt),
        last_used_at: iso(key.lastUsedAt),
      }));
      printRows(context, rows, { json: options.json, empty: 'No API keys yet. Make one: api-key create --name NAME' });
    });

  command
    .command('revoke')
    .description('make a key stop working at once')
    .argument('<id>', 'the id of the key', id)
    .action(async (keyId: number) => {
      const revoked = await context.withStore((store) => store.transaction((tx) => tx.revokeApiKey(keyId, Date.now())));
      if (!revoked) {
        throw new DomainError({ code: 'invalid_request', message: `There is no key ${keyId} that still works.` });
      }
      context.print(`API key ${keyId} revoked.`);
    });

  return command;
}
