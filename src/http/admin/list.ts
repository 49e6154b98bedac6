import { html } from 'hono/html';
import type { DatedList, IdSpan } from '../../domain/id-span.ts';
import { type EntryList, isUnfiltered, renderList } from '../frame/list.ts';
import { type ListQuery, readId, spanOf } from '../frame/list-query.ts';
import { renderFormToken } from '../ui/form.ts';
import type { Markup } from '../ui/layout.ts';
import type { OperatorVisit } from './context.ts';
import { type AdminView, pathOf, type Section } from './view.ts';

/** The id in the path of a request. The routes accept only digits; a number that is too long for an id matches no row. */
export function idOf({ c }: OperatorVisit): number {
  return readId(c.req.param('id')) ?? 0;
}

/** What the days of a query leave of a list of the store. */
export async function spanOfList(
  { deps: { store } }: OperatorVisit,
  list: DatedList,
  query: ListQuery<string>,
): Promise<IdSpan> {
  return await spanOf(query, (at) => store.idSince(list, at));
}

interface ListPage<State extends string> extends Omit<EntryList<State>, 'path' | 'empty'> {
  readonly section: Section;
  /** Its path, when that is not the section's. */
  readonly path?: string;
  /** Its title, when that is not the section's. */
  readonly title?: string;
  /** What its entries are, in a sentence or two. */
  readonly lead: string;
  /** Shown instead of entries; without it, that there are none in this state. */
  readonly empty?: string | undefined;
}

function noneOf<State extends string>({ section, query, nameState = String }: ListPage<State>): string {
  const all = section.toLowerCase();
  const { state } = query;
  if (isUnfiltered(query)) return `No ${all}.`;
  const inState = state === undefined ? `No ${all}` : `No ${all} are ${nameState(state)}`;
  return query.from === undefined && query.to === undefined ? `${inState}.` : `${inState} in these days.`;
}

/** A page's `h1`, with a sentence below it. */
export function renderHeading(title: Markup | string, lead?: Markup | string): Markup {
  return html`<div class="stack"><h1>${title}</h1>${lead === undefined ? '' : html`<p class="muted">${lead}</p>`}</div>`;
}

/** A page of a list, with its filters above and the links to other pages below. */
export function viewList<State extends string>({ deps: { site } }: OperatorVisit, list: ListPage<State>): AdminView {
  const { section, path = pathOf(section), title = section, lead, empty = noneOf(list) } = list;
  return {
    title,
    section,
    body: html`${renderHeading(title, lead)}
${renderList(site, { ...list, path, empty })}`,
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
