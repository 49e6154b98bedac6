import { type Command, InvalidArgumentError } from 'commander';
import { type Config, ConfigError, variablesOf } from '../../config.ts';
import type { Platform } from '../../domain/account.ts';
import type { WatchedTarget } from '../../domain/earning/act.ts';
import { AdapterError, invalidRequest } from '../../domain/errors.ts';
import { platformField } from '../../domain/fields.ts';
import type { Platforms, RegisteredWebhook, SocialPlatform } from '../../domain/mentions/mention.ts';
import { PLATFORMS } from '../../domain/platforms/platforms.ts';
import { createWatchedGigs, toTargets } from '../../services/earning/acts/watched-gigs.ts';
import { by, examples, jsonOption, tableOptions } from '../arguments.ts';
import { type Context, StoreUnusable } from '../context.ts';
import { plain } from '../output.ts';
import { type ListView, printList, type Table } from '../table.ts';
import { publicUrlProblem, webhookUrl } from './public-url.ts';

async function registerOne(context: Context, config: Config, network: SocialPlatform): Promise<void> {
  const url = webhookUrl(config, network.platform);
  try {
    const watched = await findWatched(context, config, network.platform);
    const { detail, next, secret } = await network.registerWebhook(url, watched);
    context.print(`✓ ${network.platform}: ${detail}`);
    if (next !== '') context.print(`  ${next}`);
    if (secret === null) return;
    context.print('  This is the secret; it is shown only here:');
    context.print(secret);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    context.fail(`✗ ${network.platform}: ${plain(error.message)}`);
    context.fail(`  Check that ${url} reaches the running service, run doctor, then try again.`);
  }
}

/** @throws DomainError when none is on */
async function openPlatforms(context: Context, config: Config): Promise<Platforms> {
  const platforms = await context.platforms(config);
  if (platforms.size > 0) return platforms;
  const ways = PLATFORMS.map(({ id, label }) => `or ${label} set ${variablesOf(id).join(', ')}`);
  throw invalidRequest(`No platform is on. F${ways.join('; f')}.`);
}

async function register(context: Context): Promise<void> {
  const config = context.configToRegister();
  const problem = publicUrlProblem(config);
  if (problem !== null) {
    throw invalidRequest(`${problem.detail}. ${problem.remedy}`);
  }
  const platforms = await openPlatforms(context, config);
  for (const network of platforms.values()) await registerOne(context, config, network);
}

function toItem(platform: Platform, webhook: RegisteredWebhook, ours: string) {
  const { id, url, active, events } = webhook;
  return { platform, id, url, active, ours: url === ours, events };
}

type Item = ReturnType<typeof toItem>;

const WEBHOOK_TABLE: Table<Item> = {
  platform: ({ platform }) => platform,
  // The whole of it is what webhooks delete takes.
  id: ({ id }) => id,
  url: { read: ({ url }) => url, cut: 'end' },
  active: ({ active }) => active,
  ours: ({ ours }) => ours,
  events: { read: ({ events }) => events.join(', '), cut: 'end', spare: 1 },
};

async function list(context: Context, view: ListView): Promise<void> {
  const config = context.configToRegister();
  const items: Item[] = [];
  for (const [platform, network] of await openPlatforms(context, config)) {
    try {
      const webhooks = await network.listWebhooks();
      items.push(...webhooks.map((webhook) => toItem(platform, webhook, webhookUrl(config, platform))));
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      context.fail(`✗ ${platform}: ${plain(error.message)}`);
    }
  }
  printList(context, items, { view, empty: 'No webhooks.', table: WEBHOOK_TABLE });
}

async function remove(context: Context, platform: Platform, id: string): Promise<void> {
  const platforms = await openPlatforms(context, context.configToRegister());
  const network = platforms.get(platform);
  if (network === undefined) {
    throw invalidRequest(`${platform} is off; to turn it on, set ${variablesOf(platform).join(', ')}.`);
  }
  try {
    await network.deleteWebhook(id);
  } catch (error) {
    if (!(error instanceof AdapterError) || error.reason !== 'not_found') throw error;
    throw invalidRequest(`There is no webhook ${id} on ${platform}; see webhooks list.`);
  }
  context.print(
    `Webhook ${id} on ${platform} is deleted; its events are not delivered until a webhook is registered again.`,
  );
}

/** An id is digits on X, and letters and digits at Neynar. */
function webhookId(text: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be the id of a webhook; webhooks list shows it.');
}

/** `webhooks register|list|delete`: manages the platforms' delivery to this service. */
export function addWebhooksCommands(program: Command, context: Context): void {
  const command = program.command('webhooks').description('how the platforms deliver mentions to this service');
  const registering = command
    .command('register')
    .description(
      'register a webhook at PUBLIC_URL with every enabled platform. Running it again repairs the registration and changes ' +
        'nothing else. For X the service must be running, because X validates its URL. For Farcaster ' +
        'NEYNAR_WEBHOOK_SECRETS may still be unset: the secret comes with the webhook and is shown here, once.',
    )
    .action(() => register(context));
  examples(registering, 'webhooks register');
  const listing = command
    .command('list')
    .description(
      'every webhook that the credentials can see, including those of other services; ours: whether it delivers to ' +
        'PUBLIC_URL, events: what it delivers',
    )
    .addOption(jsonOption('array'));
  tableOptions(listing, WEBHOOK_TABLE).action((options: ListView) => list(context, options));
  examples(listing, 'webhooks list', 'webhooks list --json');
  const deleting = command
    .command('delete')
    .description('delete a webhook, for instance one of an earlier PUBLIC_URL: X allows most apps only one')
    .argument('<platform>', 'farcaster or x', by(platformField('platform')))
    .argument('<id>', "the webhook's id; webhooks list shows it", webhookId)
    .action((platform: Platform, id: string) => remove(context, platform, id));
  examples(deleting, 'webhooks delete x 1900000000000000001');
}

/** What a platform's webhook also reports, beyond mentions; nothing while the store cannot be read. */
export async function findWatched(
  context: Context,
  { earningWebhook, earningLookSeconds }: Config,
  platform: Platform,
): Promise<readonly WatchedTarget[]> {
  if (!earningWebhook || earningLookSeconds === 0) return [];
  try {
    if (!context.hasDatabase()) return [];
    return await context.withStore(async (store) =>
      toTargets(await createWatchedGigs(store)(platform, context.clock())),
    );
  } catch (error) {
    // Before the webhook's secret is known the database cannot be opened either.
    if (!(error instanceof StoreUnusable) && !(error instanceof ConfigError)) throw error;
    return [];
  }
}
