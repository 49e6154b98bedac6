import { type Command, InvalidArgumentError } from 'commander';
import { invalidRequest } from '../../domain/errors.ts';
import { TIP_FACTS } from '../../domain/facts/tip-facts.ts';
import { COMMAND_LINE } from '../../domain/operators/actor.ts';
import { findGig } from '../../services/gigs/find-gigs.ts';
import { voidTips } from '../../services/gigs/tips/void-tip.ts';
import { examples, id, jsonOption } from '../arguments.ts';
import type { Context } from '../context.ts';
import { printFacts } from '../facts.ts';
import { plain } from '../output.ts';

const MAX_AT_ONCE = 500;
const tipId = id('GET /api/claim shows it');

function tipIds(text: string, before: readonly number[] = []): number[] {
  if (before.length === MAX_AT_ONCE) throw new InvalidArgumentError(`At most ${MAX_AT_ONCE} tips are allowed at once.`);
  return [...before, tipId(text)];
}

async function show(context: Context, wanted: number, { json }: { json: boolean }): Promise<void> {
  const subject = await context.withStore(async (store) => {
    const tip = await store.tip(wanted);
    if (tip === null) throw invalidRequest(`There is no tip ${wanted}.`);
    const { token } = await findGig({ store }, { gigId: tip.gigId });
    return { tip, token, claim: await store.claimOfTip(wanted) };
  });
  printFacts(context, TIP_FACTS, { subject, json, noun: 'Tip', id: wanted });
}

async function takeBack(context: Context, ids: readonly number[], { reason }: { reason: string }): Promise<void> {
  const { clock } = context;
  const request = { tipIds: [...new Set(ids)], reason, actor: COMMAND_LINE };
  const voided = await context.withStore((store) => voidTips({ store, clock }, request));
  for (const { tip, amount, symbol } of voided) {
    context.print(plain(`Tip ${tip.id} is void: ${amount} ${symbol} of gig ${tip.gigId} can be awarded again.`));
  }
}

/** `tip show|void`: shows a tip, and voids tips that were awarded by mistake. */
export function addTipCommands(program: Command, context: Context): void {
  const command = program.command('tip').description('the tips that accounts have earned');

  const shower = command
    .command('show')
    .description('one tip, with the key that awarded it')
    .argument('<id>', 'the id of the tip', tipId)
    .addOption(jsonOption('object'))
    .action((wanted: number, options: { json: boolean }) => show(context, wanted, options));
  examples(shower, 'tip show 7');

  const taker = command
    .command('void')
    .description(
      'void tips that are not paid and that no running claim holds, all of them or none: they can no longer be ' +
        'claimed, and their gig can award the amounts again',
    )
    .argument('<ids...>', 'the ids of the tips', tipIds)
    .requiredOption(
      '--reason <text>',
      'the reason, which is stored with each tip; if a gig’s rules awarded it, the reason is public',
    )
    .action((ids: number[], options: { reason: string }) => takeBack(context, ids, options));
  examples(taker, 'tip void 7 --reason "awarded by a leaked key"', 'tip void 7 8 9 --reason "awarded twice"');
}
