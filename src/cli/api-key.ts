import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { DomainError } from '../domain/errors.ts';
import { createApiKey } from '../services/api-keys.ts';
import { examples, id, instant } from './arguments.ts';
import type { Context } from './context.ts';
import { iso, printList } from './output.ts';

/** `api-key create|list|revoke`: who may call the routes that need `x-api-key`. */
export function addApiKeyCommands(program: Command, context: Context): void {
  const command = program.command('api-key').description('make, list and revoke the keys of API clients');

  const create = command
    .command('create')
    .description('make a key; it is shown once, as the last line, and kept only as a hash')
    .requiredOption('--name <name>', 'whose key it is')
    .option('--expires <date>', 'when it stops working (ISO 8601); without this, never', instant)
    .action(async (options: { name: string; expires?: number }) => {
      const request = { name: options.name, expiresAt: options.expires ?? null };
      const { key, record } = await context.withStore((store) =>
        createApiKey({ store, clock: context.clock, randomBytes }, request),
      );
      context.print(`API key ${record.id} for ${record.name}. Keep it: it cannot be shown again.`);
      context.print(key);
    });
  examples(create, 'api-key create --name shop', 'api-key create --name shop --expires 2027-12-31');

  const list = command
    .command('list')
    .description('the keys that were made, without their secrets')
    .option('--json', 'as a JSON array', false)
    .action(async (options: { json: boolean }) => {
      const keys = await context.withStore((store) => store.apiKeys());
      const items = keys.map((key) => ({
        id: key.id,
        name: key.name,
        created_at: iso(key.createdAt),
        expires_at: iso(key.expiresAt),
        revoked_at: iso(key.revokedAt),
        last_used_at: iso(key.lastUsedAt),
      }));
      const empty = 'No API keys yet. Make one: api-key create --name NAME';
      printList(context, items, { json: options.json, empty, row: (item) => item });
    });
  examples(list, 'api-key list');

  const revoke = command
    .command('revoke')
    .description('make a key stop working at once')
    .argument('<id>', 'the id of the key', id('api-key list shows it'))
    .action(async (keyId: number) => {
      const revoked = await context.withStore((store) =>
        store.transaction((tx) => tx.revokeApiKey(keyId, context.clock())),
      );
      if (!revoked) {
        throw new DomainError({ code: 'invalid_request', message: `There is no key ${keyId} that still works.` });
      }
      context.print(`API key ${keyId} revoked.`);
    });
  examples(revoke, 'api-key revoke 3');
}
