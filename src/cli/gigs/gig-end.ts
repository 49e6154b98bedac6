import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import type { Gig } from '../../domain/gigs/gig.ts';
import { awardsUntil, refundRecipient } from '../../domain/gigs/gig-end.ts';
import { checksummed } from '../../domain/gigs/token.ts';
import { COMMAND_LINE } from '../../domain/operators/actor.ts';
import { minuteText } from '../../domain/time.ts';
import { prepareEnd } from '../../services/ends/end-gig.ts';
import type { Ending } from '../../services/ends/endings.ts';
import { carryOut } from '../../services/prepared.ts';
import { examples, gigArgument } from '../arguments.ts';
import type { Context } from '../context.ts';
import { addRefundCommand } from './refund.ts';
import { addSettleCommand } from './settle.ts';

async function end(context: Context, wanted: number, ending: Ending): Promise<Gig> {
  const { clock } = context;
  const prepared = prepareEnd({ gigId: wanted, ending, actor: COMMAND_LINE, holder: randomUUID() });
  return await context.withStore((store) => carryOut({ store, clock }, prepared));
}

async function stop(context: Context, wanted: number): Promise<void> {
  const gig = await end(context, wanted, 'stop');
  context.print(`Gig ${wanted} is stopped. New activity no longer counts; tips already earned are kept.`);
  if (gig.awardDays > 0) context.print(`Tips can be awarded until ${minuteText(awardsUntil(gig))}.`);
}

async function cancel(context: Context, wanted: number): Promise<void> {
  const gig = await end(context, wanted, 'cancel');
  const recipient = refundRecipient(gig);
  context.print(`Gig ${wanted} is cancelled and will not start.`);
  context.print(
    recipient === null
      ? `No refund address is set for the money in its wallet: name one with gig refund ${wanted} --to 0x… --yes.`
      : `The money in its wallet returns to ${checksummed(recipient)}; the running service pays it.`,
  );
}

/** `gig stop|cancel|settle|refund`: the ends of gigs. */
export function addEndCommands(gig: Command, context: Context): void {
  const stopper = gig
    .command('stop')
    .description(
      'end a live gig now: new activity no longer counts, and tips already earned are kept. This cannot be undone.',
    )
    .addArgument(gigArgument())
    .action((wanted: number) => stop(context, wanted));
  examples(stopper, 'gig stop 42');

  const canceller = gig
    .command('cancel')
    .description(
      'end a gig that has not started: the money in its wallet returns to its refund address. This cannot be undone.',
    )
    .addArgument(gigArgument())
    .action((wanted: number) => cancel(context, wanted));
  examples(canceller, 'gig cancel 42');

  addSettleCommand(gig, context);
  addRefundCommand(gig, context);
}
