import { type Command, Option } from 'commander';
import { formatAmount } from '../../domain/amount.ts';
import { chainById } from '../../domain/chains/chain.ts';
import { invalidRequest } from '../../domain/errors.ts';
import { type Fact, fact, factsJson } from '../../domain/facts/fact.ts';
import {
  LISTED_PAYMENT_FACTS,
  PAYMENT_FACTS,
  PAYMENT_STATE,
  type ShownPayment,
} from '../../domain/facts/payment-facts.ts';
import { checksummed } from '../../domain/gigs/token.ts';
import { COMMAND_LINE } from '../../domain/operators/actor.ts';
import {
  PAYMENT_KINDS,
  PAYMENT_STATES,
  type Payment,
  type PaymentKind,
  type PaymentState,
  whyNothingLeft,
} from '../../domain/payments/payment.ts';
import { retryPayment } from '../../services/payments/retry-payment.ts';
import { examples, id, jsonOption, type ListOptions, pageOptions } from '../arguments.ts';
import type { Context } from '../context.ts';
import { printFacts } from '../facts.ts';
import { plain } from '../output.ts';
import { printList, type Table } from '../table.ts';
import { addAnchorCommand } from './anchor.ts';

const SHOWN_REASON = 60;

/** Payments in a table; payment show has what a narrow terminal shortens. */
export const PAYMENT_TABLE: Table<Payment> = {
  id: ({ id: paymentId }) => paymentId,
  kind: ({ kind }) => kind,
  state: ({ state }) => state,
  gig: ({ gigId }) => gigId,
  claim: { read: ({ claimId }) => claimId, spare: 2 },
  amount: ({ amount, token }) => `${formatAmount(amount, token.decimals)} ${token.symbol}`,
  chain: { read: ({ chainId }) => chainById(chainId)?.key ?? String(chainId), spare: 1 },
  recipient: { read: ({ recipient }) => checksummed(recipient), cut: 'middle', spare: 4 },
  hash: { read: ({ hash }) => hash, cut: 'middle', spare: 3 },
  reason: { read: ({ reason }) => (reason === null ? null : plain(reason, SHOWN_REASON)), cut: 'end' },
};

type Filter = ListOptions & { state?: PaymentState; kind?: PaymentKind; gig?: number };

async function list(context: Context, options: Filter): Promise<void> {
  const { limit, before, state, kind, gig: gigId } = options;
  const payments = await context.withStore((store) => store.payments({ limit, before, state, kind, gigId }));
  printList(context, payments, { view: options, empty: 'No payments found.', item: paymentItem, table: PAYMENT_TABLE });
}

function attemptFacts({ transaction }: ShownPayment): Fact<ShownPayment>[] {
  const attempts = transaction?.attempts ?? [];
  return attempts.map(({ hash, signedAt }, index) =>
    fact(`signed ${index + 1}`, () => [`${hash} at `, { moment: signedAt }]),
  );
}

async function show(context: Context, wanted: number, { json }: { json: boolean }): Promise<void> {
  const subject = await context.withStore(async (store) => {
    const payment = await store.payment(wanted);
    if (payment === null) throw invalidRequest(`There is no payment ${wanted}; see payment list.`);
    const { transactionId } = payment;
    const transaction = transactionId === null ? null : await store.tankTransaction(transactionId);
    return { payment, tips: (await store.tipsOfPayment(wanted)).map(({ id: tipId }) => tipId), transaction };
  });
  const facts = [PAYMENT_STATE, ...PAYMENT_FACTS, ...attemptFacts(subject)];
  printFacts(context, facts, { subject, json, noun: 'Payment', id: wanted });
}

async function retry(context: Context, wanted: number): Promise<void> {
  const { clock } = context;
  const { treasuryAddress: treasury } = context.config();
  const { failed, planned, frozen } = await context.withStore(async (store) => {
    const payment = await retryPayment({ store, clock, treasury }, { paymentId: wanted, actor: COMMAND_LINE });
    const before = await store.payment(wanted);
    return { failed: before, planned: payment, frozen: payment && (await store.gigFreeze(payment.gigId)) };
  });
  if (planned === null) {
    if (failed === null) throw new TypeError(`payment ${wanted} is gone`);
    throw invalidRequest(`Payment ${wanted} has nothing left to pay: ${whyNothingLeft(failed)}.`);
  }
  context.print(`Payment ${wanted} is planned again as payment ${planned.id}; the running service pays it.`);
  if (frozen !== null) context.print(`It waits while gig ${planned.gigId} is frozen: ${frozen}`);
}

/** `payment list|show|retry|anchor`: the payments out of gigs' wallets. */
export function addPaymentCommands(program: Command, context: Context): void {
  const command = program.command('payment').description('the payments out of gig wallets');
  const byId = id('payment list shows it');

  const lister = pageOptions(
    command
      .command('list')
      .description(
        'payments and their states. planned: waiting to be sent; sent: in a transaction of the gas tank that is under way',
      )
      .addOption(new Option('--state <state>', 'only those in this state').choices(PAYMENT_STATES))
      .addOption(
        new Option(
          '--kind <kind>',
          'payout: to a claim; fee: to the treasury; mark: of tips paid before; refund, return: back to the client',
        ).choices(PAYMENT_KINDS),
      )
      .option('--gig <id>', 'only those of this gig', id('gig list shows the ids')),
    PAYMENT_TABLE,
  ).action((options: Filter) => list(context, options));
  examples(lister, 'payment list --gig 42', 'payment list --state failed --kind payout --json');

  const shower = command
    .command('show')
    .description(
      'everything about one payment: the tips that it pays, their numbers, and the transaction with each signed attempt',
    )
    .argument('<id>', 'the id of the payment', byId)
    .addOption(jsonOption('object'))
    .action((wanted: number, options: { json: boolean }) => show(context, wanted, options));
  examples(shower, 'payment show 12');

  const again = command
    .command('retry')
    .description(
      'plan a failed payout again, with those of its tips that were not claimed since, or a failed fee, refund or return',
    )
    .argument('<id>', 'the id of the payment', id('payment list --state failed shows it'))
    .action((wanted: number) => retry(context, wanted));
  examples(again, 'payment retry 12');

  addAnchorCommand(command, context);
}

/** A payment as lists show it in JSON. Amounts are decimal text in whole tokens. */
export function paymentItem(payment: Payment) {
  return { id: payment.id, ...factsJson(LISTED_PAYMENT_FACTS, { payment }) };
}
