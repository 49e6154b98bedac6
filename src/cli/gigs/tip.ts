import { type Command, InvalidArgumentError } from 'commander';
import { formatAmount } from '../../domain/amount.ts';
import { invalidRequest } from '../../domain/errors.ts';
import { COMMAND_LINE } from '../../domain/operators/actor.ts';
import { findGig } from '../../services/gigs/find-gigs.ts';
import { voidTips } from '../../services/gigs/tips/void-tip.ts';
import { examples, id, jsonOption } from '../arguments.ts';
import type { Context } from '../context.ts';
import { accountText, momentText, plain, printRecord } from '../output.ts';

const MAX_AT_ONCE = 500;
const tipId = id('GET /api/claim shows it');

function tipIds(text: string, before: readonly number[] = []): number[] {
  if (before.length === MAX_AT_ONCE) throw new InvalidArgumentError(`At most ${MAX_AT_ONCE} tips are allowed at once.`);
  return [...before, tipId(text)];
}

async function readTip(context: Context, wanted: number) {
  return await context.withStore(async (store) => {
    const tip = await store.tip(wanted);
    if (tip === null) throw invalidRequest(`There is no tip ${wanted}.`);
    const { token } = await findGig({ store }, { gigId: tip.gigId });
    // A paid tip has no `claim_nonce` any more, but still its payment.
    const claim = await store.claimOfTip(wanted);
    return {
      id: tip.id,
      gig_id: tip.gigId,
      number: tip.number,
      status: tip.voidedAt === null ? tip.status : 'void',
      amount: formatAmount(tip.amount, token.decimals),
      symbol: token.symbol,
      platform: tip.platform,
      platform_user_id: tip.platformUserId,
      username: tip.username,
      awarded_by: tip.awardedBy,
      created_at: momentText(tip.createdAt),
      claim_id: claim?.id ?? null,
      claim_nonce: tip.claimNonce,
      tx_hash: tip.txHash,
      claimed_at: momentText(tip.claimedAt),
      voided_at: momentText(tip.voidedAt),
      void_reason: tip.voidReason,
    };
  });
}

async function show(context: Context, wanted: number, options: { json: boolean }): Promise<void> {
  const item = await readTip(context, wanted);
  const { platform, platform_user_id: platformUserId, username } = item;
  const fields = {
    gig: String(item.gig_id),
    'number in the gig': String(item.number),
    status: item.status,
    amount: `${item.amount} ${item.symbol}`,
    account: accountText({ platform, platformUserId, username }),
    'awarded by': item.awarded_by === null ? 'unknown' : `key ${item.awarded_by}`,
    created: item.created_at,
    claim: item.claim_id === null ? 'none' : String(item.claim_id),
    transaction: item.tx_hash ?? 'none',
    void: item.voided_at === null ? 'no' : `since ${item.voided_at}: ${item.void_reason ?? ''}`,
  };
  printRecord(context, item, { json: options.json, title: `Tip ${item.id}`, fields });
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
