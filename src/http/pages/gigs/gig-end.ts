import { html } from 'hono/html';
import type { Gig } from '../../../domain/gigs/gig.ts';
import { awardsUntil, type RefundStatus, withoutReplaced } from '../../../domain/gigs/gig-end.ts';
import type { Payment, PaymentState } from '../../../domain/payments/payment.ts';
import { HOUR_MS } from '../../../domain/time.ts';
import { renderAddress, renderAmount } from '../../ui/amounts.ts';
import { counted, renderTransaction } from '../../ui/badges.ts';
import type { Markup } from '../../ui/layout.ts';
import { renderUntrusted } from '../../ui/text.ts';
import { renderTime } from '../../ui/time.ts';

interface View {
  readonly gig: Gig;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly refund: RefundStatus;
}

type Facts = Readonly<Record<string, Markup | string | null>>;

function renderRecipient({ gig, refund: { recipient } }: View): Markup {
  if (recipient !== null) {
    const named = gig.refundName === null ? '' : html`, given as ${renderUntrusted(gig.refundName)}`;
    return html`${renderAddress(gig.token.chainId, recipient)}${named}`;
  }
  return html`<span>No address is set: the money stays in the wallet until the operator sets one.</span>`;
}

function renderAwards({ gig }: View): Markup | string {
  if (gig.status === 'live') return html`until ${renderTime(awardsUntil(gig))}`;
  return gig.awardDays === 0 ? 'until the gig ends' : `until ${counted(gig.awardDays, 'day')} after the gig ends`;
}

function delayWords(delayMs: number): string {
  return `no sooner than ${counted(delayMs / HOUR_MS, 'hour')} after the gig is settled`;
}

function plannedFacts(view: View): Facts {
  const { recipient, delayMs } = view.refund;
  const cancelled =
    recipient === null
      ? 'its reward and fee stay in the wallet until the operator sets an address.'
      : 'its reward and fee return.';
  return {
    'Returns to': renderRecipient(view),
    'Tips are awarded': renderAwards(view),
    Refund: recipient === null ? null : delayWords(delayMs),
    'If it never starts': `An owner can cancel it: then ${cancelled}`,
  };
}

/** Null when the refund was made, or does not come by itself. */
function renderDue({ gig, now, refund: { dueAt, delayMs, wait, recipient } }: View): Markup | string | null {
  if (gig.refundedAt !== null || recipient === null) return null;
  if (dueAt === null) return delayWords(delayMs);
  if (dueAt > now) return html`after ${renderTime(dueAt)}`;
  return wait === null ? 'soon' : 'when the operator has checked it';
}

function endedFacts(view: View): Facts {
  const { gig, refund } = view;
  const { token, stoppedAt, settledAt, refundedAt } = gig;
  const isOpen = refundedAt === null;
  return {
    'Tips are awarded': settledAt === null ? renderAwards(view) : null,
    Stopped: stoppedAt === null ? null : html`at ${renderTime(stoppedAt)}, before its time`,
    Settled: settledAt === null ? null : html`at ${renderTime(settledAt)}: no more tips are awarded`,
    Left: isOpen && settledAt !== null ? renderAmount(refund.left, token) : null,
    'Returns to': isOpen ? renderRecipient(view) : null,
    Refund: renderDue(view),
    Returned: !isOpen && refund.payments.length === 0 ? 'nothing: the whole reward was awarded' : null,
  };
}

function cancelledFacts(view: View): Facts {
  const { cancelledAt } = view.gig;
  return {
    Cancelled: cancelledAt === null ? null : html`at ${renderTime(cancelledAt)}: do not send money to its wallet`,
    'Returns to': renderRecipient(view),
    Returns: view.refund.payments.length === 0 ? 'all its money' : null,
  };
}

const STATES = {
  planned: 'on its way',
  sent: 'on its way',
  confirmed: 'paid',
  failed: 'failed: the operator must check it',
} as const satisfies Record<PaymentState, string>;

function renderBy({ chainId, hash, state, updatedAt }: Payment): Markup {
  const at = state === 'confirmed' ? html`, ${renderTime(updatedAt)}` : '';
  return html`${hash === null ? '' : html`, ${renderTransaction(chainId, hash)}`}${at}`;
}

function renderReturned(payment: Payment): Markup {
  const { chainId, amount, token, recipient, state } = payment;
  return html`<dt>${state === 'failed' ? 'Not returned' : 'Returned'}</dt><dd>${renderAmount(amount, token)} to ${renderAddress(chainId, recipient)}: ${STATES[state]}${renderBy(payment)}</dd>`;
}

/** What has returned, where to, when and by which transactions, in sentences; null when nothing has. */
export function renderMoneyBack(payments: readonly Payment[]): Markup | null {
  const back = withoutReplaced(payments).filter(({ state }) => state === 'confirmed');
  if (back.length === 0) return null;
  const sentences = back.map(({ amount, chainId, hash, recipient, token, updatedAt }) => {
    const by = hash === null ? '' : html`, by ${renderTransaction(chainId, hash)}`;
    return html`${renderAmount(amount, token)} returned to ${renderAddress(chainId, recipient)} on ${renderTime(updatedAt)}${by}. `;
  });
  return html`${sentences}`;
}

function factsOf(view: View): Facts {
  if (view.gig.cancelledAt !== null) return cancelledFacts(view);
  return view.gig.status === 'created' ? plannedFacts(view) : endedFacts(view);
}

/** Where what is left of a gig returns to, and when: before its start, for those who fund it; then, its outcome. */
export function renderGigEnd(view: View): Markup {
  const facts = Object.entries(factsOf(view)).filter(([, value]) => value !== null);
  const title = view.gig.cancelledAt === null ? 'Unawarded funds' : 'Money in its wallet';
  return html`<section class="stack" aria-labelledby="end"><h2 id="end">${title}</h2>
<dl class="facts card">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}${withoutReplaced(view.refund.payments).map(renderReturned)}</dl>
</section>`;
}
