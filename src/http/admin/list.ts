import { html } from 'hono/html';
import { DomainError } from '../../domain/errors.ts';
import type { Markup, Site } from '../ui/layout.ts';

/** How many entries a page of a list has. */
export const PAGE_SIZE = 50;

/** The state filter and the position of a list. */
export interface ListQuery<State extends string> {
  /** All when absent. */
  readonly state: State | undefined;
  /** Only entries with a smaller id. */
  readonly before: number | undefined;
}

function invalid(message: string): DomainError {
  return new DomainError({ code: 'invalid_request', message });
}

/** Parses an id from a URL; undefined when it is invalid. */
export function readId(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : undefined;
}

/** Parses a list's query. @throws DomainError `invalid_request` for an unknown state or an invalid id */
export function readListQuery<State extends string>(
  query: Readonly<Record<string, string | undefined>>,
  states: readonly State[],
): ListQuery<State> {
  const { state: asked, before: from } = query;
  const state = states.find((one) => one === asked);
  if (asked !== undefined && state === undefined) throw invalid(`state must be one of ${states.join(', ')}`);
  const before = readId(from);
  if (from !== undefined && before === undefined)
    throw invalid('before must be a positive whole number of at most 15 digits');
  return { state, before };
}

interface ListAddress {
  readonly site: Pick<Site, 'root'>;
  /** Below `/admin`. */
  readonly path: string;
}

function addressOf({ site, path }: ListAddress, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const search = new URLSearchParams(given).toString();
  return `${site.root}/admin${path}${search === '' ? '' : `?${search}`}`;
}

/** The state filter of a list, with the number of entries in each state where it is known. */
export function renderStates<State extends string>(
  list: ListAddress & {
    readonly states: readonly State[];
    readonly current: State | undefined;
    readonly counts?: Readonly<Record<State, number>>;
  },
): Markup {
  const tab = (label: string, state: State | undefined) => {
    const count =
      state === undefined || list.counts === undefined ? '' : html` <span class="number">${list.counts[state]}</span>`;
    const current = state === list.current ? html` aria-current="page"` : '';
    return html`<li><a href="${addressOf(list, { state })}"${current}>${label}${count}</a></li>`;
  };
  return html`<nav aria-label="State"><ul class="tabs">${tab('all', undefined)}${list.states.map((state) => tab(state, state))}</ul></nav>`;
}

/** One entry of a list. */
export interface Entry {
  readonly id: number;
  /** The link to its page, when it has one. */
  readonly href?: string;
  readonly badge: Markup;
  readonly time: Markup;
  /** A summary in one line. */
  readonly headline: Markup;
  /** More details, each in a block of its own. */
  readonly details?: readonly Markup[];
  readonly action?: Markup | undefined;
}

function renderEntry(noun: string, entry: Entry): Markup {
  const { id, href, badge, time, headline, details = [], action } = entry;
  const name = `${noun} ${id}`;
  return html`<li id="${noun}-${id}" class="entry">
<div class="entry-mark">${href === undefined ? html`<span>${name}</span>` : html`<a href="${href}">${name}</a>`} ${badge} <span class="muted small">${time}</span></div>
<div class="entry-body"><p>${headline}</p>${details.map((detail) => html`<div>${detail}</div>`)}</div>
${action === undefined ? '' : html`<div class="entry-action">${action}</div>`}
</li>`;
}

/** A list of entries, or `empty` when there are none. `noun` names them, such as `reply`. */
export function renderEntries(entries: readonly Entry[], { noun, empty }: { noun: string; empty: string }): Markup {
  if (entries.length === 0) return html`<p class="card muted">${empty}</p>`;
  return html`<ul class="entries card">${entries.map((entry) => renderEntry(noun, entry))}</ul>`;
}

/** The links to the next page of a list, and back to its first. */
export function renderPager(
  list: ListAddress & { readonly query: ListQuery<string>; readonly next: number | null },
): Markup {
  const { state, before } = list.query;
  if (before === undefined && list.next === null) return html``;
  const newest = html`<a class="button" href="${addressOf(list, { state })}">Newest</a>`;
  const older = html`<a class="button" href="${addressOf(list, { state, before: String(list.next) })}">Older</a>`;
  return html`<nav aria-label="Pages" class="row">${before === undefined ? '' : newest}${list.next === null ? '' : older}</nav>`;
}

/** The newest entries of a list that was read with one extra, and where the next page starts. */
export function pageOf<Item extends { readonly id: number }>(
  found: readonly Item[],
): { items: Item[]; next: number | null } {
  const items = found.slice(0, PAGE_SIZE);
  return { items, next: found.length > PAGE_SIZE ? (items.at(-1)?.id ?? null) : null };
}

/** A page's `h1`, with a sentence below it. */
export function renderHeading(title: Markup | string, lead?: Markup | string): Markup {
  return html`<div class="stack"><h1>${title}</h1>${lead === undefined ? '' : html`<p class="muted">${lead}</p>`}</div>`;
}

/** Labelled facts; facts without a value are left out. */
export function renderFacts(facts: Readonly<Record<string, Markup | string | null>>): Markup {
  const given = Object.entries(facts).filter((fact): fact is [string, Markup | string] => fact[1] !== null);
  return html`<dl class="facts card">${given.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}
