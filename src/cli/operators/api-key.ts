import { randomBytes } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import { KEY_FACTS } from '../../domain/facts/access-facts.ts';
import { COMMAND_LINE, SCOPES, type Scope, USUAL_SCOPES } from '../../domain/operators/actor.ts';
import { type ApiKey, isUsable } from '../../domain/operators/api-key.ts';
import { minuteText } from '../../domain/time.ts';
import { type ApiKeyRequest, createApiKey, revokeApiKey, rotateApiKey } from '../../services/operators/api-keys.ts';
import type { EndedWebhooks } from '../../services/operators/key-webhooks.ts';
import { nameDatabase } from '../../store/open.ts';
import { examples, id, instant, jsonOption, separated, tableOptions } from '../arguments.ts';
import type { Context, Printer } from '../context.ts';
import { factColumns, factItem } from '../facts.ts';
import { plain } from '../output.ts';
import { type ListView, printList, type Table } from '../table.ts';

const keyId = id('api-key list shows it');

const scopeList = separated((part): Scope => {
  const scope = SCOPES.find((known) => known === part);
  if (scope !== undefined) return scope;
  throw new InvalidArgumentError(`It must be a comma-separated list of ${SCOPES.join(', ')}.`);
});

/** The key is the last line. */
function printKey({ print }: Printer, { key, record }: { key: string; record: ApiKey }): void {
  const scopes = record.scopes.join(', ');
  print(plain(`API key ${record.id} for ${record.name}, of client ${record.client}, with ${scopes}.`));
  print('Store it now: it cannot be shown again.');
  print(key);
}

/** What to know of the webhooks of a key that ends: nothing where there are none. */
function printWebhooks({ print }: Printer, { paused, kept }: EndedWebhooks): void {
  if (kept.length > 0) print(`The new key keeps its webhooks: ${kept.join(', ')}.`);
  if (paused.length === 0) return;
  print(
    `Its webhooks are paused, so that nothing is sent to them: ${paused.join(', ')}. Resume one: webhook resume ID`,
  );
}

async function create(context: Context, request: ApiKeyRequest): Promise<void> {
  const { clock } = context;
  const isNew = !context.hasDatabase();
  const { made, others } = await context.withStore(
    async (store) => {
      const made = await createApiKey({ store, clock, randomBytes, actor: COMMAND_LINE }, request);
      const isOther = (key: ApiKey) => key.id !== made.record.id && key.client === made.record.client;
      const others = (await store.apiKeys()).filter((key) => isOther(key) && isUsable(key, clock()));
      return { made, others };
    },
    { create: true },
  );
  if (isNew)
    context.print(plain(`The database ${nameDatabase(context.config().databaseUrl)} did not exist and was created.`));
  if (others.length > 0) {
    const ids = others.map((key) => key.id).join(', ');
    context.print(plain(`It shares the gigs and the idempotency keys of ${made.record.client} with key ${ids}.`));
  }
  printKey(context, made);
}

interface RotateOptions {
  readonly oldUntil?: number;
  readonly scope?: Scope[];
}

async function rotate(context: Context, wanted: number, { oldUntil, scope: scopes }: RotateOptions): Promise<void> {
  const { clock } = context;
  const request = { id: wanted, oldUntil: oldUntil ?? null, scopes };
  const made = await context.withStore((store) =>
    rotateApiKey({ store, clock, randomBytes, actor: COMMAND_LINE }, request),
  );
  const until = oldUntil === undefined ? 'no longer works' : `works until ${minuteText(oldUntil)}`;
  context.print(`Key ${wanted} ${until}.`);
  printWebhooks(context, made.webhooks);
  printKey(context, made);
}

const KEY_TABLE: Table<ApiKey> = {
  id: ({ id: keyNumber }) => keyNumber,
  ...factColumns(KEY_FACTS, {
    name: { cut: 'end' },
    client: { cut: 'end', spare: 3 },
    scopes: { cut: 'end' },
    created_at: { cut: 'time', spare: 1 },
    expires_at: { cut: 'time', spare: 4 },
    revoked_at: { cut: 'time', spare: 5 },
    last_used_at: { cut: 'time', spare: 2 },
  }),
};

/** `api-key create|list|rotate|revoke`: keys for the routes that need `x-api-key`. */
export function addApiKeyCommands(program: Command, context: Context): void {
  const command = program.command('api-key').description('create, list, replace and revoke the keys of API clients');

  const maker = command
    .command('create')
    .description('create a key; it is shown once, as the last line, and stored only as a hash')
    .requiredOption('--name <name>', 'a name for the key, such as its user')
    .option(
      '--scope <scopes>',
      `its scopes, comma-separated: ${SCOPES.join(', ')}; operator allows everything, for every client. Default: ${USUAL_SCOPES.join(', ')}`,
      scopeList,
    )
    .option(
      '--client <client>',
      'the client that it acts for; a gig belongs to a client, not to a key. Default: the name of the key',
    )
    .option('--expires <date>', 'when it expires (ISO 8601). Default: never', instant)
    .action((options: { name: string; scope?: Scope[]; client?: string; expires?: number }) => {
      const { name, client, scope: scopes } = options;
      return create(context, { name, client, scopes, expiresAt: options.expires ?? null });
    });
  examples(
    maker,
    'api-key create --name shop',
    'api-key create --name shop-tips --client shop --scope tips:write --expires 2027-12-31',
    'api-key create --name desk --scope operator',
  );

  const list = command.command('list').description('the keys, without their secrets').addOption(jsonOption('array'));
  tableOptions(list, KEY_TABLE).action(async (view: ListView) => {
    const keys = await context.withStore((store) => store.apiKeys());
    const empty = 'No API keys yet. Create one: api-key create --name NAME';
    printList(context, keys, { view, empty, item: factItem(KEY_FACTS), table: KEY_TABLE });
  });
  examples(list, 'api-key list');

  const replacer = command
    .command('rotate')
    .description(
      'replace a key with a new one of the same client, which keeps its gigs and idempotency keys; the new key is shown once, ' +
        'as the last line',
    )
    .argument('<id>', 'the id of the key', keyId)
    .option(
      '--old-until <date>',
      'the time until which the old key still works (ISO 8601). Default: it stops working at once, and its webhooks are paused',
      instant,
    )
    .option('--scope <scopes>', 'the scopes of the new key. Default: those of the old key', scopeList)
    .action((wanted: number, options: RotateOptions) => rotate(context, wanted, options));
  examples(replacer, 'api-key rotate 3', 'api-key rotate 3 --scope gigs:write,tips:write --old-until 2027-01-31');

  const ender = command
    .command('revoke')
    .description('revoke a key at once, and pause its webhooks')
    .argument('<id>', 'the id of the key', keyId)
    .action(async (wanted: number) => {
      const { clock } = context;
      const webhooks = await context.withStore((store) => revokeApiKey({ store, clock, actor: COMMAND_LINE }, wanted));
      context.print(`API key ${wanted} revoked.`);
      printWebhooks(context, webhooks);
    });
  examples(ender, 'api-key revoke 3');
}
