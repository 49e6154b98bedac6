import type { Command } from 'commander';
import { type AccountKey, accountKeyText, type Platform } from '../../domain/account.ts';
import { BLOCKED_FACTS, NONE_BLOCKED } from '../../domain/facts/blocked-facts.ts';
import { COMMAND_LINE } from '../../domain/operators/actor.ts';
import { blockByHand, pageOfBlocked, unblockByHand } from '../../services/earning/decide/block-account.ts';
import type { BlockedAccount } from '../../store/port/earning.ts';
import { accountArguments, examples, type ListOptions, pageOptions } from '../arguments.ts';
import type { Context } from '../context.ts';
import { factColumns, factItem } from '../facts.ts';
import { printList, type Table } from '../table.ts';

const BLOCKED_TABLE: Table<BlockedAccount> = {
  id: ({ id }) => id,
  ...factColumns(BLOCKED_FACTS, { blocked: { cut: 'time' }, reason: { cut: 'end' } }),
};

async function block(context: Context, account: AccountKey, reason: string): Promise<void> {
  const { clock } = context;
  await context.withStore((store) => blockByHand({ store, clock }, { account, reason, actor: COMMAND_LINE }));
  context.print(`${accountKeyText(account)} earns nothing from watched gigs until account unblock.`);
}

async function unblock(context: Context, account: AccountKey): Promise<void> {
  const { clock } = context;
  await context.withStore((store) => unblockByHand({ store, clock }, { account, actor: COMMAND_LINE }));
  context.print(`${accountKeyText(account)} can earn again. Earlier refusals stay.`);
}

/** `account block|unblock|list`: the accounts that earn nothing from watched gigs. */
export function addAccountCommands(program: Command, context: Context): void {
  const account = program.command('account').description('block and unblock accounts');

  const blocker = accountArguments(
    account
      .command('block')
      .description('block an account: it earns nothing more from any watched gig, and keeps what it was awarded'),
  )
    .requiredOption('--reason <text>', 'the reason, which is shown to operators')
    .action((platform: Platform, platformUserId: string, { reason }: { reason: string }) =>
      block(context, { platform, platformUserId }, reason),
    );
  examples(blocker, 'account block farcaster 1001 --reason "sells likes"');

  const thaw = accountArguments(account.command('unblock').description('undo account block')).action(
    (platform: Platform, platformUserId: string) => unblock(context, { platform, platformUserId }),
  );
  examples(thaw, 'account unblock farcaster 1001');

  const lister = pageOptions(
    account.command('list').description('the blocked accounts, newest block first'),
    BLOCKED_TABLE,
  ).action(async (view: ListOptions) => {
    const { limit, before } = view;
    const { blocked } = await context.withStore((store) => pageOfBlocked({ store }, { limit, before }));
    printList(context, blocked, { view, empty: NONE_BLOCKED, item: factItem(BLOCKED_FACTS), table: BLOCKED_TABLE });
  });
  examples(lister, 'account list');
}
