import type { Command } from 'commander';
import { REPORT_HEADER, reportLines } from '../../domain/gigs/gig-report-csv.ts';
import { HOUR_MS } from '../../domain/time.ts';
import { findGig } from '../../services/gigs/find-gigs.ts';
import { auditReport, readReport } from '../../services/gigs/show/report-gig.ts';
import { examples, gigArgument, jsonOption, tableOptions } from '../arguments.ts';
import type { Context } from '../context.ts';
import { printFields, printJson } from '../output.ts';
import { PAYMENT_TABLE } from '../payments/payment.ts';
import { type ListView, printList } from '../table.ts';
import { reportFields, reportItem } from './report-view.ts';

async function report(context: Context, wanted: number, view: ListView): Promise<void> {
  const refundDelayMs = context.config().refundDelayHours * HOUR_MS;
  const found = await context.withStore((store) => auditReport({ store, refundDelayMs }, { gigId: wanted }));
  const item = reportItem(found, context.clock());
  if (view.json) {
    printJson(context, item);
  } else {
    context.print(`Statement of gig ${wanted}`);
    printFields(context, reportFields(item, found));
    context.print('Fee, refund and returns, oldest first');
    printList(context, found.payments, { view, empty: 'None.', table: PAYMENT_TABLE });
  }
  if (!item.adds_up)
    context.fail(`The statement of gig ${wanted} does not add up; reconcile compares it with the chain.`);
}

/** Page by page, so that a large gig is never in memory at once. */
async function printCsv(context: Context, wanted: number): Promise<void> {
  const { clock } = context;
  // `print` ends the line itself.
  const print = (lines: string) => context.print(lines.replace(/\r\n$/, '\r'));
  await context.withStore(async (store) => {
    const gig = await findGig({ store }, { gigId: wanted });
    print(REPORT_HEADER);
    for await (const accounts of readReport({ store, clock }, gig)) {
      if (accounts.length > 0) print(reportLines(accounts, gig.token));
    }
  });
}

/** `gig report`: where the money of a gig went. */
export function addReportCommand(gig: Command, context: Context): void {
  const command = gig
    .command('report')
    .description(
      'the statement of a gig: its paid, owed, refunded and remaining money, compared with each of its tips. The exit ' +
        'code is 1 when it does not add up.',
    )
    .addArgument(gigArgument())
    .addOption(jsonOption('object'))
    .option('--csv', 'its tips and the accounts that were refused, as CSV', false);
  tableOptions(command, PAYMENT_TABLE).action((wanted: number, { csv, ...view }: ListView & { csv: boolean }) =>
    csv ? printCsv(context, wanted) : report(context, wanted, view),
  );
  examples(command, 'gig report 42', 'gig report 42 --json', 'gig report 42 --csv > gig-42.csv');
}
