import { type Command, Option } from 'commander';
import { type Account, type AccountKey, accountKeyText, type Platform } from '../../domain/account.ts';
import { formatAmount } from '../../domain/amount.ts';
import { chainById } from '../../domain/chains/chain.ts';
import { AdapterError } from '../../domain/errors.ts';
import { type Fact, factsJson } from '../../domain/facts/fact.ts';
import {
  GIG_END_FACTS,
  GIG_FACTS,
  GIG_FREEZE,
  GIG_STATE,
  LISTED_GIG_FACTS,
  type ListedGig,
  type ShownGig,
} from '../../domain/facts/gig-facts.ts';
import { platformField, usernameField } from '../../domain/fields.ts';
import { gigPhase } from '../../domain/gigs/gig.ts';
import { checksummed } from '../../domain/gigs/token.ts';
import { COMMAND_LINE } from '../../domain/operators/actor.ts';
import { isoText } from '../../domain/time.ts';
import { findGig, GIG_PHASES, listGigs } from '../../services/gigs/find-gigs.ts';
import { prepareOwner, removeOwner } from '../../services/gigs/owners.ts';
import { tryFunding } from '../../services/gigs/read-funding.ts';
import { carryOut } from '../../services/prepared.ts';
import {
  accountArguments,
  by,
  examples,
  gigArgument,
  jsonOption,
  type ListOptions,
  pageOptions,
} from '../arguments.ts';
import type { Context } from '../context.ts';
import { addBountyCommands } from '../earning/bounty.ts';
import { addEarningCommands } from '../earning/earning.ts';
import { printFacts } from '../facts.ts';
import { accountText, plain } from '../output.ts';
import { printList, type Table } from '../table.ts';
import { addFreezeCommands } from './freeze.ts';
import { addEndCommands } from './gig-end.ts';
import { addRebuildCommand, addSkipIdsCommand } from './rebuild.ts';
import { addReportCommand } from './report.ts';

type Filter = ListOptions & { state: (typeof GIG_PHASES)[number]; platform?: Platform };

const GIG_TABLE: Table<ListedGig> = {
  id: ({ gig }) => gig.id,
  state: ({ gig, now }) => gigPhase(gig, now),
  platform: { read: ({ gig }) => gig.platform, spare: 6 },
  type: { read: ({ gig }) => gig.gigType, spare: 7 },
  reward: ({ gig }) => `${formatAmount(gig.rewardAmount, gig.token.decimals)} ${gig.token.symbol}`,
  title: { read: ({ gig }) => gig.title, cut: 'end', spare: 8 },
  chain: { read: ({ gig }) => chainById(gig.token.chainId)?.key ?? String(gig.token.chainId), spare: 5 },
  starts: { read: ({ gig }) => isoText(gig.startTime), cut: 'time', spare: 3 },
  ends: { read: ({ gig }) => isoText(gig.endTime), cut: 'time' },
  owners: { read: ({ owners }) => owners.map(accountText).join(', ') || null, cut: 'end', spare: 4 },
  wallet: { read: ({ gig }) => checksummed(gig.walletAddress), cut: 'middle', spare: 2 },
  client: { read: ({ gig }) => gig.client, cut: 'end', spare: 1 },
};

async function list(context: Context, options: Filter): Promise<void> {
  const { limit, before, state: phase, platform } = options;
  const platforms = platform === undefined ? undefined : [platform];
  const found = await context.withStore(async (store) => {
    const page = await listGigs({ store, clock: context.clock }, { phase, platforms, limit, before });
    const now = context.clock();
    return await Promise.all(page.gigs.map(async (gig) => ({ gig, owners: await store.gigOwners(gig.id), now })));
  });
  const item = (listed: ListedGig) => ({ id: listed.gig.id, ...factsJson(LISTED_GIG_FACTS, listed) });
  printList(context, found, { view: options, empty: 'No gigs found.', item, table: GIG_TABLE });
}

const SHOWN_FACTS: readonly Fact<ShownGig>[] = [GIG_STATE, ...GIG_FACTS, ...GIG_END_FACTS, GIG_FREEZE];

