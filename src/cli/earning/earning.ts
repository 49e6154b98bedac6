import { type Command, Option } from 'commander';
import { type AccountName, accountKeyText, type Platform } from '../../domain/account.ts';
import { parseAccountName } from '../../domain/account-name.ts';
import { formatAmount } from '../../domain/amount.ts';
import { EARNING_STATES, type EarningState } from '../../domain/earning/earning.ts';
import { invalidRequest } from '../../domain/errors.ts';
import { platformField } from '../../domain/fields.ts';
import { tipsWords } from '../../domain/gigs/tip-words.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';
import { isoText } from '../../domain/time.ts';
import { findGig } from '../../services/gigs/find-gigs.ts';
import {
  type ExplainedTips,
  explainEarning,
  explainTips,
  requireGigEarning,
} from '../../services/gigs/show/explain-earning.ts';
import { findGigEarning, pageOfEarnings } from '../../services/gigs/show/find-earnings.ts';
import { OWN_TIPS } from '../../services/gigs/show/show-earnings.ts';
import { by, examples, gigArgument, jsonOption, type ListOptions, pageOptions, wideOption } from '../arguments.ts';
import type { Context } from '../context.ts';
import { plain, printFields, printJson } from '../output.ts';
import { type ListView, printList } from '../table.ts';
import { actTable, DECISION_TABLE, EARNING_TABLE, earningItem, whyFields, whyItem } from './earning-view.ts';

type Filter = ListOptions & { state?: EarningState };

async function listEarnings(context: Context, wanted: number, options: Filter): Promise<void> {
  const { limit, before, state } = options;
  const items = await context.withStore(async (store) => {
    const of = { ...(await requireGigEarning({ store }, { gigId: wanted })), now: context.clock() };
    const { accounts } = await pageOfEarnings({ store }, { gig: of.gig, state, limit, before });
    return accounts.map((account) => earningItem(account, of)).filter((item) => item !== null);
  });
  printList(context, items, { view: options, empty: 'No earnings found.', table: EARNING_TABLE });
}

/** @throws DomainError `invalid_request` when the account is not one of the gig's platform */
function readName(platform: Platform, text: string, gigPlatform: Platform): AccountName {
  if (platform === gigPlatform) return parseAccountName(platform, text);
  throw invalidRequest(`The gig is on ${platformFacts(gigPlatform).label}, so only accounts there earn from it.`);
}

/** What an account was awarded from a manual gig. */
function printTips(context: Context, { gig, account, tips }: ExplainedTips, view: ListView): void {
  const { id: gigId, token } = gig;
  const whole = (amount: bigint) => formatAmount(amount, token.decimals);
  if (view.json) {
    const items = tips.map(({ amount, status, claimedAt }) => ({
      amount: whole(amount),
      status,
      claimed_at: isoText(claimedAt),
    }));
    printJson(context, { platform: account.platform, platform_user_id: account.platformUserId, tips: items });
    return;
  }
  const amountText = (amount: bigint) => `${whole(amount)} ${token.symbol}`;
  const told = tipsWords(tips, { who: accountKeyText(account), gigId, amountText, most: OWN_TIPS });
  context.print(plain(`${told}. Gig ${gigId} is manual.`));
}

async function why(
  context: Context,
  wanted: number,
  { platform, text, view }: { platform: Platform; text: string; view: ListView },
): Promise<void> {
  const found = await context.withStore(async (store) => {
    const gig = await findGig({ store }, { gigId: wanted });
    const isManual = (await findGigEarning({ store }, gig)) === null;
    if (isManual) return await explainTips({ store }, { gigId: wanted, name: parseAccountName(platform, text) });
    return await explainEarning({ store }, { gigId: wanted, name: readName(platform, text, gig.platform) });
  });
  if ('tips' in found) {
    printTips(context, found, view);
    return;
  }
  const item = whyItem(found, context.clock());
  if (view.json) {
    printJson(context, item);
    return;
  }
  context.print(`Gig ${wanted}`);
  printFields(context, whyFields(item));
  context.print('Acts, by rank');
  printList(context, item.acts, { view, empty: 'None.', table: actTable(item) });
  context.print('Decisions, oldest first');
  printList(context, item.decisions, { view, empty: 'None yet.', table: DECISION_TABLE });
}

/** `gig earnings|why`: what accounts earn from a watched gig, and why. */
export function addEarningCommands(gig: Command, context: Context): void {
  const lister = pageOptions(
    gig
      .command('earnings')
      .description('the accounts of a watched gig, the state of each and its reason, newest act first')
      .addArgument(gigArgument())
      .addOption(new Option('--state <state>', 'only accounts in this state').choices(EARNING_STATES)),
    EARNING_TABLE,
  ).action((wanted: number, options: Filter) => listEarnings(context, wanted, options));
  examples(lister, 'gig earnings 42', 'gig earnings 42 --state refused --json');

  const explainer = gig
    .command('why')
    .description(
      'all records of an account in a watched gig: its acts, and every decision with its facts; of a manual gig its tips',
    )
    .addArgument(gigArgument())
    .argument('<platform>', 'the platform of the account', by(platformField('platform')))
    .argument('<account>', 'an id, or the last known handle')
    .addOption(jsonOption('object'))
    .addOption(wideOption())
    .action((wanted: number, platform: Platform, text: string, view: ListView) =>
      why(context, wanted, { platform, text, view }),
    );
  examples(explainer, 'gig why 42 farcaster 1001', 'gig why 42 farcaster alice --json');
}
