import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import type { AccountName, Platform } from '../domain/account.ts';
import { parseAccountName } from '../domain/account-name.ts';
import { COMMAND_LINE } from '../domain/actor.ts';
import { EARNING_STATES, type EarningState } from '../domain/earning/earning.ts';
import type { WatchStep } from '../domain/earning/watch-step.ts';
import { invalidRequest } from '../domain/errors.ts';
import { platformFacts } from '../domain/platforms.ts';
import { platformField } from '../domain/terms.ts';
import { createLog } from '../log.ts';
import { advanceGig, type GigAdvance } from '../services/earning/advance-gig.ts';
import { EARNING_TIMING, type EarnDeps } from '../services/earning/deps.ts';
import { createEarningMemory } from '../services/earning/memory.ts';
import { explainEarning, requireGigEarning } from '../services/gigs/explain-earning.ts';
import { pageOfEarnings } from '../services/gigs/find-earnings.ts';
import { by, examples, id, type ListOptions, pageOptions } from './arguments.ts';
import type { Context } from './context.ts';
import { actRow, decisionRow, earningItem, earningRow, whyFields, whyItem } from './earning-view.ts';
import { learnerOf } from './learn-paid.ts';
import { momentText, plain, printFields, printJson, printList } from './output.ts';

const gigId = id('gig list shows the ids');

type Filter = ListOptions & { state?: EarningState };

async function listEarnings(context: Context, wanted: number, options: Filter): Promise<void> {
  const { limit, before, state, json } = options;
  const items = await context.withStore(async (store) => {
    const of = { ...(await requireGigEarning({ store }, { gigId: wanted })), now: context.clock() };
    const { accounts } = await pageOfEarnings({ store }, { gig: of.gig, state, limit, before });
    return accounts.map((account) => earningItem(account, of)).filter((item) => item !== null);
  });
  printList(context, items, { json, empty: 'No earnings found.', row: earningRow });
}

/** @throws DomainError `invalid_request` when the account is not one of the gig's platform */
function readName(platform: Platform, text: string, gigPlatform: Platform): AccountName {
  if (platform === gigPlatform) return parseAccountName(platform, text);
  throw invalidRequest(`The gig is on ${platformFacts(gigPlatform).label}, so only accounts there earn from it.`);
}

async function why(
  context: Context,
  wanted: number,
  { platform, text, json }: { platform: Platform; text: string; json: boolean },
): Promise<void> {
  const found = await context.withStore(async (store) => {
    const { gig } = await requireGigEarning({ store }, { gigId: wanted });
    return await explainEarning({ store }, { gigId: wanted, name: readName(platform, text, gig.platform) });
  });
  const item = whyItem(found, context.clock());
  if (json) {
    printJson(context, item);
    return;
  }
  context.print(`Gig ${wanted}`);
  printFields(context, whyFields(item));
  context.print('Acts, by rank');
  printList(context, item.acts, { json, empty: 'None.', row: (act) => actRow(act, item) });
  context.print('Decisions, oldest first');
  printList(context, item.decisions, { json, empty: 'None yet.', row: decisionRow });
}

const STEP_WORDS: Readonly<Partial<Record<WatchStep['kind'], string>>> = {
  look: 'Read the newest acts.',
  begin_sweep: 'Read all acts.',
  sweep: 'Read on through all acts.',
  settle: 'Decided about accounts that were due.',
  award: 'Awarded accepted accounts by rank, or refused them because the reward is used up.',
  divide: 'Divided a round between its members.',
  ask: 'Asked the verifier about submissions.',
  close: 'Refused what can no longer be decided about.',
  hand_out: 'Awarded members of a divided round their shares.',
  close_draw: 'Closed the draw: nobody enters or leaves any more.',
  fix_draw: 'Fixed the entrants of the draw.',
  draw: 'Asked the chain for the block that decides, and drew if it has it.',
  refuse_others: 'Told entrants that they were not drawn.',
  over: 'Settled the gig.',
};

function changeLines({ before, after }: GigAdvance): string[] {
  const changed = EARNING_STATES.filter((state) => before[state] !== after[state]);
  if (changed.length === 0) return ['No account changed.'];
  return [`Accounts: ${changed.map((state) => `${state} ${before[state]} → ${after[state]}`).join(', ')}.`];
}

function tellAdvance(context: Context, wanted: number, advance: GigAdvance): void {
  const { steps, end, nextAt, failure } = advance;
  for (const step of steps) context.print(STEP_WORDS[step] ?? `Took the step ${step}.`);
  for (const line of changeLines(advance)) context.print(line);
  const until = nextAt === null ? '' : ` before ${momentText(nextAt)}`;
  if (end === 'waits') context.print(`Nothing more is due for gig ${wanted}${until}.`);
  if (end === 'over') context.print(`Everything of gig ${wanted} is decided.`);
  if (end === 'taken') context.fail(`The service is at work on gig ${wanted} at this moment; try again in a minute.`);
  if (failure !== null) {
    context.fail(
      `Gig ${wanted} waits${nextAt === null ? '' : ` until ${momentText(nextAt)}`}: ${plain(failure.message)}`,
    );
  }
}

async function settle(context: Context, wanted: number): Promise<void> {
  const config = context.config();
  const platforms = await context.platforms(config);
  const timing = { ...EARNING_TIMING, lookMs: config.earningLookSeconds * 1_000 };
  const log = createLog({ level: 'silent' });
  const labels = await context.labels(config);
  const { clock } = context;
  const labelOf: EarnDeps['labelOf'] = (account) => labels?.labelOf(account) ?? 'unknown';
  const advance = await context.withStore((store) =>
    advanceGig(
      {
        store,
        platforms,
        chains: context.chains(),
        labelOf,
        verifiers: context.verifiers(config),
        learnPaid: learnerOf(context, store),
        memory: createEarningMemory(),
        timing,
        clock,
        newId: randomUUID,
        log,
      },
      { gigId: wanted, actor: COMMAND_LINE },
    ),
  );
  tellAdvance(context, wanted, advance);
}

/** `gig earnings|why|settle`: what accounts earn from a watched gig, and why. */
export function addEarningCommands(gig: Command, context: Context): void {
  const lister = pageOptions(
    gig
      .command('earnings')
      .description('the accounts of a watched gig with what becomes of them and why, newest act first')
      .argument('<gig>', 'the id of the gig', gigId)
      .addOption(new Option('--state <state>', 'only accounts in this state').choices(EARNING_STATES)),
  ).action((wanted: number, options: Filter) => listEarnings(context, wanted, options));
  examples(lister, 'gig earnings 42', 'gig earnings 42 --state refused --json');

  const explainer = gig
    .command('why')
    .description('everything on record about an account in a watched gig: its acts, and every decision with its facts')
    .argument('<gig>', 'the id of the gig', gigId)
    .argument('<platform>', 'the platform of the gig', by(platformField('platform')))
    .argument('<account>', 'an id, or the last known handle')
    .option('--json', 'as one JSON object', false)
    .action((wanted: number, platform: Platform, text: string, { json }: { json: boolean }) =>
      why(context, wanted, { platform, text, json }),
    );
  examples(explainer, 'gig why 42 farcaster 1001', 'gig why 42 farcaster alice --json');

  const settler = gig
    .command('settle')
    .description(
      'do what is due for a watched gig now, as the service does it: read acts, decide, award. It asks the platform, so ' +
        'it needs the service’s variables. Nothing is decided before its time.',
    )
    .argument('<gig>', 'the id of the gig', gigId)
    .action((wanted: number) => settle(context, wanted));
  examples(settler, 'gig settle 42');
}
