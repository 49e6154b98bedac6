import { html } from 'hono/html';
import { invalidRequest } from '../../domain/errors.ts';
import { PAYMENT_FACTS, purposeTold } from '../../domain/facts/payment-facts.ts';
import type { IdSpan } from '../../domain/id-span.ts';
import {
  PAYMENT_STATES,
  type Payment,
  type PaymentState,
  type TankTransaction,
  whyNothingLeft,
} from '../../domain/payments/payment.ts';
import { retryPayment } from '../../services/payments/retry-payment.ts';
import { logDeed, renderProblem } from '../frame/deeds.ts';
import { type Entry, renderEntries } from '../frame/list.ts';
import { type ListQuery, readId, readListQuery, readPage } from '../frame/list-query.ts';
import type { Sums } from '../frame/sums.ts';
import { chainName, renderAmount } from '../ui/amounts.ts';
import { counted, renderBadge, renderTransaction, type Tone } from '../ui/badges.ts';
import type { Markup } from '../ui/layout.ts';
import { renderShortAddress, renderUntrusted } from '../ui/text.ts';
import { renderTime } from '../ui/time.ts';
import { OPERATORS } from './audience.ts';
import type { AdminRoute, OperatorVisit } from './context.ts';
import { factMarkup, renderTold } from './facts.ts';
import { idOf, renderAction, renderFacts, renderHeading, spanOfList, viewList } from './list.ts';
import type { AdminView } from './view.ts';

const TONES: Readonly<Record<PaymentState, Tone>> = {
  planned: 'wait',
  sent: 'live',
  confirmed: 'ok',
  failed: 'bad',
};

function renderRetry(visit: OperatorVisit, { id, state }: Payment): Markup | undefined {
  if (state !== 'failed') return undefined;
  return renderAction(visit, { path: `/payments/${id}/retry`, label: 'Retry', said: `Retry payment ${id}` });
}

/** The payments of one record, below their heading. */
export function renderPayments(visit: OperatorVisit, title: string, payments: readonly Payment[]): Markup {
  const entries = payments.map((payment) => toPaymentEntry(visit, payment));
  return html`<section class="stack"><h2>${title}</h2>${renderEntries(entries, { noun: 'payment', empty: 'None.' })}</section>`;
}

function toPaymentEntry(visit: OperatorVisit, payment: Payment): Entry {
  const { site, clock } = visit.deps;
  const { id, chainId, hash, reason, recipient } = payment;
  return {
    id,
    href: `${site.root}/admin/payments/${id}`,
    badge: renderBadge(payment.state, TONES[payment.state]),
    time: renderTime(payment.updatedAt, { now: clock() }),
    headline: html`<strong>${renderAmount(payment.amount, payment.token)}</strong> ${payment.kind} on ${chainName(chainId)} to ${renderShortAddress(recipient)}`,
    details: [
      html`<p class="muted">For ${renderTold(site, purposeTold({ payment }))}${hash === null ? '' : html`, transaction ${renderTransaction(chainId, hash)}`}</p>`,
      ...(reason === null ? [] : [renderReason(payment)]),
    ],
    action: renderRetry(visit, payment),
  };
}

function renderReason({ reason, state }: Payment): Markup {
  return html`<span class="${state === 'failed' ? 'error' : 'muted'}">${renderUntrusted(reason ?? '')}</span>`;
}

/** How many payments are summed at most: reading their amounts takes a few milliseconds. */
const SUMMED = 500;

/** The sums of a query's payments, those of its other pages included. */
async function sumPayments(
  { deps: { store } }: OperatorVisit,
  { state }: ListQuery<PaymentState>,
  { from, below }: IdSpan,
): Promise<Sums> {
  const { sums, isWhole } = await store.paymentSums({ state, from, before: below, limit: SUMMED });
  const count = sums.reduce((all, each) => all + each.count, 0);
  return {
    of: isWhole
      ? `Sum of ${counted(count, 'payment')}`
      : `Sum of the newest ${SUMMED} payments: choose days to sum others`,
    columns: ['Amount'],
    rows: sums.map(({ amount, ...sum }) => ({ ...sum, amounts: [amount] })),
  };
}

