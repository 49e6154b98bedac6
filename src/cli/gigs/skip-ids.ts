import type { Command } from 'commander';
import { COMMAND_LINE } from '../../domain/operators/actor.ts';
import { skipGigIds } from '../../services/gigs/gig-ids.ts';
import { examples, id } from '../arguments.ts';
import type { Context } from '../context.ts';

async function skipIds(context: Context, { past = null }: { past?: number | null }): Promise<void> {
  const { clock } = context;
  const { first, last } = await context.withStore((store) =>
    skipGigIds({ store, clock }, { past, actor: COMMAND_LINE }),
  );
  context.print(`Gig ids ${first} to ${last} are skipped: the next gig gets ${last + 1}.`);
}

/** `gig skip-ids`: has ids go on later, so that no wallet is given twice. */
export function addSkipIdsCommand(gig: Command, context: Context): void {
  const command = gig
    .command('skip-ids')
    .description(
      'skip gig ids, at least 1,000, so that no new gig gets the wallet of one that the database has lost. The service does so ' +
        'by itself when it notices an older database; run this before the first start after the whole machine, or the folder of ' +
        'the database, was put back to a moment less than an hour ago.',
    )
    .option(
      '--past <id>',
      'go on after this id instead, the highest that logs or clients know',
      id('logs and clients know it'),
    )
    .action((options: { past?: number }) => skipIds(context, options));
  examples(command, 'gig skip-ids', 'gig skip-ids --past 5210');
}
