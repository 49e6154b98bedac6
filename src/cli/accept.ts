import type { Command } from 'commander';
import { COMMAND_LINE } from '../domain/actor.ts';
import { acknowledgeActivity } from '../services/audits/acknowledge-activity.ts';
import { examples, id } from './arguments.ts';
import type { Context } from './context.ts';
import { plain, printJson } from './output.ts';
import { headline, reconciledItem } from './reconcile-view.ts';

async function accept(context: Context, gigId: number, options: { json: boolean }): Promise<void> {
  const { clock } = context;
  const auditors = context.auditors();
  const result = await context.withStore((store) =>
    acknowledgeActivity({ store, auditors, clock, actor: COMMAND_LINE }, { gigId }),
  );
  const item = reconciledItem(result);
  if (options.json) {
    const accepted = result.accepted.map((use) => (use.kind === 'nonce' ? { nonce: use.nonce } : { hash: use.hash }));
    printJson(context, { ...item, accepted });
    return;
  }
  if (result.accepted.length === 0) context.print('There was nothing to accept.');
  context.print(plain(headline(item)));
  for (const line of item.notes) context.print(`    ${plain(line)}`);
}

/** `gig accept`: accepts unrecognized activity of a gig's wallet, so that the gig pays again. */
export function addAcceptCommand(gig: Command, context: Context): void {
  const command = gig
    .command('accept')
    .description(
      'audit a gig now and accept unrecognized activity of its wallet: nonces without a transfer, and transactions that took ' +
        'tokens. The gig pays again, and later audits only mention what was accepted; new activity freezes it again. ' +
        'Refuses when the wallet holds less than it must (fill it first) and when a payment differs from the chain.',
    )
    .argument('<gig>', 'the id of the gig', id('gig list shows the ids'))
    .option('--json', 'as one JSON object', false)
    .action((gigId: number, options: { json: boolean }) => accept(context, gigId, options));
  examples(command, 'gig accept 42');
}