const list = OPERATORS.page('/admin/payments', async (visit) => {
  const { store } = visit.deps;
  const query = readListQuery(visit, PAYMENT_STATES);
  const span = await spanOfList(visit, 'payments', query);
  const { items, ...place } = await readPage(query, store.payments, span);
  return viewList(visit, {
    ...place,
    section: 'Payments',
    orderedBy: 'Planned',
    lead: 'The payments out of the gigs’ wallets. Planned: waiting to be sent. Sent: in a transaction of the gas tank that is under way.',
    noun: 'payment',
    entries: items.map((payment) => toPaymentEntry(visit, payment)),
    counts: await store.paymentDepths(),
    sums: await sumPayments(visit, query, span),
  });
});

/** The signed bytes are not shown. */
function renderAttempts({ chainId, attempts }: TankTransaction): Markup {
  return html`<section class="stack"><h2>Signed attempts</h2>
<table class="stacking"><caption class="unseen">Signed attempts</caption>
<thead><tr><th scope="col">Hash</th><th scope="col">Signed</th><th scope="col" class="number">Highest fee, wei</th><th scope="col" class="number">Priority fee, wei</th><th scope="col" class="number">Gas</th></tr></thead>
<tbody>${attempts.map(
    (attempt) =>
      html`<tr><th scope="row">${renderTransaction(chainId, attempt.hash)}</th><td data-label="Signed">${renderTime(attempt.signedAt, { to: 'second' })}</td><td data-label="Highest fee, wei" class="number">${String(attempt.maxFeePerGas)}</td><td data-label="Priority fee, wei" class="number">${String(attempt.maxPriorityFeePerGas)}</td><td data-label="Gas" class="number">${String(attempt.gas)}</td></tr>`,
  )}</tbody></table></section>`;
}

/** Null when there is none. `problem` says why it cannot be retried. */
async function viewPayment(visit: OperatorVisit, problem?: string): Promise<AdminView | null> {
  const { store, site } = visit.deps;
  const id = idOf(visit);
  // The failed payment that this one pays again.
  const again = readId(visit.c.req.query('again'));
  const payment = await store.payment(id);
  if (payment === null) return null;
  const { transactionId } = payment;
  const transaction = transactionId === null ? null : await store.tankTransaction(transactionId);
  const tips = (await store.tipsOfPayment(id)).map((tip) => tip.id);
  const frozen = payment.state === 'planned' ? await store.gigFreeze(payment.gigId) : null;
  return {
    title: `Payment ${id}`,
    section: 'Payments',
    body: html`${renderHeading(html`Payment ${id} ${renderBadge(payment.state, TONES[payment.state])}`)}
${renderProblem(problem)}
${again === undefined ? '' : html`<p class="notice ok" role="status">Payment ${again} is planned again as this payment; the service will pay it.</p>`}
${frozen === null ? '' : html`<p class="notice wait">It waits while gig ${payment.gigId} is frozen: ${renderUntrusted(frozen)}</p>`}
${renderFacts(factMarkup(site, PAYMENT_FACTS, { payment, transaction, tips }))}
${renderRetry(visit, payment) ?? ''}
${transaction === null ? '' : renderAttempts(transaction)}`,
  };
}

const retry = OPERATORS.form('/admin/payments/:id{[0-9]+}/retry', {
  read: idOf,
  act: async (visit, paymentId) => {
    const { deps, actor } = visit;
    const planned = await retryPayment(deps, { paymentId, actor });
    if (planned === null) {
      const failed = await deps.store.payment(paymentId);
      if (failed === null) return null;
      throw invalidRequest(`Nothing is left to pay: ${whyNothingLeft(failed)}.`);
    }
    deps.wakePayments();
    logDeed(visit, 'payment retried', { paymentId, plannedId: planned.id });
    return `/admin/payments/${planned.id}?again=${paymentId}`;
  },
  again: (visit, { text }) => viewPayment(visit, text),
});

/** `GET /admin/payments` and `/admin/payments/:id`, and `POST` below it, which pays a failed one again. */
export const PAYMENT_PAGES: readonly AdminRoute[] = [
  list,
  OPERATORS.page('/admin/payments/:id{[0-9]+}', (visit) => viewPayment(visit)),
  retry,
];
