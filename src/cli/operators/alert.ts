import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { createAlertReceivers } from '../../alerts/receivers.ts';
import { invalidRequest } from '../../domain/errors.ts';
import type { Alert, AlertDelivery, AlertReceiver } from '../../domain/operators/alert.ts';
import { testReceivers } from '../../services/operators/alerts/tell-alerts.ts';
import { examples, jsonOption, type ListOptions, pageOptions } from '../arguments.ts';
import type { Context } from '../context.ts';
import { momentText, plain, printJson } from '../output.ts';
import { printList, type Table } from '../table.ts';

interface Told {
  readonly alert: Alert;
  readonly deliveries: readonly AlertDelivery[];
}

function toItem({ alert, deliveries }: Told, receivers: readonly AlertReceiver[]) {
  const labels = new Map(receivers.map(({ id, label }) => [id, label]));
  return {
    id: alert.id,
    kind: alert.kind,
    subject: alert.subject,
    text: alert.text,
    remedy: alert.remedy,
    begun_at: momentText(alert.begunAt),
    ended_at: momentText(alert.endedAt),
    deliveries: deliveries.map(({ id, news, receiver, state, tries, endedAt, error }) => ({
      id,
      news,
      receiver: labels.get(receiver) ?? 'not configured any more',
      state,
      tries,
      ended_at: momentText(endedAt),
      error,
    })),
  };
}

type Item = ReturnType<typeof toItem>;

function deliveryText({ news, receiver, state, tries, error }: Item['deliveries'][number]): string {
  const why = state === 'delivered' || error === null ? '' : `, ${tries} ${tries === 1 ? 'try' : 'tries'}: ${error}`;
  return `${news} ${state} to ${receiver}${why}`;
}

const ALERT_TABLE: Table<Item> = {
  id: ({ id }) => id,
  kind: ({ kind }) => kind,
  subject: { read: ({ subject }) => subject, cut: 'end', spare: 3 },
  begun: { read: ({ begun_at: at }) => at, cut: 'time', spare: 4 },
  over: { read: ({ ended_at: at }) => at, cut: 'time', spare: 2 },
  text: { read: ({ text }) => text, cut: 'end' },
  deliveries: {
    read: ({ deliveries }) => deliveries.map(deliveryText).join('; ') || null,
    cut: 'end',
    spare: 1,
  },
};

async function list(context: Context, view: ListOptions): Promise<void> {
  const { limit, before } = view;
  const receivers = createAlertReceivers(context.config().alertWebhooks);
  const told = await context.withStore(async (store) => {
    const found = await store.alerts({ limit, before });
    return await Promise.all(found.map(async (alert) => ({ alert, deliveries: await store.deliveriesOf(alert.id) })));
  });
  const items = told.map((each) => toItem(each, receivers));
  printList(context, items, { view, empty: 'No alert has begun.', table: ALERT_TABLE });
}

async function sendTest(context: Context, { json }: { json: boolean }): Promise<void> {
  const { alertWebhooks, publicUrl } = context.config();
  if (alertWebhooks.length === 0)
    throw invalidRequest('ALERT_WEBHOOK_URL is not set, so alerts are off. Set it, then run alert test again.');
  const deps = { publicUrl, clock: context.clock, newId: randomUUID };
  const results = await testReceivers(deps, createAlertReceivers(alertWebhooks));
  if (json) {
    printJson(
      context,
      results.map(({ label, isDelivered, answer }) => ({ receiver: label, delivered: isDelivered, answer })),
    );
  } else {
    for (const { label, isDelivered, answer } of results)
      context.print(`${isDelivered ? '✓' : '✗'} ${label}: ${plain(answer)}`);
  }
  const failed = results.filter(({ isDelivered }) => !isDelivered).length;
  if (failed > 0) context.fail(`${failed} of ${results.length} receivers did not take the test.`);
}

/** `alert list|test`: the alerts and their deliveries. */
export function addAlertCommands(program: Command, context: Context): void {
  const command = program.command('alert').description('list and test alerts');
  const listing = pageOptions(
    command
      .command('list')
      .description(
        'open and recent alerts, and the state of their deliveries. Receivers go by their place in ALERT_WEBHOOK_URL',
      ),
    ALERT_TABLE,
  ).action((options: ListOptions) => list(context, options));
  examples(listing, 'alert list', 'alert list --limit 5 --json');
  const test = command
    .command('test')
    .description(
      'send a test to each URL of ALERT_WEBHOOK_URL and print the answers; exits with 1 when one does not take it',
    )
    .addOption(jsonOption('array'))
    .action((options: { json: boolean }) => sendTest(context, options));
  examples(test, 'alert test');
}
