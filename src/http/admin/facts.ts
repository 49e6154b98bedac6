import { html } from 'hono/html';
import type { Fact, Piece, Told } from '../../domain/facts/fact.ts';
import { renderAmount } from '../ui/amounts.ts';
import { renderTransaction } from '../ui/badges.ts';
import type { Markup, Root } from '../ui/layout.ts';
import { platformName, renderAccount, renderUntrusted, renderWhole, renderWholeAddress } from '../ui/text.ts';
import { renderTime } from '../ui/time.ts';

const PATHS = {
  gig: (id: number) => `/admin/gigs/${id}`,
  claim: (id: number) => `/admin/claims/${id}`,
  key: (id: number) => `/admin/keys#key-${id}`,
  mention: (id: number) => `/admin/mentions/${id}`,
  payment: (id: number) => `/admin/payments/${id}`,
} as const;

function renderPiece({ root }: Root, piece: Piece): Markup | string {
  if (typeof piece === 'string') return piece;
  if ('amount' in piece) return renderAmount(piece.amount, piece.of);
  if ('moment' in piece) return renderTime(piece.moment, { to: 'second' });
  if ('platform' in piece) return platformName(piece.platform);
  if ('account' in piece) return renderAccount(piece.account);
  if ('address' in piece) return renderWholeAddress(piece.address);
  if ('whole' in piece) return renderWhole(piece.whole);
  if ('transaction' in piece)
    return renderTransaction(piece.chainId, piece.transaction, renderWhole(piece.transaction));
  if ('foreign' in piece) return renderUntrusted(piece.foreign);
  if ('text' in piece) return html`<p class="said">${renderUntrusted(piece.text)}</p>`;
  if ('record' in piece) return html`<a href="${root}${PATHS[piece.record](piece.id)}">${piece.record} ${piece.id}</a>`;
  if ('command' in piece) return html`<code>${piece.command}</code>`;
  return html`<span class="error">${renderTold({ root }, piece.problem)}</span>`;
}

/** What a fact says. */
export function renderTold(site: Root, told: Told): Markup {
  const pieces = typeof told === 'object' && 'map' in told ? told : [told];
  return html`${pieces.map((piece) => renderPiece(site, piece))}`;
}

/** What one fact says; nothing when it has nothing to tell. */
export function renderFact<Subject>(site: Root, { read }: Fact<Subject>, subject: Subject): Markup {
  const told = read(subject);
  return told === null ? html`` : renderTold(site, told);
}

/** Facts as labelled markup for `renderFacts`. */
export function factMarkup<Subject>(
  site: Root,
  facts: readonly Fact<Subject>[],
  subject: Subject,
): Record<string, Markup | null> {
  return Object.fromEntries(
    facts.map(({ label, read }) => {
      const told = read(subject);
      return [`${label.charAt(0).toUpperCase()}${label.slice(1)}`, told === null ? null : renderTold(site, told)];
    }),
  );
}
