import type { Command } from 'commander';
import { invalidRequest } from '../../domain/errors.ts';
import { CLAIM_FACTS, CLAIM_PAYOUTS, type ShownClaim } from '../../domain/facts/claim-facts.ts';
import { factsJson } from '../../domain/facts/fact.ts';
import { checksummed } from '../../domain/gigs/token.ts';
import { isoText } from '../../domain/time.ts';
import { listClaims, readClaim } from '../../services/claims/list-claims.ts';
import { examples, id, jsonOption, type ListOptions, pageOptions, tableOptions } from '../arguments.ts';
import type { Context } from '../context.ts';
import { factFields, printFacts } from '../facts.ts';
import { accountText, printJson, shortPostId } from '../output.ts';
import { type ListView, printList, type Table } from '../table.ts';
import { PAYMENT_TABLE, paymentItem } from './payment.ts';

function toItem(shown: ShownClaim) {
  return { id: shown.status.claim.id, ...factsJson(CLAIM_FACTS, shown) };
}

const CLAIM_TABLE: Table<ShownClaim> = {
  id: ({ status }) => status.claim.id,
  created: { read: ({ status }) => isoText(status.claim.createdAt), cut: 'time', spare: 3 },
  account: { read: ({ status, username }) => accountText({ ...status.claim, username }), cut: 'end' },
  post: { read: ({ status }) => shortPostId(status.claim.postId), spare: 1 },
  recipient: { read: ({ status }) => checksummed(status.claim.recipient), cut: 'middle', spare: 2 },
  payouts: { read: (shown) => factFields([CLAIM_PAYOUTS], shown)[CLAIM_PAYOUTS.label] ?? null, cut: 'end' },
};

async function list(context: Context, view: ListOptions): Promise<void> {
  const { limit, before } = view;
  const { claims } = await context.withStore((store) => listClaims({ store }, { limit, before }));
  const shown = claims.map((status) => ({ status, username: status.username }));
  printList(context, shown, { view, empty: 'No claims.', item: toItem, table: CLAIM_TABLE });
}

async function show(context: Context, wanted: number, view: ListView): Promise<void> {
  const { json } = view;
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
  printList(context, payments, { view, empty: 'No payments.', table: PAYMENT_TABLE });
}

/** `claim list|show`: requests to be paid and their payments. */
export function addClaimCommands(program: Command, context: Context): void {
  const command = program.command('claim').description('the requests to be paid, and their payments');
  const lister = pageOptions(command.command('list').description('the claims, newest first'), CLAIM_TABLE).action(
    (options: ListOptions) => list(context, options),
  );
  examples(lister, 'claim list', 'claim list --limit 10 --json');

  const shower = command
    .command('show')
    .description('one claim with every payment that was planned for it, oldest first')
    .argument('<id>', 'the id of the claim', id('claim list shows it'))
    .addOption(jsonOption('object'));
  tableOptions(shower, PAYMENT_TABLE).action((wanted: number, options: ListView) => show(context, wanted, options));
  examples(shower, 'claim show 7');
}
