import { type Command, Option } from 'commander';
import { COMMAND_LINE } from '../domain/actor.ts';
import { invalidRequest } from '../domain/errors.ts';
import { TRANSFER_KINDS, TRANSFER_STATES, type TransferKind, type TransferState } from '../domain/transfer.ts';
import { retryTransfer } from '../services/payments/retry-transfer.ts';
import { examples, id, type ListOptions, pageOptions } from './arguments.ts';
import type { Context } from './context.ts';
import { printList, printRecord } from './output.ts';
import { toAttempts, transferFields, transferItem, transferRow } from './transfer-view.ts';

type Filter = ListOptions & { state?: TransferState; kind?: TransferKind; gig?: number };

async function list(context: Context, options: Filter): Promise<void> {
  const { limit, before, state, kind, gig: gigId } = options;
  const transfers = await context.withStore((store) => store.transfers({ limit, before, state, kind, gigId }));
  const items = transfers.map(transferItem);
  printList(context, items, { json: options.json, empty: 'No transfers found.', row: transferRow });
}

async function show(context: Context, wanted: number, options: { json: boolean }): Promise<void> {
  const { transfer, tips } = await context.withStore(async (store) => ({
    transfer: await store.transfer(wanted),
    tips: await store.tipsOfTransfer(wanted),
  }));
  if (transfer === null) {
    throw invalidRequest(`There is no transfer ${wanted}; see transfer list.`);
  }
  const item = transferItem(transfer);
  const attempts = toAttempts(transfer);
  const ids = tips.map((tip) => tip.id);
  const fields = { ...transferFields(item, attempts), ...(ids.length === 0 ? {} : { tips: ids.join(', ') }) };
  const title = `Transfer ${transfer.id}`;
  printRecord(context, { ...item, attempts, tip_ids: ids }, { json: options.json, title, fields });
}

async function retry(context: Context, wanted: number): Promise<void> {
  const { clock } = context;
  const { treasuryAddress: treasury } = context.config();
  const { planned, frozen } = await context.withStore(async (store) => {
    const transfer = await retryTransfer({ store, clock, treasury }, { transferId: wanted, actor: COMMAND_LINE });
    return { planned: transfer, frozen: transfer && (await store.gigFreeze(transfer.gigId)) };
  });
  if (planned === null) {
    throw invalidRequest(`Transfer ${wanted} has nothing left to pay: its tips were claimed or planned again since.`);
  }
  context.print(`Transfer ${wanted} is planned again as transfer ${planned.id}; the running service pays it.`);
  if (frozen !== null) context.print(`It waits while gig ${planned.gigId} is frozen: ${frozen}`);
}

/** `transfer list|show|retry`: the payments that leave the service's wallets. */
export function addTransferCommands(program: Command, context: Context): void {
  const command = program.command('transfer').description('the payments out of gig wallets and the gas tank');
  const byId = id('transfer list shows it');

  const lister = pageOptions(
    command
      .command('list')
      .description(
        'payments and their states. planned: waiting to be signed; signed and broadcast: under way; replaced: an unrecognized ' +
          'transaction used the nonce, and the payment was planned again',
      )
      .addOption(new Option('--state <state>', 'only those in this state').choices(TRANSFER_STATES))
      .addOption(
        new Option('--kind <kind>', 'payout: to a claim; fee: to the treasury; gas: to a gig wallet').choices(
          TRANSFER_KINDS,
        ),
      )
      .option('--gig <id>', 'only those for this gig, gas included', id('gig list shows the ids')),
  ).action((options: Filter) => list(context, options));
  examples(lister, 'transfer list --gig 42', 'transfer list --state failed --kind payout --json');

  const shower = command
    .command('show')
    .description('everything about one payment, with each signed attempt and the tips it pays')
    .argument('<id>', 'the id of the transfer', byId)
    .option('--json', 'as one JSON object', false)
    .action((wanted: number, options: { json: boolean }) => show(context, wanted, options));
  examples(shower, 'transfer show 12');

  const again = command
    .command('retry')
    .description('plan a failed payout again, with those of its tips that were not claimed since, or a failed fee')
    .argument('<id>', 'the id of the transfer', id('transfer list --state failed shows it'))
    .action((wanted: number) => retry(context, wanted));
  examples(again, 'transfer retry 12');
}