async function show(context: Context, wanted: number, { json }: { json: boolean }): Promise<void> {
  const { gig, owners, frozen } = await context.withStore(async (store) => ({
    gig: await findGig({ store }, { gigId: wanted }),
    owners: await store.gigOwners(wanted),
    frozen: await store.gigFreeze(wanted),
  }));
  const funding = await tryFunding({ chains: context.chains(), payers: context.payers() }, gig);
  // The exit code is 1 then.
  if (funding instanceof AdapterError) {
    context.fail(`The funding of gig ${gig.id} is unknown: ${plain(funding.message)}`);
  }
  const shown = { gig, owners, now: context.clock(), funding, frozen };
  printFacts(context, SHOWN_FACTS, { subject: shown, json, noun: 'Gig', id: gig.id });
}

async function add(context: Context, wanted: number, owner: Account): Promise<void> {
  const { clock } = context;
  const owned = await context.withStore(async (store) => {
    const before = await store.ownsGig(wanted, owner);
    await carryOut({ store, clock }, prepareOwner({ gigId: wanted, owner, actor: COMMAND_LINE }));
    return before;
  });
  context.print(
    `${accountText(owner)} ${owned ? 'owned gig' : 'is now an owner of gig'} ${wanted}${owned ? ' already' : ''}.`,
  );
}

async function remove(context: Context, wanted: number, owner: AccountKey): Promise<void> {
  const { clock } = context;
  await context.withStore((store) => removeOwner({ store, clock }, { gigId: wanted, owner, actor: COMMAND_LINE }));
  context.print(`${accountKeyText(owner)} is no longer an owner of gig ${wanted}.`);
}

function addOwnerCommands(gig: Command, context: Context): void {
  const owner = gig.command('owner').description('the accounts that may start a gig by mentioning the bot');
  const adder = owner
    .command('add')
    .description(
      'let an account command a gig. Accounts are identified by a number, because handles change hands: a Farcaster FID, or the numeric id of an X account.',
    )
    .addArgument(gigArgument());
  const command = accountArguments(adder)
    .option('--username <handle>', 'its current handle, which is shown beside the number', by(usernameField))
    .action((wanted: number, platform: Platform, platformUserId: string, options: { username?: string | null }) =>
      add(context, wanted, { platform, platformUserId, username: options.username ?? null }),
    );
  examples(
    command,
    'gig owner add 42 farcaster 1001 --username alice',
    'gig owner add 42 x 1700000000000001001 --username alice',
  );
  const remover = owner
    .command('remove')
    .description('stop an account from commanding a gig')
    .addArgument(gigArgument());
  const taker = accountArguments(remover).action((wanted: number, platform: Platform, platformUserId: string) =>
    remove(context, wanted, { platform, platformUserId }),
  );
  examples(taker, 'gig owner remove 42 farcaster 1001');
}

/** `gig …`: gigs, their balances, owners and ends. */
export function addGigCommands(program: Command, context: Context): void {
  const gig = program.command('gig').description('gigs, their balances and their owners');

  const lister = pageOptions(
    gig
      .command('list')
      .description('the gigs, newest first')
      .addOption(
        new Option(
          '--state <state>',
          'created: not started; live: started and not ended; active: live and inside its window; cancelled: ended without a start',
        )
          .choices(GIG_PHASES)
          .default('all'),
      )
      .option('--platform <platform>', 'only those on farcaster or x', by(platformField('platform'))),
    GIG_TABLE,
  ).action((options: Filter) => list(context, options));
  examples(lister, 'gig list', 'gig list --state created --platform farcaster --json');

  const shower = gig
    .command('show')
    .description('everything about one gig, with the current balance of its wallet')
    .addArgument(gigArgument())
    .addOption(jsonOption('object'))
    .action((wanted: number, options: { json: boolean }) => show(context, wanted, options));
  examples(shower, 'gig show 42');

  addOwnerCommands(gig, context);
  addEarningCommands(gig, context);
  addBountyCommands(gig, context);
  addEndCommands(gig, context);
  addFreezeCommands(gig, context);
  addRebuildCommand(gig, context);
  addSkipIdsCommand(gig, context);
  addReportCommand(gig, context);
}
