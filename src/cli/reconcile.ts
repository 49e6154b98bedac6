import type { Command } from 'commander';
import { formatAmount } from '../domain/amount.ts';
import { chainById } from '../domain/chain.ts';
import { checksummed } from '../domain/token.ts';
import { type Reconciled, reconcileGigs } from '../services/reconcile.ts';
import { examples, id } from './arguments.ts';
import type { Context } from './context.ts';
import { plain, printJson } from './output.ts';

/** A gig held against its chain, in JSON. Amounts are decimal text in whole tokens. */
function toItem({ gig, audit, error, frozen, change }: Reconciled) {
  const { token } = gig;
  const amount = (units: bigint) => formatAmount(units, token.decimals);
  return {
    gig_id: gig.id,
    chain: chainById(token.chainId)?.key ?? String(token.chainId),
    token: { symbol: token.symbol, address: checksummed(token.address), decimals: token.decimals },
    wallet_address: checksummed(gig.walletAddress),
    adds_up: audit === null ? null : audit.problems.length === 0,
    expected: audit && amount(audit.expected),
    held: audit && amount(audit.held),
    block_number: audit && Number(audit.blockNumber),
    problems: audit?.problems ?? [],
    notes: audit?.notes ?? [],
    error,
    frozen,
    change,
  };
}

type Item = ReturnType<typeof toItem>;

function headline(item: Item): string {
  const { gig_id: gigId, held, token, block_number: block, change } = item;
  if (item.error !== null) return `? gig ${gigId} could not be checked: ${item.error}`;
  const holds = `${held} ${token.symbol} in the wallet at block ${block}`;
  if (item.adds_up === false) {
    return `✗ gig ${gigId} does not add up and ${change === 'stopped' ? 'is stopped now' : 'stays stopped'}: ${holds}`;
  }
  const then = change === 'released' ? ', and it pays again' : item.frozen === null ? '' : `; stopped: ${item.frozen}`;
  return `✓ gig ${gigId} adds up: ${holds}${then}`;
}

function summary(items: readonly Item[]): string[] {
  const of = `of ${items.length} ${items.length === 1 ? 'gig' : 'gigs'}`;
  const wrong = items.filter((item) => item.adds_up === false).length;
  const unknown = items.filter((item) => item.adds_up === null).length;
  return [
    ...(wrong === 0
      ? []
      : [`${wrong} ${of} ${wrong === 1 ? 'does not add up and pays' : 'do not add up and pay'} nothing.`]),
    ...(unknown === 0 ? [] : [`${unknown} ${of} could not be checked.`]),
  ];
}

async function reconcile(context: Context, gigId: number | undefined, options: { json: boolean }): Promise<void> {
  const { clock } = context;
  const auditors = context.auditors();
  const results = await context.withStore((store) => reconcileGigs({ store, auditors, clock }, { gigId }));
  const items = results.map(toItem);
  if (options.json) {
    printJson(context, items);
  } else {
    if (items.length === 0) context.print('No gig is live.');
    for (const item of items) {
      context.print(plain(headline(item)));
      for (const line of [...item.problems, ...item.notes]) context.print(`    ${plain(line)}`);
    }
  }
  for (const line of summary(items)) context.fail(line);
}

/** `reconcile`: whether every gig's wallet holds what it must. */
export function addReconcileCommand(program: Command, context: Context): void {
  const command = program
    .command('reconcile')
    .description(
      'prove from the chain that the wallet of every live gig holds what was funded, less what was paid and moved as ' +
        'fees, and that each transaction out of it is one transfer. A gig that does not add up is stopped and pays ' +
        'nothing; one that adds up again goes on. More in a wallet than must be there is said and stops nothing, because ' +
        'anybody can send it. Exits with 1 when a gig does not add up or its chain does not answer.',
    )
    .argument('[gig]', 'only this gig', id('gig list shows the ids'))
    .option('--json', 'as a JSON array', false)
    .action((gigId: number | undefined, options: { json: boolean }) => reconcile(context, gigId, options));
  examples(command, 'reconcile', 'reconcile 42 --json');
}
