import { type Command, InvalidArgumentError } from 'commander';
import { OWNER_FACTS } from '../../domain/facts/access-facts.ts';
import { COMMAND_LINE } from '../../domain/operators/actor.ts';
import { type Owner, ownerText, readOwner } from '../../domain/owners/owner.ts';
import type { ListedOwner } from '../../domain/owners/owner-gigs.ts';
import { allowOwner, listAllowedOwners } from '../../services/owners/allowed-owners.ts';
import { endLinks } from '../../services/owners/links.ts';
import { endOwnerSessions } from '../../services/owners/sessions.ts';
import { examples, type ListOptions, pageOptions } from '../arguments.ts';
import type { Context } from '../context.ts';
import { factColumns, factItem } from '../facts.ts';
import { printList, type Table } from '../table.ts';

const NONE_ALLOWED = 'No owner is allowed: add one with owner allow.';

const OWNER_TABLE: Table<ListedOwner> = {
  id: ({ id }) => id,
  ...factColumns(OWNER_FACTS, {
    owner: { cut: 'middle' },
    allowed: { cut: 'time' },
    'linked wallet': { cut: 'middle' },
  }),
};

function ownerNamed(text: string): Owner {
  const owner = readOwner(text);
  if (owner !== null) return owner;
  throw new InvalidArgumentError(
    'It must be an account such as farcaster:1003 or x:22, or a wallet such as wallet:0x…, with its checksum or in lower case.',
  );
}

const OWNER = ['<owner>', 'an account such as farcaster:1003 or x:22, or a wallet as wallet:0x…', ownerNamed] as const;

async function allow(context: Context, owner: Owner, isAllowed: boolean): Promise<void> {
  const { clock } = context;
  await context.withStore((store) => allowOwner({ store, clock }, { owner, isAllowed, actor: COMMAND_LINE }));
  const then = isAllowed
    ? 'may create gigs where OWNER_CREATE is listed.'
    : 'may create no more gigs; those it has go on.';
  context.print(`${ownerText(owner)} ${then}`);
}

function addAllowCommand(owner: Command, context: Context, { isAllowed }: { isAllowed: boolean }): void {
  const name = isAllowed ? 'allow' : 'disallow';
  const command = owner
    .command(name)
    .description(
      isAllowed
        ? 'let an owner create gigs in the console, where OWNER_CREATE is listed'
        : 'stop an owner from creating gigs; its gigs go on',
    )
    .argument(...OWNER)
    .action((named: Owner) => allow(context, named, isAllowed));
  examples(command, `owner ${name} farcaster:1003`, `owner ${name} wallet:0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed`);
}

async function unlink(context: Context, owner: Owner): Promise<void> {
  const { clock } = context;
  const count = await context.withStore((store) => endLinks({ store, clock }, { owner, actor: COMMAND_LINE }));
  context.print(`${ownerText(owner)}: ${count === 1 ? '1 link is' : `${count} links are`} ended.`);
}

async function signOut(context: Context, owner: Owner): Promise<void> {
  const { clock } = context;
  const name = ownerText(owner);
  const count = await context.withStore((store) =>
    endOwnerSessions({ store, clock }, { owner: name, actor: COMMAND_LINE }),
  );
  context.print(`${name}: ${count === 1 ? '1 session is' : `${count} sessions are`} ended.`);
}

/** `owner list|allow|disallow|sign-out|unlink`: the owners of gigs who use the console. */
export function addOwnerCommands(program: Command, context: Context): void {
  const command = program.command('owner').description('the owners of gigs who use the console');

  const lister = pageOptions(
    command.command('list').description('the allowed owners with the wallets that they have linked, newest first'),
    OWNER_TABLE,
  ).action(async (view: ListOptions) => {
    const { limit, before } = view;
    const owners = await context.withStore((store) => listAllowedOwners({ store }, { limit, before }));
    printList(context, owners, { view, empty: NONE_ALLOWED, item: factItem(OWNER_FACTS), table: OWNER_TABLE });
  });
  examples(lister, 'owner list');

  addAllowCommand(command, context, { isAllowed: true });
  addAllowCommand(command, context, { isAllowed: false });

  const closer = command
    .command('sign-out')
    .description('end all sessions of an owner in the console, at once')
    .argument(...OWNER)
    .action((named: Owner) => signOut(context, named));
  examples(closer, 'owner sign-out farcaster:1003', 'owner sign-out wallet:0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed');

  const ender = command
    .command('unlink')
    .description('end the link of an account, or the links of all accounts to a wallet, at once')
    .argument(...OWNER)
    .action((named: Owner) => unlink(context, named));
  examples(ender, 'owner unlink x:22', 'owner unlink wallet:0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed');
}
