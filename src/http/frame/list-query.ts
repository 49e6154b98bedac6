import type { Context } from 'hono';
import { invalidRequest } from '../../domain/errors.ts';
import { ALL_IDS, type IdSpan, isWithin } from '../../domain/id-span.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { AppEnv } from '../middleware/context.ts';

/** How many entries a page of a list has. */
export const PAGE_SIZE = 50;

/** What a list is filtered by, where its page begins, and in which order it is. */
export interface ListQuery<State extends string> {
  /** All when absent. */
  readonly state: State | undefined;
  /** The filters of the list, in display order. */
  readonly states: readonly State[];
  /** The first and the last day (`2026-11-26`, in UTC) of what is shown; all when absent. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Whether the oldest are shown first. */
  readonly isOldestFirst?: boolean;
  /** Only entries beyond this id, in the order of the list. */
  readonly position: number | undefined;
}

/** Parses an id from a URL; undefined when it is invalid. */
export function readId(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : undefined;
}

/** The query of the newest entries of a list in all states. */
export const NEWEST: ListQuery<never> = { state: undefined, position: undefined, states: [] };

/** A position from a URL. @throws DomainError `invalid_request` for an invalid id */
export function readPosition(name: 'before' | 'after', text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^(0|[1-9][0-9]{0,15})$/.test(text)) return Number(text);
  throw invalidRequest(`${name} must be a whole number of at most 16 digits`);
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** A form sends a field without a day as an empty text. */
function readDay(name: string, text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  const isDay = DAY.test(text) && new Date(text).toJSON()?.slice(0, 10) === text;
  if (isDay) return text;
  throw invalidRequest(`${name} must be a day such as 2026-11-26`);
}

/** Parses a list's query. @throws DomainError `invalid_request` for an unknown state, an invalid day or id */
export function readListQuery<State extends string>(
  { c }: { readonly c: Context<AppEnv> },
  states: readonly State[],
): ListQuery<State> {
  const { after, before, from, sort, state: asked, to } = c.req.query();
  const state = states.find((one) => one === asked);
  if (asked !== undefined && state === undefined) throw invalidRequest(`state must be one of ${states.join(', ')}`);
  if (sort !== undefined && sort !== 'oldest') throw invalidRequest('sort must be oldest, or absent');
  const isOldestFirst = sort === 'oldest';
  return {
    state,
    states,
    from: readDay('from', from),
    to: readDay('to', to),
    isOldestFirst,
    position: isOldestFirst ? readPosition('after', after) : readPosition('before', before),
  };
}

/**
 * The rows of a list that came in the days of a query.
 * @param idSince finds the id from which on the list's rows came at or after a time
 */
export async function spanOf(
  { from, to }: ListQuery<string>,
  idSince: (at: number) => Promise<number>,
): Promise<IdSpan> {
  return {
    from: from === undefined ? ALL_IDS.from : await idSince(Date.parse(from)),
    below: to === undefined ? ALL_IDS.below : await idSince(Date.parse(to) + DAY_MS),
  };
}

/** How the store is asked for a page. */
export interface PageToRead {
  readonly before?: number;
  readonly after?: number;
  readonly limit: number;
}

/** The page of a query, in a span of the list. */
export function pageToRead({ isOldestFirst, position }: ListQuery<string>, { from, below } = ALL_IDS): PageToRead {
  // One more than is shown says whether there is a next page.
  const limit = PAGE_SIZE + 1;
  if (isOldestFirst) return { limit, after: Math.max(position ?? -1, from - 1) };
  return { limit, before: Math.min(position ?? below, below) };
}

/** A page of a list. */
export interface ReadPage<Item, State extends string> {
  readonly query: ListQuery<State>;
  readonly items: readonly Item[];
  /** Beyond which id the next page begins; null on the last one. */
  readonly next: number | null;
}

/** Reads a page of a list in its order. */
export async function readPage<Item extends { readonly id: number }, State extends string>(
  query: ListQuery<State>,
  read: (query: PageToRead & { readonly state: State | undefined }) => Promise<readonly Item[]>,
  span: IdSpan = ALL_IDS,
): Promise<ReadPage<Item, State>> {
  const found = await read({ state: query.state, ...pageToRead(query, span) });
  const within = found.filter(({ id }) => isWithin(id, span));
  const items = within.slice(0, PAGE_SIZE);
  return { query, items, next: within.length > PAGE_SIZE ? (items.at(-1)?.id ?? null) : null };
}
