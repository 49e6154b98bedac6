import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { formatAmount } from '../../domain/amount.ts';
import { EARNING_STATES } from '../../domain/earning/earning.ts';
import { commandLineText } from '../../domain/errors.ts';
import { type Gig, unawardedOf } from '../../domain/gigs/gig.ts';
import { refundDueAt, refundRecipient } from '../../domain/gigs/gig-end.ts';
import { checksummed } from '../../domain/gigs/token.ts';
import { COMMAND_LINE } from '../../domain/operators/actor.ts';
import { HOUR_MS, minuteText, secondText } from '../../domain/time.ts';
import { createLog } from '../../log.ts';
import type { GigAdvance, TakenStep } from '../../services/earning/advance-gig.ts';
import { EARNING_TIMING, type WatchContext } from '../../services/earning/context.ts';
import { createEarningMemory } from '../../services/earning/memory.ts';
import { previewRefusals } from '../../services/ends/preview-refusals.ts';
import { type HandSettlement, settleByHand } from '../../services/ends/settle-by-hand.ts';
import { examples, gigArgument } from '../arguments.ts';
import type { Context } from '../context.ts';
import { plain, printFields } from '../output.ts';
import { learnerOf } from '../payments/learn-paid.ts';

const STEP_WORDS: Readonly<Record<TakenStep, string>> = {
  look: 'Read the newest acts.',
  begin_sweep: 'Read all acts.',
  sweep: 'Read on through all acts.',
  settle: 'Decided on accounts that were due.',
  refuse_held: 'Refused held accounts, because the time for decisions is over.',
  award: 'Awarded accepted accounts by rank, or refused them because the reward is used up.',
  divide: 'Divided a round between its members.',
  ask: 'Asked the verifier about submissions.',
  close: 'Refused submissions and accounts, because the time for decisions is over.',
  hand_out: 'Awarded members of a divided round their shares.',
  close_draw: 'Closed the draw: its entrants no longer change.',
  fix_draw: 'Fixed the entrants of the draw.',
  draw: 'Asked the chain for the deciding block, and drew the winners if the chain has it.',
  read_holdings: 'Read what accounts that entered hold, or drew the block for it.',
  refuse_others: 'Refused entrants that were not drawn.',
  over: 'Ended the watch.',
};

function changeLines({ before, after }: GigAdvance): string[] {
  const changed = EARNING_STATES.filter((state) => before[state] !== after[state]);
  if (changed.length === 0) return ['No account changed.'];
  return [`Accounts: ${changed.map((state) => `${state} ${before[state]} → ${after[state]}`).join(', ')}.`];
}

function tellAdvance(context: Context, wanted: number, advance: GigAdvance): void {
  const { steps, end, nextAt, failure } = advance;
  for (const step of steps) context.print(STEP_WORDS[step]);
  for (const line of changeLines(advance)) context.print(line);
  const until = nextAt === null ? '' : ` before ${secondText(nextAt)}`;
  if (end === 'waits') context.print(`Nothing more is due for gig ${wanted}${until}.`);
  if (end === 'over') context.print(`Gig ${wanted} is decided completely.`);
  if (end === 'taken') context.fail(`The service is at work on gig ${wanted} at this moment; try again in a minute.`);
  if (failure !== null) {
    context.fail(
      `Gig ${wanted} waits${nextAt === null ? '' : ` until ${secondText(nextAt)}`}: ${plain(failure.message)}`,
    );
  }
}

function leftText(gig: Gig, delayMs: number): string {
  const left = unawardedOf(gig);
  if (left === 0n) return 'All of its reward was awarded.';
  const recipient = refundRecipient(gig);
  const amount = `${formatAmount(left, gig.token.decimals)} ${gig.token.symbol}`;
  if (recipient === null) {
    return `${amount} are left, and no refund address is set: name one with gig refund ${gig.id} --to 0x… --yes.`;
  }
  const due = refundDueAt(gig, delayMs);
  const after = due === null ? '' : ` after ${minuteText(due)}`;
  return `${amount} are left; the running service returns them to ${checksummed(recipient)}${after}.`;
}

function whyText({ gig, why }: HandSettlement): string | null {
  if (why === null) return null;
  const end = why === 'running' ? ` By itself it ends at ${minuteText(gig.endTime)}.` : '';
  return `${commandLineText({ code: 'gig_not_settleable', gigId: gig.id, why })}${end}`;
}

function tellSettlement(context: Context, done: HandSettlement, delayMs: number): void {
  const { advance, gig } = done;
  if (advance !== null) tellAdvance(context, gig.id, advance);
  if (advance?.end === 'taken' || advance?.end === 'failed') return;
  const why = whyText(done);
  if (why === null) {
    context.print(`Gig ${gig.id} is settled: no more tips are awarded. Tips already earned can still be claimed.`);
    context.print(plain(leftText(gig, delayMs)));
  } else if (advance === null) context.fail(why);
  else context.print(why);
}

function accountsText(count: number, what: string): string {
  return `${count} ${count === 1 ? 'account' : 'accounts'}, ${what}`;
}

async function preview(context: Context, wanted: number): Promise<void> {
  const { clock } = context;
  const found = await context.withStore((store) => previewRefusals({ store, clock }, { gigId: wanted }));
  const { gig, held, eligible, awarded } = found;
  context.print(`Gig ${gig.id}`);
  printFields(context, {
    held: accountsText(held, 'to be refused without a decision'),
    accepted: accountsText(eligible, `${awarded} to be awarded what they have earned, ${eligible - awarded} refused`),
  });
  context.print('Nothing was changed. To do it, add --yes; it cannot be undone.');
}

interface Options {
  readonly refuseOpen: boolean;
  readonly yes: boolean;
}

async function settle(context: Context, wanted: number, { refuseOpen: isUnasked, yes }: Options): Promise<void> {
  if (isUnasked && !yes) return await preview(context, wanted);
  const config = context.config();
  const platforms = isUnasked ? new Map() : await context.platforms(config);
  const timing = { ...EARNING_TIMING, lookMs: config.earningLookSeconds * 1_000 };
  const log = createLog({ level: 'silent' });
  const labels = isUnasked ? null : await context.labels(config);
  const { clock } = context;
  const labelOf: WatchContext['labelOf'] = (account) => labels?.labelOf(account) ?? 'unknown';
  const done = await context.withStore((store) =>
    settleByHand(
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
      { gigId: wanted, isUnasked, actor: COMMAND_LINE },
    ),
  );
  tellSettlement(context, done, config.refundDelayHours * HOUR_MS);
  if (isUnasked && done.advance?.end === 'waits') context.print('Run it again then.');
}

/** `gig settle`: does what is due for a gig, and closes its books. */
export function addSettleCommand(gig: Command, context: Context): void {
  const settler = gig
    .command('settle')
    .description(
      'do what is due for a gig now, as the service does, and close its books if it is over and fully decided. No more tips ' +
        'are awarded then, and the unawarded funds are refunded. For a watched gig the command asks the platform, so it needs ' +
        'the service’s variables. It decides nothing before its time.',
    )
    .addArgument(gigArgument())
    .option(
      '--refuse-open',
      'end a watched gig whose platform is off or no longer answers: show how many undecided accounts would be awarded what ' +
        'they have earned, and how many refused',
      false,
    )
    .option('--yes', 'do what --refuse-open says', false)
    .action((wanted: number, options: Options) => settle(context, wanted, options));
  examples(settler, 'gig settle 42', 'gig settle 42 --refuse-open --yes');
}
