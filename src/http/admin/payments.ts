import { html } from 'hono/html';
import { PAYMENT_FACTS, purposeTold } from '../../domain/facts/payment-facts.ts';
import {
  PAYMENT_STATES,
  type Payment,
  type PaymentState,
  type TankTransaction,
} from '../../domain/payments/payment.ts';
import type { LoggedIn } from '../../services/operators/sessions.ts';
import type { PageContext } from '../context.ts';
import { chainName, renderAmount } from '../ui/amounts.ts';
import { renderBadge, type Tone } from '../ui/badges.ts';
import type { Markup } from '../ui/layout.ts';
import { renderMoment, renderShortAddress, renderUntrusted } from '../ui/text.ts';
import { factMarkup, renderTold, renderTransaction } from './facts.ts';
import { renderAction } from './form.ts';
import type { AdminView } from './frame.ts';
import {
  type Entry,
  type ListQuery,
  readPage,
  renderEntries,
  renderFacts,
  renderHeading,
  type Viewer,
  viewList,
} from './list.ts';

const TONES: Readonly<Record<PaymentState, Tone>> = {
  planned: 'wait',
  sent: 'live',
  confirmed: 'ok',
  failed: 'bad',
};

function renderRetry({ site, operator }: Viewer, { id, state }: Payment): Markup | undefined {
  if (state !== 'failed') return undefined;
  return renderAction(site, operator, { path: `/payments/${id}/retry`, label: 'Retry', said: `Retry payment ${id}` });
}

/** The payments of one record, below their heading. */
export function renderPayments(viewer: Viewer, title: string, payments: readonly Payment[]): Markup {
  const entries = payments.map((payment) => toPaymentEntry(viewer, payment));
  return html`<section class="stack"><h2>${title}</h2>${renderEntries(entries, { noun: 'payment', empty: 'None.' })}</section>`;
}

function toPaymentEntry(viewer: Viewer, payment: Payment): Entry {
  const { site } = viewer;
  const { id, chainId, hash, reason, recipient } = payment;
  return {
    id,
    href: `${site.root}/admin/payments/${id}`,
    badge: renderBadge(payment.state, TONES[payment.state]),
    time: renderMoment(payment.updatedAt),
    headline: html`<strong>${renderAmount(payment.amount, payment.token)}</strong> ${payment.kind} on ${chainName(chainId)} to ${renderShortAddress(recipient)}`,
    details: [
      html`<p class="muted">For ${renderTold(site, purposeTold({ payment }))}${hash === null ? '' : html`, transaction ${renderTransaction(chainId, hash)}`}</p>`,
      ...(reason === null ? [] : [renderReason(payment)]),
    ],
    action: renderRetry(viewer, payment),
  };
}

function renderReason({ reason, state }: Payment): Markup {
  return html`<span class="${state === 'failed' ? 'error' : 'muted'}">${renderUntrusted(reason ?? '')}</span>`;
}

/** `GET /admin/payments`. */
export async function viewPayments(
  { store, site }: PageContext,
  { query, operator }: { query: ListQuery<PaymentState>; operator: LoggedIn },
): Promise<AdminView> {
  const { items, next } = await readPage(query, store.payments);
  return viewList({
    site,
    section: 'Payments',
    lead: 'The payments out of the gigs’ wallets. Planned: waiting to be sent. Sent: in a transaction of the gas tank that is under way.',
    noun: 'payment',
    entries: items.map((payment) => toPaymentEntry({ site, operator }, payment)),
    query,
    next,
    states: PAYMENT_STATES,
    counts: await store.paymentDepths(),
  });
}

/** The signed bytes are not shown. */
function renderAttempts({ chainId, attempts }: TankTransaction): Markup {
  return html`<section class="stack"><h2>Signed attempts</h2>
<table class="stacking"><caption class="unseen">Signed attempts</caption>
<thead><tr><th scope="col">Hash</th><th scope="col">Signed</th><th scope="col" class="number">Highest fee, wei</th><th scope="col" class="number">Priority fee, wei</th><th scope="col" class="number">Gas</th></tr></thead>
<tbody>${attempts.map(
    (attempt) =>
      html`<tr><th scope="row">${renderTransaction(chainId, attempt.hash)}</th><td data-label="Signed">${renderMoment(attempt.signedAt)}</td><td data-label="Highest fee, wei" class="number">${String(attempt.maxFeePerGas)}</td><td data-label="Priority fee, wei" class="number">${String(attempt.maxPriorityFeePerGas)}</td><td data-label="Gas" class="number">${String(attempt.gas)}</td></tr>`,
  )}</tbody></table></section>`;
}

/**
 * `GET /admin/payments/:id`.
 * @param options.again the failed payment that this one pays again
 * @param options.problem why the requested action was refused
 * @returns null when there is none
 */
export async function viewPayment(
  { store, site }: PageContext,
  { id, operator, again, problem }: { id: number; operator: LoggedIn; again?: number | undefined; problem?: string },
): Promise<AdminView | null> {
  const payment = await store.payment(id);
  if (payment === null) return null;
  const { transactionId } = payment;
  const transaction = transactionId === null ? null : await store.tankTransaction(transactionId);
  const tips = (await store.tipsOfPayment(id)).map((tip) => tip.id);
  const frozen = payment.state === 'planned' ? await store.gigFreeze(payment.gigId) : null;
  return {
    title: `Payment ${id}`,
    section: 'Payments',
    ...(problem === undefined ? {} : { status: 409 }),
    body: html`${renderHeading(html`Payment ${id} ${renderBadge(payment.state, TONES[payment.state])}`)}
${problem === undefined ? '' : html`<p class="notice bad" role="alert">${problem}</p>`}
${again === undefined ? '' : html`<p class="notice ok" role="status">Payment ${again} is planned again as this payment; the service will pay it.</p>`}
${frozen === null ? '' : html`<p class="notice wait">It waits while gig ${payment.gigId} is frozen: ${renderUntrusted(frozen)}</p>`}
${renderFacts(factMarkup(site, PAYMENT_FACTS, { payment, transaction, tips }))}
${renderRetry({ site, operator }, payment) ?? ''}
${transaction === null ? '' : renderAttempts(transaction)}`,
  };
}
