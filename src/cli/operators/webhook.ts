import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import { invalidRequest } from '../../domain/errors.ts';
import type { ListedDelivery, WebhookEndpoint } from '../../domain/events/endpoint.ts';
import {
  deliveryJson,
  WEBHOOK_CREATED,
  WEBHOOK_FACTS,
  WEBHOOK_PAUSE,
  webhookJson,
} from '../../domain/facts/webhook-facts.ts';
import { COMMAND_LINE } from '../../domain/operators/actor.ts';
import { isoText } from '../../domain/time.ts';
import { createEventSender } from '../../endpoints/sender.ts';
import type { WebhookContext } from '../../services/events/context.ts';
import { listDeliveries } from '../../services/events/read-events.ts';
import {
  changeWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  replayEvents,
  testWebhook,
} from '../../services/events/webhooks.ts';
import { examples, id, instant, jsonOption, type ListOptions, pageOptions, tableOptions } from '../arguments.ts';
import type { Context } from '../context.ts';
import { factColumns, factFields } from '../facts.ts';
import { plain, printRecord } from '../output.ts';
import { type ListView, printList, type Table } from '../table.ts';

const webhookId = id('webhook list shows the ids');
const actor = COMMAND_LINE;

async function withWebhooks<Result>(
  context: Context,
  work: (deps: WebhookContext) => Promise<Result>,
): Promise<Result> {
  const { signingKey, webhookAllowPrivate: allowPrivate } = context.config();
  const { clock } = context;
  const sender = createEventSender({ signingKey, allowPrivate, clock });
  const sleep = (ms: number) => wait(ms, true);
  return await context.withStore((store) => work({ store, clock, sender, randomBytes, newId: randomUUID, sleep }));
}

const WEBHOOK_TABLE: Table<WebhookEndpoint> = {
  id: ({ id: webhook }) => webhook,
  ...factColumns(WEBHOOK_FACTS, { url: { cut: 'end' }, types: { cut: 'end', spare: 3 } }),
  because: { read: ({ pausedBecause }) => pausedBecause, spare: 2 },
  ...factColumns([WEBHOOK_CREATED], { created: { cut: 'time', spare: 1 } }),
};

/** As the API has it, with its client, whom the API's caller is. */
function toItem(endpoint: WebhookEndpoint) {
  return { ...webhookJson(endpoint), client: endpoint.client };
}

async function list(context: Context, view: ListView): Promise<void> {
  const found = await withWebhooks(context, (deps) => listWebhooks(deps, actor));
  printList(context, found, { view, empty: 'There are no webhooks.', item: toItem, table: WEBHOOK_TABLE });
}

async function show(context: Context, wanted: number, { json }: { json: boolean }): Promise<void> {
  const endpoint = await withWebhooks(context, ({ store }) => findWebhook(store, { id: wanted, actor }));
  const fields = factFields([...WEBHOOK_FACTS, WEBHOOK_PAUSE, WEBHOOK_CREATED], endpoint);
  printRecord(context, toItem(endpoint), { json, title: `Webhook ${wanted}`, fields });
}

const DELIVERY_TABLE: Table<ListedDelivery> = {
  place: ({ place }) => place,
  type: ({ type }) => type,
  seq: ({ seq }) => seq,
  gig: ({ gigId }) => gigId,
  state: ({ state }) => state,
  tries: { read: ({ tries }) => tries, spare: 3 },
  status: ({ status }) => status,
  error: { read: ({ error }) => error && plain(error), cut: 'end' },
  replay: { read: ({ replay: isReplay }) => isReplay, spare: 1 },
  ended: { read: ({ endedAt }) => isoText(endedAt), cut: 'time', spare: 2 },
};

/** As the API has it, with its place, where `--before` goes on. */
function toDeliveryItem(delivery: ListedDelivery) {
  return { place: delivery.place, ...deliveryJson(delivery) };
}

async function deliveries(context: Context, wanted: number, view: ListOptions): Promise<void> {
  const { limit, before } = view;
  const found = await withWebhooks(context, (deps) => listDeliveries(deps, { id: wanted, actor, limit, before }));
  const empty = 'Nothing was sent to it.';
  printList(context, found.deliveries, { view, empty, item: toDeliveryItem, table: DELIVERY_TABLE });
}

