import type { Command } from 'commander';
import { COMMAND_LINE } from '../../domain/operators/actor.ts';
import { freezeByHand, unfreezeByHand } from '../../services/gigs/freezes.ts';
import { assignGig } from '../../services/gigs/owners.ts';
import { examples, gigArgument } from '../arguments.ts';
import type { Context } from '../context.ts';
import { plain } from '../output.ts';

async function freeze(context: Context, wanted: number, { reason }: { reason: string }): Promise<void> {
  const { clock } = context;
  const request = { gigId: wanted, reason, actor: COMMAND_LINE };
  await context.withStore((store) => freezeByHand({ store, clock }, request));
  context.print(`Gig ${wanted} is frozen: it pays nothing until gig unfreeze ${wanted}.`);
}

async function unfreeze(context: Context, wanted: number): Promise<void> {
  const { clock } = context;
  const request = { gigId: wanted, actor: COMMAND_LINE };
  const left = await context.withStore((store) => unfreezeByHand({ store, clock }, request));
  if (left === null) context.print(`Gig ${wanted} pays again.`);
  else context.print(`Gig ${wanted} is no longer frozen by the operator, but it stays frozen: ${plain(left)}`);
}

async function assign(context: Context, wanted: number, client: string): Promise<void> {
  const { clock } = context;
  await context.withStore((store) => assignGig({ store, clock }, { gigId: wanted, client, actor: COMMAND_LINE }));
  context.print(`Gig ${wanted} belongs to ${plain(client.trim())} now.`);
}

/** `gig freeze|unfreeze|assign`: freezes a gig by hand, and assigns one without a client to a client. */
export function addFreezeCommands(gig: Command, context: Context): void {
  const freezer = gig
    .command('freeze')
    .description('freeze a gig’s payments at once, until gig unfreeze; an audit does not unfreeze it')
    .addArgument(gigArgument())
    .requiredOption('--reason <text>', 'the reason, which is shown to operators')
    .action((wanted: number, options: { reason: string }) => freeze(context, wanted, options));
  examples(freezer, 'gig freeze 42 --reason "its key leaked"');

  const thaw = gig
    .command('unfreeze')
    .description('undo gig freeze; the gig stays frozen if an audit found a problem')
    .addArgument(gigArgument())
    .action((wanted: number) => unfreeze(context, wanted));
  examples(thaw, 'gig unfreeze 42');

  const giver = gig
    .command('assign')
    .description(
      'assign a gig that has no client to a client, whose keys then see and command it; this cannot be undone',
    )
    .addArgument(gigArgument())
    .argument('<client>', 'the client, as api-key list shows it')
    .action((wanted: number, client: string) => assign(context, wanted, client));
  examples(giver, 'gig assign 42 shop');
}
