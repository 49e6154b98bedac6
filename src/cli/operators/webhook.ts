import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import { invalidRequest } from '../../domain/errors.ts';
import type { ListedDelivery, WebhookEndpoint } from '../../domain/events/endpoint.ts';
import { COMMAND_LINE } from '../../domain/operators/actor.ts';
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
import { momentText, plain, printRecord } from '../output.ts';
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

function toItem({ id: webhook, client, url, types, pausedAt, pausedBecause, fromSeq, createdAt }: WebhookEndpoint) {
  return {
    id: webhook,
    client,
    url,
    types,
    state: pausedAt === null ? 'active' : 'paused',
    paused_because: pausedBecause,
    paused_at: momentText(pausedAt),
    from_seq: fromSeq,
    created_at: momentText(createdAt),
  };
}

type Item = ReturnType<typeof toItem>;

const WEBHOOK_TABLE: Table<Item> = {
  id: ({ id: webhook }) => webhook,
  client: ({ client }) => client ?? 'all',
  url: { read: ({ url }) => url, cut: 'end' },
  types: { read: ({ types }) => types.join(' ') || 'all', cut: 'end', spare: 3 },
  state: ({ state }) => state,
  because: { read: ({ paused_because: because }) => because, spare: 2 },
  created: { read: ({ created_at: at }) => at, cut: 'time', spare: 1 },
};

async function list(context: Context, view: ListView): Promise<void> {
  const found = await withWebhooks(context, (deps) => listWebhooks(deps, actor));
  printList(context, found.map(toItem), { view, empty: 'There are no webhooks.', table: WEBHOOK_TABLE });
}

async function show(context: Context, wanted: number, { json }: { json: boolean }): Promise<void> {
  const item = toItem(await withWebhooks(context, ({ store }) => findWebhook(store, { id: wanted, actor })));
  const { client, url, types, state, paused_because: because, created_at: created } = item;
  const paused = because === null ? {} : { 'paused because': because };
  const fields = { client: client ?? 'all', url, types: types.join(' ') || 'all', state, ...paused, created };
  printRecord(context, item, { json, title: `Webhook ${wanted}`, fields });
}

function toDeliveryItem({ place, id: delivery, uid, type, seq, gigId, state, tries, ...rest }: ListedDelivery) {
  const { status, error, replay, queuedAt, endedAt } = rest;
  const times = { queued_at: momentText(queuedAt), ended_at: momentText(endedAt) };
  return { place, id: delivery, event: uid, type, seq, gig_id: gigId, state, tries, status, error, replay, ...times };
}

const DELIVERY_TABLE: Table<ReturnType<typeof toDeliveryItem>> = {
  place: ({ place }) => place,
  type: ({ type }) => type,
  seq: ({ seq }) => seq,
  gig: ({ gig_id: gig }) => gig,
  state: ({ state }) => state,
  tries: { read: ({ tries }) => tries, spare: 3 },
  status: ({ status }) => status,
  error: { read: ({ error }) => error && plain(error), cut: 'end' },
  replay: { read: ({ replay: isReplay }) => isReplay, spare: 1 },
  ended: { read: ({ ended_at: at }) => at, cut: 'time', spare: 2 },
};

async function deliveries(context: Context, wanted: number, view: ListOptions): Promise<void> {
  const { limit, before } = view;
  const found = await withWebhooks(context, (deps) => listDeliveries(deps, { id: wanted, actor, limit, before }));
  const items = found.deliveries.map(toDeliveryItem);
  printList(context, items, { view, empty: 'Nothing was sent to it.', table: DELIVERY_TABLE });
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
  const command = program
    .command('webhook')
    .description('the URLs of clients that take events; webhooks (above) is about the platforms');
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
