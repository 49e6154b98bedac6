import { html } from 'hono/html';
import { invalidRequest } from '../../domain/errors.ts';
import { renderFormToken } from '../ui/form.ts';
import type { Markup } from '../ui/layout.ts';
import type { OperatorVisit } from './context.ts';
import { type AdminView, pathOf, type Section } from './view.ts';

/** How many entries a page of a list has. */
export const PAGE_SIZE = 50;

/** The state filter and the position of a list. */
export interface ListQuery<State extends string> {
  /** All when absent. */
  readonly state: State | undefined;
  /** Only entries with a smaller id. */
  readonly before: number | undefined;
  /** The filters of the list, in display order. */
  readonly states: readonly State[];
}

/** Parses an id from a URL; undefined when it is invalid. */
export function readId(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : undefined;
}

/** The id in the path of a request. The routes accept only digits; a number that is too long for an id matches no row. */
export function idOf({ c }: OperatorVisit): number {
  return readId(c.req.param('id')) ?? 0;
}

/** The query of the newest entries of a list in all states. */
export const NEWEST: ListQuery<never> = { state: undefined, before: undefined, states: [] };

/** The `before` of a list's query. @throws DomainError `invalid_request` for an invalid id */
export function readBefore(text: string | undefined): number | undefined {
  const before = readId(text);
  if (text === undefined || before !== undefined) return before;
  throw invalidRequest('before must be a positive whole number of at most 15 digits');
}

/** Parses a list's query. @throws DomainError `invalid_request` for an unknown state or an invalid id */
export function readListQuery<State extends string>({ c }: OperatorVisit, states: readonly State[]): ListQuery<State> {
  const { state: asked, before } = c.req.query();
  const state = states.find((one) => one === asked);
  if (asked !== undefined && state === undefined) throw invalidRequest(`state must be one of ${states.join(', ')}`);
  return { state, before: readBefore(before), states };
}

interface ListPage<State extends string> {
  readonly section: Section;
  /** Its path, when that is not the section's. */
  readonly path?: string;
  /** Its title, when that is not the section's. */
  readonly title?: string;
  /** What its entries are, in a sentence or two. */
  readonly lead: string;
  /** Names one entry, such as `reply`. */
  readonly noun: string;
  readonly entries: readonly Entry[];
  /** Shown instead of entries; without it, that there are none in this state. */
  readonly empty?: string | undefined;
  readonly query: ListQuery<State>;
  /** Where the next page starts; null on the last one. */
  readonly next: number | null;
  /** What a state is called; by its own name when absent. */
  readonly nameState?: (state: State) => string;
  readonly counts?: Readonly<Record<State, number>>;
}

/** The URL of a list with this state and position. */
type AddressOf = (query: { readonly state: string | undefined; readonly before?: string }) => string;

function addressesOf({ deps: { site } }: OperatorVisit, path: string): AddressOf {
  return ({ state, before }) => {
    const given = { ...(state === undefined ? {} : { state }), ...(before === undefined ? {} : { before }) };
    const search = new URLSearchParams(given).toString();
    return `${site.root}${path}${search === '' ? '' : `?${search}`}`;
  };
}

function renderStates<State extends string>(list: ListPage<State>, addressOf: AddressOf): Markup {
  const { nameState = String, query, counts } = list;
  const tab = (label: string, state: State | undefined) => {
    const count =
      state === undefined || counts === undefined ? '' : html` <span class="number">${counts[state]}</span>`;
    const current = state === query.state ? html` aria-current="page"` : '';
    return html`<li><a href="${addressOf({ state })}"${current}>${label}${count}</a></li>`;
  };
  return html`<nav aria-label="State"><ul class="tabs">${tab('all', undefined)}${query.states.map((state) => tab(nameState(state), state))}</ul></nav>`;
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

function renderPager<State extends string>({ query, next }: ListPage<State>, addressOf: AddressOf): Markup {
  const { state, before } = query;
  if (before === undefined && next === null) return html``;
  const newest = html`<a class="button" href="${addressOf({ state })}">Newest</a>`;
  const older = html`<a class="button" href="${addressOf({ state, before: String(next) })}">Older</a>`;
  return html`<nav aria-label="Pages" class="row">${before === undefined ? '' : newest}${next === null ? '' : older}</nav>`;
}

/** Reads a page of a list, newest first, and where the next one starts; null on the last one. */
export async function readPage<Item extends { readonly id: number }, State extends string>(
  query: ListQuery<State>,
  read: (query: {
    readonly state: State | undefined;
    readonly before: number | undefined;
    readonly limit: number;
  }) => Promise<readonly Item[]>,
): Promise<{ query: ListQuery<State>; items: Item[]; next: number | null }> {
  // One more than is shown says whether there is a next page.
  const found = await read({ state: query.state, before: query.before, limit: PAGE_SIZE + 1 });
  const items = found.slice(0, PAGE_SIZE);
  return { query, items, next: found.length > PAGE_SIZE ? (items.at(-1)?.id ?? null) : null };
}

/** A page's `h1`, with a sentence below it. */
export function renderHeading(title: Markup | string, lead?: Markup | string): Markup {
  return html`<div class="stack"><h1>${title}</h1>${lead === undefined ? '' : html`<p class="muted">${lead}</p>`}</div>`;
}

/** A page of a list, with its filter above and the links to other pages below. */
export function viewList<State extends string>(visit: OperatorVisit, list: ListPage<State>): AdminView {
  const { section, path = pathOf(section), title = section, lead, noun, entries, query, nameState = String } = list;
  const addressOf = addressesOf(visit, path);
  const all = section.toLowerCase();
  const { empty = query.state === undefined ? `No ${all}.` : `No ${all} are ${nameState(query.state)}.` } = list;
  return {
    title,
    section,
    body: html`${renderHeading(title, lead)}
${query.states.length === 0 ? '' : renderStates(list, addressOf)}
${renderEntries(entries, { noun, empty })}
${renderPager(list, addressOf)}`,
  };
}

/** Labelled facts; facts without a value are left out. */
export function renderFacts(facts: Readonly<Record<string, Markup | string | null>>): Markup {
  const given = Object.entries(facts).filter((fact): fact is [string, Markup | string] => fact[1] !== null);
  return html`<dl class="facts card">${given.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/** A button for one action on one entry; `said` names both for screen readers. */
export function renderAction(
  { deps: { site }, session }: OperatorVisit,
  action: { path: string; label: string; said: string },
): Markup {
  return html`<form method="post" action="${site.root}/admin${action.path}">${renderFormToken(session)}<button class="slim" aria-label="${action.said}">${action.label}</button></form>`;
}
