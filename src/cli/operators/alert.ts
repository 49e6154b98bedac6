import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { createAlertReceivers } from '../../alerts/receivers.ts';
import { invalidRequest } from '../../domain/errors.ts';
import { ALERT_FACTS, ALERT_REMEDY, type ShownAlert } from '../../domain/facts/alert-facts.ts';
import { factsJson } from '../../domain/facts/fact.ts';
import { testReceivers } from '../../services/operators/alerts/tell-alerts.ts';
import { examples, jsonOption, type ListOptions, pageOptions } from '../arguments.ts';
import type { Context } from '../context.ts';
import { factColumns } from '../facts.ts';
import { plain, printJson } from '../output.ts';
import { printList, type Table } from '../table.ts';

const ALERT_TABLE: Table<ShownAlert> = {
  id: ({ alert }) => alert.id,
  ...factColumns(ALERT_FACTS, {
    subject: { cut: 'end', spare: 3 },
    begun: { cut: 'time', spare: 4 },
    over: { cut: 'time', spare: 2 },
    text: { cut: 'end' },
    deliveries: { cut: 'end', spare: 1 },
  }),
};

async function list(context: Context, view: ListOptions): Promise<void> {
  const { limit, before } = view;
  const labels = new Map(createAlertReceivers(context.config().alertWebhooks).map(({ id, label }) => [id, label]));
  const shown = await context.withStore(async (store) => {
    const found = await store.alerts({ limit, before });
    return await Promise.all(
      found.map(async (alert) => ({ alert, deliveries: await store.deliveriesOf(alert.id), labels })),
    );
  });
  const item = (each: ShownAlert) => ({ id: each.alert.id, ...factsJson([...ALERT_FACTS, ALERT_REMEDY], each) });
  printList(context, shown, { view, empty: 'No alert has begun.', item, table: ALERT_TABLE });
}

async function sendTest(context: Context, { json }: { json: boolean }): Promise<void> {
  const { alertWebhooks, publicUrl, brand } = context.config();
  if (alertWebhooks.length === 0)
    throw invalidRequest('ALERT_WEBHOOK_URL is not set, so alerts are off. Set it, then run alert test again.');
  const deps = { publicUrl, siteName: brand.name, clock: context.clock, newId: randomUUID };
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
