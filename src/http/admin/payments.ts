import { html } from 'hono/html';
import { explorerLink } from '../../domain/chain.ts';
import {
  type NumberedPayment,
  ownNumber,
  PAYMENT_STATES,
  type Payment,
  type PaymentState,
  type TankTransaction,
} from '../../domain/payment.ts';
import type { OperatorStore } from '../../services/operators/overview.ts';
import type { LoggedIn } from '../../services/operators/sessions.ts';
import { chainName, renderAmount } from '../ui/amounts.ts';
import { renderBadge, renderHash, type Tone } from '../ui/badges.ts';
import type { Markup, Site } from '../ui/layout.ts';
import { renderMoment, renderShortAddress, renderUntrusted, renderWhole, renderWholeAddress } from '../ui/text.ts';
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

/** A transaction hash, linked to the chain's explorer if there is one. */
function renderTransaction(chainId: number, hash: string, shown = renderHash(hash)): Markup {
  const link = explorerLink(chainId, { kind: 'tx', value: hash });
  return link === null ? shown : html`<a href="${link}" rel="noreferrer">${shown}</a>`;
}

function renderRetry({ site, operator }: Viewer, { id, state }: Payment): Markup | undefined {
  if (state !== 'failed') return undefined;
  return renderAction(site, operator, { path: `/payments/${id}/retry`, label: 'Retry', said: `Retry payment ${id}` });
}

function renderPurpose({ root }: Pick<Site, 'root'>, { gigId, claimId }: Payment): Markup {
  const claim = claimId === null ? '' : html`, <a href="${root}/admin/claims/${claimId}">claim ${claimId}</a>`;
  return html`<a href="${root}/admin/gigs/${gigId}">gig ${gigId}</a>${claim}`;
}

/** The payments of one record, below their heading. */
export function renderPayments(viewer: Viewer, title: string, payments: readonly Payment[]): Markup {
  const entries = payments.map((payment) => toPaymentEntry(viewer, payment));
  return html`<section class="stack"><h2>${title}</h2>${renderEntries(entries, { noun: 'payment', empty: 'None.' })}</section>`;
}

/** A payment as a list entry, with a retry button when it failed. */
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
      html`<p class="muted">For ${renderPurpose(site, payment)}${hash === null ? '' : html`, transaction ${renderTransaction(chainId, hash)}`}</p>`,
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
  { store, site }: { store: Pick<OperatorStore, 'payments' | 'paymentDepths'>; site: Site },
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

/** The hashes of a transaction's attempts; the signed bytes are not shown. */
function renderAttempts({ chainId, attempts }: TankTransaction): Markup {
  return html`<section class="stack"><h2>Signed attempts</h2>
<table class="stacking"><caption class="unseen">Signed attempts</caption>
<thead><tr><th scope="col">Hash</th><th scope="col">Signed</th><th scope="col" class="number">Highest fee, wei</th><th scope="col" class="number">Priority fee, wei</th><th scope="col" class="number">Gas</th></tr></thead>
<tbody>${attempts.map(
    (attempt) =>
      html`<tr><th scope="row">${renderTransaction(chainId, attempt.hash)}</th><td data-label="Signed">${renderMoment(attempt.signedAt)}</td><td data-label="Highest fee, wei" class="number">${String(attempt.maxFeePerGas)}</td><td data-label="Priority fee, wei" class="number">${String(attempt.maxPriorityFeePerGas)}</td><td data-label="Gas" class="number">${String(attempt.gas)}</td></tr>`,
  )}</tbody></table></section>`;
}

/** The numbers of its wallet that a payment marks; null while it has none. */
function numbersText({ kind, place, numbers }: NumberedPayment): string | null {
  if (ownNumber({ kind, place }) !== null) return `the ${kind}’s`;
  return numbers.length === 0 ? null : numbers.join(', ');
}

/**
 * `GET /admin/payments/:id`.
 * @param options.again the failed payment that this one pays again
 * @param options.problem why the requested action was refused
 * @returns null when there is none
 */
export async function viewPayment(
  {
    store,
    site,
  }: { store: Pick<OperatorStore, 'payment' | 'tankTransaction' | 'tipsOfPayment' | 'gigFreeze'>; site: Site },
  { id, operator, again, problem }: { id: number; operator: LoggedIn; again?: number | undefined; problem?: string },
): Promise<AdminView | null> {
  const payment = await store.payment(id);
  if (payment === null) return null;
  const { chainId, hash, blockNumber, gasUsed, token, transactionId } = payment;
  const transaction = transactionId === null ? null : await store.tankTransaction(transactionId);
  const tips = await store.tipsOfPayment(id);
  const frozen = payment.state === 'planned' ? await store.gigFreeze(payment.gigId) : null;
  return {
    title: `Payment ${id}`,
    section: 'Payments',
    ...(problem === undefined ? {} : { status: 409 }),
    body: html`${renderHeading(html`Payment ${id} ${renderBadge(payment.state, TONES[payment.state])}`)}
${problem === undefined ? '' : html`<p class="notice bad" role="alert">${problem}</p>`}
${again === undefined ? '' : html`<p class="notice ok" role="status">Payment ${again} is planned again as this payment; the service will pay it.</p>`}
${frozen === null ? '' : html`<p class="notice wait">It waits while gig ${payment.gigId} is frozen: ${renderUntrusted(frozen)}</p>`}
${renderFacts({
  Amount: renderAmount(payment.amount, token),
  Kind: payment.kind,
  For: renderPurpose(site, payment),
  Token: html`${renderUntrusted(token.symbol)} ${renderWholeAddress(token.address)} on ${chainName(chainId)}`,
  From: renderWholeAddress(payment.wallet),
  To: renderWholeAddress(payment.recipient),
  Numbers: numbersText(payment),
  Transaction: hash === null ? null : renderTransaction(chainId, hash, renderWhole(hash)),
  Block: blockNumber === null ? null : String(blockNumber),
  'Gas used': gasUsed === 0n ? null : String(gasUsed),
  'Failed attempts': payment.failures === 0 ? null : String(payment.failures),
  'Transaction of the gas tank':
    transaction === null
      ? null
      : `${transaction.id} (nonce ${transaction.nonce}): ${transaction.isOver ? 'finished' : 'under way'}`,
  Reason: payment.reason === null ? null : renderReason(payment),
  Tips: tips.length === 0 ? null : tips.map((tip) => tip.id).join(', '),
  Planned: renderMoment(payment.createdAt),
  Updated: renderMoment(payment.updatedAt),
})}
${renderRetry({ site, operator }, payment) ?? ''}
${transaction === null ? '' : renderAttempts(transaction)}`,
  };
}
