import { html } from 'hono/html';
import { chainById, explorerLink } from '../../domain/chain.ts';
import { TRANSFER_STATES, type Transfer, type TransferState } from '../../domain/transfer.ts';
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

const TONES: Readonly<Record<TransferState, Tone>> = {
  planned: 'wait',
  signed: 'live',
  broadcast: 'live',
  confirmed: 'ok',
  failed: 'bad',
  replaced: 'quiet',
};

/** A transaction hash, linked to the chain's explorer if there is one. */
function renderTransaction(chainId: number, hash: string, shown = renderHash(hash)): Markup {
  const link = explorerLink(chainId, { kind: 'tx', value: hash });
  return link === null ? shown : html`<a href="${link}" rel="noreferrer">${shown}</a>`;
}

function renderRetry({ site, operator }: Viewer, { id, state, kind }: Transfer): Markup | undefined {
  if (state !== 'failed' || kind === 'gas') return undefined;
  return renderAction(site, operator, { path: `/transfers/${id}/retry`, label: 'Retry', said: `Retry transfer ${id}` });
}

function renderPurpose({ root }: Pick<Site, 'root'>, { gigId, claimId }: Transfer): Markup {
  const claim = claimId === null ? '' : html`, <a href="${root}/admin/claims/${claimId}">claim ${claimId}</a>`;
  return html`<a href="${root}/admin/gigs/${gigId}">gig ${gigId}</a>${claim}`;
}

/** The transfers of one record, below their heading. */
export function renderTransfers(viewer: Viewer, title: string, transfers: readonly Transfer[]): Markup {
  const entries = transfers.map((transfer) => toTransferEntry(viewer, transfer));
  return html`<section class="stack"><h2>${title}</h2>${renderEntries(entries, { noun: 'transfer', empty: 'None.' })}</section>`;
}

/** A transfer as a list entry, with a retry button for a failed payout or fee. */
function toTransferEntry(viewer: Viewer, transfer: Transfer): Entry {
  const { site } = viewer;
  const { id, chainId, hash, reason, recipient } = transfer;
  return {
    id,
    href: `${site.root}/admin/transfers/${id}`,
    badge: renderBadge(transfer.state, TONES[transfer.state]),
    time: renderMoment(transfer.updatedAt),
    headline: html`<strong>${renderAmount(transfer.amount, transfer.token)}</strong> ${transfer.kind} on ${chainName(chainId)} to ${renderShortAddress(recipient)}`,
    details: [
      html`<p class="muted">For ${renderPurpose(site, transfer)}${hash === null ? '' : html`, transaction ${renderTransaction(chainId, hash)}`}</p>`,
      ...(reason === null ? [] : [renderReason(transfer)]),
    ],
    action: renderRetry(viewer, transfer),
  };
}

function renderReason({ reason, state }: Transfer): Markup {
  return html`<span class="${state === 'failed' ? 'error' : 'muted'}">${renderUntrusted(reason ?? '')}</span>`;
}

/** `GET /admin/transfers`. */
export async function viewTransfers(
  { store, site }: { store: Pick<OperatorStore, 'transfers' | 'transferDepths'>; site: Site },
  { query, operator }: { query: ListQuery<TransferState>; operator: LoggedIn },
): Promise<AdminView> {
  const { items, next } = await readPage(query, store.transfers);
  return viewList({
    site,
    section: 'Transfers',
    lead: 'The payments out of the gigs’ wallets and the gas tank. Planned: waiting to be signed. Signed and broadcast: under way. Replaced: another transaction used the nonce, and the payment was planned again.',
    noun: 'transfer',
    entries: items.map((transfer) => toTransferEntry({ site, operator }, transfer)),
    query,
    next,
    states: TRANSFER_STATES,
    counts: await store.transferDepths(),
  });
}

/** The hashes of a transfer's attempts; the signed bytes are not shown. */
function renderAttempts({ chainId, attempts }: Transfer): Markup {
  if (attempts.length === 0) return html``;
  return html`<section class="stack"><h2>Signed attempts</h2>
<div class="scroll card" tabindex="0" role="region" aria-label="Signed attempts"><table>
<thead><tr><th scope="col">Hash</th><th scope="col">Signed</th><th scope="col" class="number">Highest fee, wei</th><th scope="col" class="number">Priority fee, wei</th><th scope="col" class="number">Gas</th></tr></thead>
<tbody>${attempts.map(
    (attempt) =>
      html`<tr><td>${renderTransaction(chainId, attempt.hash)}</td><td>${renderMoment(attempt.signedAt)}</td><td class="number">${String(attempt.maxFeePerGas)}</td><td class="number">${String(attempt.maxPriorityFeePerGas)}</td><td class="number">${String(attempt.gas)}</td></tr>`,
  )}</tbody></table></div></section>`;
}

function renderNative(wei: bigint, chainId: number): Markup {
  const native = chainById(chainId)?.nativeCurrency ?? { decimals: 18, symbol: '' };
  return renderAmount(wei, native);
}

/**
 * `GET /admin/transfers/:id`.
 * @param options.again the transfer that this one replaces
 * @param options.problem why the requested action was refused
 * @returns null when there is none
 */
export async function viewTransfer(
  { store, site }: { store: Pick<OperatorStore, 'transfer' | 'tipsOfTransfer' | 'gigFreeze'>; site: Site },
  { id, operator, again, problem }: { id: number; operator: LoggedIn; again?: number | undefined; problem?: string },
): Promise<AdminView | null> {
  const transfer = await store.transfer(id);
  if (transfer === null) return null;
  const { chainId, hash, blockNumber, gasSpent, token } = transfer;
  const tips = await store.tipsOfTransfer(id);
  const frozen = transfer.state === 'planned' ? await store.gigFreeze(transfer.gigId) : null;
  return {
    title: `Transfer ${id}`,
    section: 'Transfers',
    ...(problem === undefined ? {} : { status: 409 }),
    body: html`${renderHeading(html`Transfer ${id} ${renderBadge(transfer.state, TONES[transfer.state])}`)}
${problem === undefined ? '' : html`<p class="notice bad" role="alert">${problem}</p>`}
${again === undefined ? '' : html`<p class="notice ok" role="status">Transfer ${again} is planned again as this transfer; the service will pay it.</p>`}
${frozen === null ? '' : html`<p class="notice wait">It waits while gig ${transfer.gigId} is frozen: ${renderUntrusted(frozen)}</p>`}
${renderFacts({
  Amount: renderAmount(transfer.amount, token),
  Kind: transfer.kind,
  For: renderPurpose(site, transfer),
  Token: html`${renderUntrusted(token.symbol)} ${renderWholeAddress(token.address)} on ${chainName(chainId)}`,
  From: renderWholeAddress(transfer.sender),
  To: renderWholeAddress(transfer.recipient),
  Nonce: transfer.nonce === null ? null : String(transfer.nonce),
  Transaction: hash === null ? null : renderTransaction(chainId, hash, renderWhole(hash)),
  Block: blockNumber === null ? null : String(blockNumber),
  'Gas spent': gasSpent === null ? null : renderNative(gasSpent, chainId),
  Reason: transfer.reason === null ? null : renderReason(transfer),
  Tips: tips.length === 0 ? null : tips.map((tip) => tip.id).join(', '),
  Planned: renderMoment(transfer.createdAt),
  Updated: renderMoment(transfer.updatedAt),
})}
${renderRetry({ site, operator }, transfer) ?? ''}
${renderAttempts(transfer)}`,
  };
}
