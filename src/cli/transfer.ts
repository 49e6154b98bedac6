import { type Command, Option } from 'commander';
import { COMMAND_LINE } from '../domain/actor.ts';
import { DomainError } from '../domain/errors.ts';
import type { TransferKind, TransferState } from '../domain/transfer.ts';
import { retryTransfer } from '../services/payments/retry-transfer.ts';
import { examples, id, type ListOptions, pageOptions } from './arguments.ts';
import type { Context } from './context.ts';
import { printFields, printJson, printList } from './output.ts';
import { toAttempts, transferFields, transferItem, transferRow } from './transfer-view.ts';

const KINDS = ['payout', 'fee', 'gas'] as const satisfies TransferKind[];
const STATES = ['planned', 'signed', 'broadcast', 'confirmed', 'failed', 'replaced'] as const satisfies TransferState[];

type Filter = ListOptions & { state?: TransferState; kind?: TransferKind; gig?: number };

async function list(context: Context, options: Filter): Promise<void> {
  const { limit, before, state, kind, gig: gigId } = options;
  const transfers = await context.withStore((store) => store.transfers({ limit, before, state, kind, gigId }));
  const items = transfers.map(transferItem);
  printList(context, items, { json: options.json, empty: 'No such transfers.', row: transferRow });
}

async function show(context: Context, wanted: number, options: { json: boolean }): Promise<void> {
  const { transfer, tips } = await context.withStore(async (store) => ({
    transfer: await store.transfer(wanted),
    tips: await store.tipsOfTransfer(wanted),
  }));
  if (transfer === null) {
    const message = `There is no transfer ${wanted}; see transfer list.`;
    throw new DomainError({ code: 'invalid_request', message });
  }
  const item = transferItem(transfer);
  const attempts = toAttempts(transfer);
  if (options.json) {
    printJson(context, { ...item, attempts, tip_ids: tips.map((tip) => tip.id) });
    return;
  }
  context.print(`Transfer ${transfer.id}`);
  const tipIds = tips.length === 0 ? {} : { tips: tips.map((tip) => tip.id).join(', ') };
  printFields(context, { ...transferFields(item, attempts), ...tipIds });
}

async function retry(context: Context, wanted: number): Promise<void> {
  const { clock } = context;
  const { treasuryAddress: treasury } = context.config();
  const { planned, frozen } = await context.withStore(async (store) => {
    const transfer = await retryTransfer({ store, clock, treasury }, { transferId: wanted, actor: COMMAND_LINE });
    return { planned: transfer, frozen: transfer && (await store.gigFreeze(transfer.gigId)) };
  });
  if (planned === null) {
    const message = `Transfer ${wanted} has nothing left to pay: its tips were claimed or planned again since.`;
    throw new DomainError({ code: 'invalid_request', message });
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
        'payments and their states: planned ones wait to be signed, signed and broadcast ones are under way; the nonce ' +
          'of a replaced one was used by an unrecognized transaction, and the payment was planned again',
      )
      .addOption(new Option('--state <state>', 'only those in this state').choices(STATES))
      .addOption(
        new Option('--kind <kind>', 'payout: to a claim; fee: to the treasury; gas: to a gig wallet').choices(KINDS),
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