async function setPaused(context: Context, wanted: number, paused: boolean): Promise<void> {
  await withWebhooks(context, (deps) => changeWebhook(deps, { id: wanted, actor, paused }));
  context.print(`Webhook ${wanted} is ${paused ? 'paused: nothing is sent to it' : 'active'}.`);
}

interface ReplayOptions {
  readonly seq?: number;
  readonly gig?: number;
  readonly since?: number;
  readonly until?: number;
}

/** @throws DomainError `invalid_request` unless one way is named */
function whichOf({ seq, gig, since, until }: ReplayOptions) {
  const ways = [
    ...(seq === undefined ? [] : [{ seq }]),
    ...(gig === undefined ? [] : [{ gigId: gig }]),
    ...(since === undefined || until === undefined ? [] : [{ since, until }]),
  ];
  const [which, other] = ways;
  if (which !== undefined && other === undefined) return which;
  throw invalidRequest('Name --seq, --gig, or --since and --until.');
}

async function replay(context: Context, wanted: number, options: ReplayOptions): Promise<void> {
  const which = whichOf(options);
  const count = await withWebhooks(context, (deps) => replayEvents(deps, { id: wanted, actor, which }));
  context.print(`${count} ${count === 1 ? 'event is' : 'events are'} sent to webhook ${wanted} again.`);
}

async function sendTest(context: Context, wanted: number): Promise<void> {
  const answer = await withWebhooks(context, (deps) => testWebhook(deps, { id: wanted, actor }));
  const isTaken = answer.status !== null && answer.status >= 200 && answer.status <= 299;
  const said = answer.status === null ? plain(answer.error) : `answered with status ${answer.status}`;
  if (isTaken) context.print(`✓ Webhook ${wanted} ${said}.`);
  else context.fail(`✗ Webhook ${wanted} ${said}.`);
}

async function remove(context: Context, wanted: number): Promise<void> {
  await withWebhooks(context, (deps) => deleteWebhook(deps, { id: wanted, actor }));
  context.print(`Webhook ${wanted} is deleted.`);
}

/** `webhook list|show|deliveries|pause|resume|replay|test|delete`: the URLs of clients that take events. */
export function addWebhookCommands(program: Command, context: Context): void {
  const command = program.command('webhook').description('clients’ event endpoints (platforms: webhooks)');
  const of = (name: string, description: string) =>
    command.command(name).description(description).argument('<id>', 'the id of the webhook', webhookId);
  const lister = tableOptions(
    command.command('list').description('all webhooks').addOption(jsonOption('array')),
    WEBHOOK_TABLE,
  ).action((view: ListView) => list(context, view));
  examples(lister, 'webhook list');
  const shower = of('show', 'one webhook, without its secret')
    .addOption(jsonOption('object'))
    .action((wanted: number, options: { json: boolean }) => show(context, wanted, options));
  examples(shower, 'webhook show 3');
  const sent = pageOptions(
    of('deliveries', 'the deliveries to a webhook, with the status of each answer'),
    DELIVERY_TABLE,
  ).action((wanted: number, options: ListOptions) => deliveries(context, wanted, options));
  examples(sent, 'webhook deliveries 3 --limit 20');
  examples(
    of('pause', 'send nothing to a webhook until it is resumed').action((wanted: number) =>
      setPaused(context, wanted, true),
    ),
    'webhook pause 3',
  );
  examples(
    of('resume', 'resume a paused webhook: it gets the events that it missed, then new ones').action((wanted: number) =>
      setPaused(context, wanted, false),
    ),
    'webhook resume 3',
  );
  const replayer = of('replay', 'send events to a webhook again')
    .option('--seq <seq>', 'the event at this place', id('webhook deliveries shows it'))
    .option('--gig <gig>', 'the events of a gig', id('gig list shows the ids'))
    .option('--since <date>', 'with --until: events from then on (ISO 8601)', instant)
    .option('--until <date>', 'events before then', instant)
    .action((wanted: number, options: ReplayOptions) => replay(context, wanted, options));
  examples(replayer, 'webhook replay 3 --gig 42', 'webhook replay 3 --since 2026-11-26 --until 2026-11-27');
  examples(
    of('test', 'send a webhook a test and print the answer').action((wanted: number) => sendTest(context, wanted)),
    'webhook test 3',
  );
  examples(
    of('delete', 'delete a webhook; what is queued for it is not sent').action((wanted: number) =>
      remove(context, wanted),
    ),
    'webhook delete 3',
  );
}
