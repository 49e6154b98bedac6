import { html } from 'hono/html';
import type { Markup, Root } from './layout.ts';
import { renderUntrusted } from './text.ts';

/** A gig by its name, with its number beside it. */
export function renderGigName(name: string, id: number): Markup {
  return html`${renderUntrusted(name)} <span class="gig-number muted">gig ${id}</span>`;
}

/** The names of gigs, by their ids. */
export type GigNames = ReadonlyMap<number, string>;

/** A link to a gig: its name, where it is known, and its number. */
export function renderGigLink(id: number, { names, root }: Root & { readonly names: GigNames }): Markup {
  const name = names.get(id);
  return html`<a href="${root}/gigs/${id}">${name === undefined ? `Gig ${id}` : renderUntrusted(name)}</a>${name === undefined ? '' : html` <span class="gig-number muted">gig ${id}</span>`}`;
}
