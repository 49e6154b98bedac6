import type { Command } from 'commander';
import { invalidRequest } from '../../domain/errors.ts';
import { CLAIM_FACTS, CLAIM_PAYOUTS, type ShownClaim } from '../../domain/facts/claim-facts.ts';
import { factsJson } from '../../domain/facts/fact.ts';
import { checksummed } from '../../domain/gigs/token.ts';
import { listClaims, readClaim } from '../../services/claims/list-claims.ts';
import { examples, id, jsonOption, type ListOptions, pageOptions } from '../arguments.ts';
import type { Context } from '../context.ts';
import { factFields, printFacts } from '../facts.ts';
import { accountText, momentText, printJson, printList, shortPostId } from '../output.ts';
import { paymentItem, paymentRow } from './payment.ts';

function toItem(shown: ShownClaim) {
  return { id: shown.status.claim.id, ...factsJson(CLAIM_FACTS, shown) };
}

function toRow(shown: ShownClaim) {
  const { status, username } = shown;
  const { claim } = status;
  return {
    id: claim.id,
    created: momentText(claim.createdAt),
    account: accountText({ ...claim, username }),
    post: shortPostId(claim.postId),
    recipient: checksummed(claim.recipient),
    payouts: factFields([CLAIM_PAYOUTS], shown)[CLAIM_PAYOUTS.label] ?? null,
  };
}

async function list(context: Context, { limit, before, json }: ListOptions): Promise<void> {
  const { claims } = await context.withStore((store) => listClaims({ store }, { limit, before }));
  const shown = claims.map((status) => ({ status, username: status.username }));
  printList(context, shown, { json, empty: 'No claims.', item: toItem, row: toRow });
}

async function show(context: Context, wanted: number, { json }: { json: boolean }): Promise<void> {
  const shown = await context.withStore(async (store) => {
    const claim = await store.claim(wanted);
    if (claim === null) {
      throw invalidRequest(`There is no claim ${wanted}; see claim list.`);
    }
    return { status: await readClaim({ store }, wanted), username: (await store.account(claim))?.username ?? null };
  });
  const { payments } = shown.status;
  if (json) {
    printJson(context, { ...toItem(shown), payments: payments.map(paymentItem) });
    return;
  }
  printFacts(context, CLAIM_FACTS, { subject: shown, json, noun: 'Claim', id: wanted });
  context.print('');
  printList(context, payments, { json, empty: 'No payments.', row: paymentRow });
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
    .addOption(jsonOption('object'))
    .action((wanted: number, options: { json: boolean }) => show(context, wanted, options));
  examples(shower, 'claim show 7');
}
