import { html } from 'hono/html';
import type { Markup, Root } from '../ui/layout.ts';
import type { PriceView } from '../worth.ts';
import type { ListQuery } from './list-query.ts';
import { renderSums, type Sums } from './sums.ts';

/** What stands around the entries of a list. */
export interface ListFrame<State extends string> {
  /** Its path below the root. */
  readonly path: string;
  readonly query: ListQuery<State>;
  /** Beyond which id the next page begins; null on the last one. */
  readonly next: number | null;
  /** What the times are of by which it is ordered, such as `Received`; absent: it has one order, and no days to choose. */
  readonly orderedBy?: string;
  /** Whether days can be chosen; with `orderedBy` they can when absent. */
  readonly hasDays?: boolean;
  /** What a state is called; by its own name when absent. */
  readonly nameState?: (state: State) => string;
  /** What all of them are called; `all` when absent. */
  readonly allName?: string;
  readonly counts?: Readonly<Record<State, number>>;
}

type Asked = Partial<ListQuery<string>>;

/** The URL of a list with this query. */
function addressOf({ root }: Root, path: string, { state, from, to, isOldestFirst, position }: Asked): string {
  const order = isOldestFirst ? ({ sort: 'oldest', after: position } as const) : { before: position };
  const given = Object.entries({ state, from, to, ...order });
  const known = given.flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const search = new URLSearchParams(known).toString();
  return `${root}${path}${search === '' ? '' : `?${search}`}`;
}

function renderStates<State extends string>(root: Root, list: ListFrame<State>): Markup {
  const { allName = 'all', nameState = String, query, counts, path } = list;
  if (query.states.length === 0) return html``;
  const tab = (label: string, state: State | undefined) => {
    const count =
      state === undefined || counts === undefined ? '' : html` <span class="number">${counts[state]}</span>`;
    const current = state === query.state ? html` aria-current="page"` : '';
    const address = addressOf(root, path, { ...query, state, position: undefined });
    return html`<li><a href="${address}"${current}>${label}${count}</a></li>`;
  };
  return html`<nav aria-label="State"><ul class="tabs">${tab(allName, undefined)}${query.states.map((state) => tab(nameState(state), state))}</ul></nav>`;
}

/** The days of what is shown. */
function renderDays<State extends string>(root: Root, { orderedBy, path, query }: ListFrame<State>): Markup {
  const { from = '', to = '', state, isOldestFirst } = query;
  const kept = { state, sort: isOldestFirst ? 'oldest' : undefined };
  const hidden = Object.entries(kept).map(([name, value]) =>
    value === undefined ? '' : html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const all = addressOf(root, path, { state, isOldestFirst: isOldestFirst ?? false });
  return html`<form class="days" method="get" action="${root.root}${path}">${hidden}
<div><label for="from">${orderedBy} from</label><input id="from" type="date" name="from" value="${from}"></div>
<div><label for="to">to, UTC</label><input id="to" type="date" name="to" value="${to}"></div>
<button>Show</button>${from === '' && to === '' ? '' : html` <a class="button" href="${all}">All days</a>`}
</form>`;
}

/** The filters above a list: its states and days. */
function renderFilters<State extends string>(root: Root, list: ListFrame<State>): Markup {
  const { orderedBy, hasDays = orderedBy !== undefined } = list;
  if (!hasDays && list.query.states.length === 0) return html``;
  return html`<div class="stack">${renderStates(root, list)}${hasDays ? renderDays(root, list) : ''}</div>`;
}

/** The heading above a list: by what it is ordered, as a link that turns the order around. */
function renderOrder<State extends string>(root: Root, { orderedBy, path, query }: ListFrame<State>): Markup {
  const isOldestFirst = query.isOldestFirst ?? false;
  const turned = addressOf(root, path, { ...query, isOldestFirst: !isOldestFirst, position: undefined });
  const [arrow, order, other] = isOldestFirst ? ['↑', 'oldest', 'newest'] : ['↓', 'newest', 'oldest'];
  return html`<p class="list-head"><a href="${turned}" title="Show the ${other} first">${orderedBy} <span aria-hidden="true">${arrow}</span><span class="unseen">, ${order} first. Show the ${other} first.</span></a></p>`;
}

/** The links to other pages of a list. */
function renderPager<State extends string>(root: Root, { path, query, next }: ListFrame<State>): Markup {
  if (query.position === undefined && next === null) return html``;
  const to = (position: number | undefined) => addressOf(root, path, { ...query, position });
  const [first, more] = query.isOldestFirst ? ['Oldest', 'Newer'] : ['Newest', 'Older'];
  return html`<nav aria-label="Pages" class="row">${query.position === undefined ? '' : html`<a class="button" href="${to(undefined)}">${first}</a>`}${next === null ? '' : html`<a class="button" href="${to(next)}">${more}</a>`}</nav>`;
}

/** One entry of a list. */
export interface Entry {
  readonly id: number;
  /** What it is called; its noun and its id when absent. */
  readonly name?: Markup;
  /** The link to its page, when it has one and its name is no link. */
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
  const { id, href, badge, time, headline, details = [], action, name = html`${noun} ${id}` } = entry;
  return html`<li id="${noun}-${id}" class="entry">
<div class="entry-mark">${href === undefined ? html`<span>${name}</span>` : html`<a href="${href}">${name}</a>`} ${badge} <span class="muted small">${time}</span></div>
<div class="entry-body"><p>${headline}</p>${details.map((detail) => html`<div>${detail}</div>`)}</div>
${action === undefined ? '' : html`<div class="entry-action">${action}</div>`}
</li>`;
}

/** Entries, or `empty` when there are none. `noun` names them, such as `reply`. */
export function renderEntries(entries: readonly Entry[], { noun, empty }: { noun: string; empty: string }): Markup {
  if (entries.length === 0) return html`<p class="card muted">${empty}</p>`;
  return html`<ul class="entries card">${entries.map((entry) => renderEntry(noun, entry))}</ul>`;
}

/** A list of entries. */
export interface EntryList<State extends string> extends ListFrame<State> {
  /** Names one entry, such as `reply`. */
  readonly noun: string;
  readonly entries: readonly Entry[];
  /** Shown instead of entries. */
  readonly empty: string;
  /** Absent for what is not counted in tokens. */
  readonly sums?: Sums;
}

/** A list: filters above its rows, sums and the links to other pages below. */
export function renderListed<State extends string>(
  root: Root & PriceView,
  list: ListFrame<State>,
  { count, rows, sums }: { readonly count: number; readonly rows: Markup; readonly sums?: Sums | undefined },
): Markup {
  const isOrdered = list.orderedBy !== undefined && count > 0;
  const isBare = count === 0 && list.next === null && isUnfiltered(list.query);
  return html`${renderFilters(root, isBare ? { ...list, hasDays: false } : list)}
<div class="listed">${isOrdered ? renderOrder(root, list) : ''}
${rows}
${sums === undefined || count === 0 ? '' : renderSums(sums, root)}</div>
${renderPager(root, list)}`;
}

/** A whole list of entries. */
export function renderList<State extends string>(root: Root & PriceView, list: EntryList<State>): Markup {
  const { entries, sums } = list;
  return renderListed(root, list, { count: entries.length, rows: renderEntries(entries, list), sums });
}

/** Whether a list is of all states and days. */
export function isUnfiltered({ state, from, to }: ListQuery<string>): boolean {
  return state === undefined && from === undefined && to === undefined;
}
