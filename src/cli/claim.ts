import type { Command } from 'commander';
import { type ClaimStatus, payoutsOf } from '../domain/claim.ts';
import { invalidRequest } from '../domain/errors.ts';
import { checksummed } from '../domain/token.ts';
import { listClaims, readClaim } from '../services/claims/list-claims.ts';
import { examples, id, type ListOptions, pageOptions } from './arguments.ts';
import type { Context } from './context.ts';
import { accountText, momentText, printFields, printJson, printList, shortPostId } from './output.ts';
import { paymentItem as toPaymentItem, paymentRow as toPaymentRow } from './payment-view.ts';

/** A claim as lists show it in JSON; a payment that was planned again counts once, in its current state. */
function toItem(status: ClaimStatus, username: string | null) {
  const { claim } = status;
  const payouts = payoutsOf(status);
  const count = (outcome: string) => payouts.filter((payout) => payout.outcome === outcome).length;
  return {
    id: claim.id,
    claim_nonce: claim.publicId,
    platform: claim.platform,
    platform_user_id: claim.platformUserId,
    username,
    post_id: claim.postId,
    recipient: checksummed(claim.recipient),
    payouts: { success: count('success'), pending: count('pending'), failed: count('failed') },
    created_at: momentText(claim.createdAt),
  };
}

type Item = ReturnType<typeof toItem>;

function author({ platform, platform_user_id: platformUserId, username }: Item): string {
  return accountText({ platform, platformUserId, username });
}

function payoutsText({ success, pending, failed }: Item['payouts']): string {
  const parts = [
    ...(success === 0 ? [] : [`${success} paid`]),
    ...(pending === 0 ? [] : [`${pending} pending`]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
  ];
  return parts.join(', ') || 'nothing to pay';
}

function toRow(item: Item) {
  return {
    id: item.id,
    created: item.created_at,
    account: author(item),
    post: shortPostId(item.post_id),
    recipient: item.recipient,
    payouts: payoutsText(item.payouts),
  };
}

async function list(context: Context, { limit, before, json }: ListOptions): Promise<void> {
  const items = await context.withStore(async (store) => {
    const { claims } = await listClaims({ store }, { limit, before });
    return claims.map((status) => toItem(status, status.username));
  });
  printList(context, items, { json, empty: 'No claims.', row: toRow });
}

async function show(context: Context, wanted: number, options: { json: boolean }): Promise<void> {
  const { status, username } = await context.withStore(async (store) => {
    const claim = await store.claim(wanted);
    if (claim === null) {
      throw invalidRequest(`There is no claim ${wanted}; see claim list.`);
    }
    return { status: await readClaim({ store }, wanted), username: (await store.account(claim))?.username ?? null };
  });
  const item = toItem(status, username);
  const payments = status.payments.map(toPaymentItem);
  if (options.json) {
    printJson(context, { ...item, payments });
    return;
  }
  context.print(`Claim ${item.id}`);
  printFields(context, {
    account: author(item),
    post: item.post_id,
    recipient: item.recipient,
    created: item.created_at,
    payouts: payoutsText(item.payouts),
  });
  context.print('');
  printList(context, payments, { json: false, empty: 'No payments.', row: toPaymentRow });
}

/** `claim list|show`: requests to be paid and their payments. */
export function addClaimCommands(program: Command, context: Context): void {
  const command = program.command('claim').description('the requests to be paid, and their payments');
  const lister = pageOptions(command.command('list').description('the claims, newest first')).action(
    (options: ListOptions) => list(context, options),
  );
  examples(lister, 'claim list', 'claim list --limit 10 --json');

  const shower = command
    .command('show')
    .description('one claim with every payment that was planned for it, oldest first')
    .argument('<id>', 'the id of the claim', id('claim list shows it'))
    .option('--json', 'as one JSON object', false)
    .action((wanted: number, options: { json: boolean }) => show(context, wanted, options));
  examples(shower, 'claim show 7');
}
