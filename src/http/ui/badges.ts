import { html } from 'hono/html';
import { explorerLink } from '../../domain/chains/chain.ts';
import type { Markup } from './layout.ts';

/** The kind of a state: settled well, in progress, wrong, live, or unremarkable. */
export type Tone = 'ok' | 'wait' | 'bad' | 'live' | 'quiet';

/** A state as a small label; the color only repeats the words. */
export function renderBadge(words: string, tone: Tone = 'quiet'): Markup {
  return html`<span class="badge ${tone}">${words}</span>`;
}

const MIN_SHORTENED = 16;

/** The beginning and end of an address or a hash; short values are unchanged. */
export function shortened(value: string): string {
  return value.length < MIN_SHORTENED ? value : `${value.slice(0, 6)}…${value.slice(-4)}`;
}

/** An address or hash, shortened for display; the full value is in the title and for screen readers. */
export function renderHash(value: string): Markup {
  return html`<span class="hash" title="${value}"><span aria-hidden="true">${shortened(value)}</span><span class="unseen">${value}</span></span>`;
}

/** A transaction hash, linked to the chain's explorer if there is one. */
export function renderTransaction(chainId: number, hash: string, shown = renderHash(hash)): Markup {
  const link = explorerLink(chainId, { kind: 'tx', value: hash });
  return link === null ? shown : html`<a href="${link}" rel="noopener">${shown}</a>`;
}

/** `1 gig`, `2 gigs`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
