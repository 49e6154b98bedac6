import type { Command } from 'commander';
import { formatAmount } from '../../domain/amount.ts';
import { REWARD_FACTS } from '../../domain/facts/gig-facts.ts';
import { REFUND_FACTS } from '../../domain/facts/refund-facts.ts';
import { addressField } from '../../domain/fields.ts';
import { refundWaitWords } from '../../domain/gigs/gig-end.ts';
import { type Address, checksummed, type Token } from '../../domain/gigs/token.ts';
import { COMMAND_LINE } from '../../domain/operators/actor.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { HOUR_MS } from '../../domain/time.ts';
import type { HandReturnContext } from '../../services/ends/context.ts';
import {
  type HandOutcome,
  type HandRefund,
  previewRefund,
  type RefundPreview,
  refundByHand,
} from '../../services/ends/refund-by-hand.ts';
import type { Store } from '../../store/port/index.ts';
import { by, examples, gigArgument } from '../arguments.ts';
import type { Context } from '../context.ts';
import { factFields } from '../facts.ts';
import { plain, printFields } from '../output.ts';
import { auditContext } from '../payments/reconcile.ts';

interface Options {
  readonly to?: Address;
  readonly token?: Address;
  readonly surplus: boolean;
  readonly yes: boolean;
}

function amountText(units: bigint, { decimals, symbol }: Token): string {
  return `${formatAmount(units, decimals)} ${symbol}`;
}

function pendingFields({ gig, pending }: RefundPreview): Record<string, string> {
  return pending === 0n ? {} : { 'not paid yet': amountText(pending, gig.token) };
}

/** The sums of a gig that never started say nothing. */
function refundFields(preview: RefundPreview): Record<string, string> {
  const { standing: refund, unproved } = preview;
  const gig = { ...preview.gig, refundTo: refund.recipient };
  const money = gig.status === 'live' ? { ...factFields(REWARD_FACTS, { gig }), ...pendingFields(preview) } : {};
  return { ...money, ...factFields(REFUND_FACTS, { gig, refund, unproved }) };
}

function returnFields(returnable: RefundPreview['returnable']): Record<string, string> {
  if (returnable === null) return {};
  if ('problem' in returnable) return { return: `cannot be planned: ${returnable.problem}` };
  const { amount, token, recipient } = returnable;
  return { return: amountText(amount, token), 'return to': checksummed(recipient) };
}

function paymentText({ kind, state, amount, token, recipient, hash, reason }: Payment): string {
  const more = [hash, reason].filter((part) => part !== null).map((part) => `, ${part}`);
  return `${kind} of ${amountText(amount, token)} to ${checksummed(recipient)}, ${state}${more.join('')}`;
}

function tellPreview(context: Context, preview: RefundPreview, { to }: Options): void {
  const { gig, standing, failed, returnable } = preview;
  context.print(`Gig ${gig.id}`);
  const payments = standing.payments.map((payment) => [`payment ${payment.id}`, paymentText(payment)] as const);
  printFields(context, {
    ...refundFields(preview),
    ...returnFields(returnable),
    ...Object.fromEntries(payments),
  });
  if (gig.refundedAt !== null && failed === null && returnable === null) {
    context.print('Nothing is left to plan. Return any surplus in its wallet with --surplus.');
    return;
  }
  const where = to === undefined ? 'to --to if that is given' : `to ${checksummed(to)}`;
  const again = failed === null ? '' : ` It plans payment ${failed.id} again, ${where}.`;
  context.print(`Nothing was planned. To do it, add --yes.${again} The running service makes the payments.`);
}

function plannedText(payment: Payment): string {
  const { id: paymentId, kind, amount, token, recipient } = payment;
  const what = `${amountText(amount, token)} to ${checksummed(recipient)}`;
  return `The ${kind} of ${what} is planned as payment ${paymentId}; the running service makes it.`;
}

/** Waits that end by themselves are no failure, nor is one that was only to learn where its money returns to. */
function tellWait(
  context: Context,
  { gigId, to }: HandRefund,
  { why, detail }: Extract<HandOutcome, { kind: 'waits' }>,
): void {
  if (to !== undefined) context.print(`The unawarded funds of gig ${gigId} return to ${checksummed(to)}.`);
  const more = detail === null ? '' : ` (${detail})`;
  const text = plain(`The refund of gig ${gigId} is not planned yet: ${refundWaitWords(why)}${more}.`);
  if (why === 'not_settled' || why === 'delay') context.print(`${text} The running service plans it then.`);
  else if (why === 'not_started' && to !== undefined) context.print(text);
  else context.fail(text);
}

function outcomeText(gigId: number, outcome: Exclude<HandOutcome, { kind: 'waits' }>): string {
  if (outcome.kind === 'nothing') return `All of the reward of gig ${gigId} was awarded, so nothing is refunded.`;
  if (outcome.kind === 'planned_before') {
    return `The refund of gig ${gigId} was planned before; see gig refund ${gigId}.`;
  }
  const failed = outcome.kind === 'again' ? `Payment ${outcome.failed.id} had failed. ` : '';
  return plain(`${failed}${plannedText(outcome.payment)}`);
}

function tellOutcome(context: Context, request: HandRefund, outcome: HandOutcome): void {
  if (outcome.kind === 'waits') tellWait(context, request, outcome);
  else context.print(outcomeText(request.gigId, outcome));
}

async function returnContext(context: Context, store: Store): Promise<HandReturnContext> {
  const refundDelayMs = context.config().refundDelayHours * HOUR_MS;
  const auditing = await auditContext(context, store);
  return { ...auditing, actor: COMMAND_LINE, chains: context.chains(), refundDelayMs };
}

async function refund(context: Context, wanted: number, options: Options): Promise<void> {
  const { to, token: tokenAddress, surplus: isSurplus, yes } = options;
  const request: HandRefund = { gigId: wanted, to, tokenAddress, isSurplus };
  const tell = await context.withStore(async (store) => {
    const deps = await returnContext(context, store);
    if (!yes) {
      const preview = await previewRefund(deps, request);
      return () => tellPreview(context, preview, options);
    }
    const outcome = await refundByHand(deps, request);
    return () => tellOutcome(context, request, outcome);
  });
  tell();
}

/** `gig refund`: where what is left of a gig goes, and when; with `--yes` it is planned. */
export function addRefundCommand(gig: Command, context: Context): void {
  const command = gig
    .command('refund')
    .description(
      'show the refund and returns of a gig: how much, to which address, when, and what holds them up. With --yes it sets the ' +
        'address, plans a refund that is due even if the ledger has lost tips of that time, returns the money of a cancelled ' +
        'gig, and plans failed payments again. The running service makes the payments.',
    )
    .addArgument(gigArgument())
    .option(
      '--to <address>',
      'the address: for a gig whose terms name none, for a return, or instead of the recipient of a failed payment',
      by(addressField('to')),
    )
    .option(
      '--token <address>',
      'return the surplus of this token: what the wallet holds beyond what the ledger needs',
      by(addressField('token')),
    )
    .option(
      '--surplus',
      'return the surplus of the gig’s token: what the wallet holds beyond what the ledger needs',
      false,
    )
    .option('--yes', 'do it', false)
    .action((wanted: number, options: Options) => refund(context, wanted, options));
  examples(
    command,
    'gig refund 42',
    'gig refund 42 --to 0x976EA74026E726554dB657fA54763abd0C3a0aa9 --yes',
    'gig refund 42 --surplus --yes',
  );
}
