import { z } from 'zod';
import type { Faults } from './faults.ts';

/** Where a page begins: after the item of this time and id, or at the beginning; `wait-` when an empty page came before. */
const CURSOR = /^(?:wait-)?(?:begin|([0-9]+)\.([0-9a-zA-Z]+))$/;
const BEGIN = 'begin';

/** An item of a list. */
export interface Listed {
  /** Unique in its list. */
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
}

export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export type Order = 'newest' | 'oldest';

/** A list's query: its largest and its usual page. */
export const pageQuery = (largest: number, usual: number) => ({
  limit: z.coerce.number().int().min(1).max(largest).default(usual),
  cursor: z.string().regex(CURSOR).optional(),
});

/** By the time that senders claim; of one time, the later arrival is the newer. `items` are in the order of arrival. */
function sort<T extends Listed>(items: readonly T[], order: Order): T[] {
  const oldestFirst = [...items].sort((a, b) => a.at - b.at);
  return order === 'oldest' ? oldestFirst : oldestFirst.reverse();
}

/** The place after the item that a cursor names or, when that was deleted, the first of its time. */
function findStart<T extends Listed>(sorted: readonly T[], cursor: string | undefined, order: Order): number {
  const [, time, id] = CURSOR.exec(cursor ?? '') ?? [];
  if (time === undefined) return 0;
  const named = sorted.findIndex((item) => item.id === id);
  if (named !== -1) return named + 1;
  const near = sorted.findIndex(({ at }) => (order === 'oldest' ? at >= Number(time) : at <= Number(time)));
  return near === -1 ? sorted.length : near;
}

/** Cuts a page out of a list. What comes or goes between two pages neither repeats nor hides another item. */
export function cutPage<T extends Listed>(
  items: readonly T[],
  { limit, cursor }: PageQuery,
  { order, faults }: { order: Order; faults: Faults },
): { items: T[]; next: { cursor: string | null } } {
  if (faults.answers === 'empty_page' && !cursor?.startsWith('wait-')) {
    return { items: [], next: { cursor: `wait-${cursor ?? BEGIN}` } };
  }
  const sorted = sort(items, order);
  const start = findStart(sorted, cursor, order);
  const page = sorted.slice(start, start + limit);
  const last = page.at(-1);
  const following = last === undefined || start + limit >= sorted.length ? null : `${last.at}.${last.id}`;
  return { items: page, next: { cursor: faults.answers === 'looping_cursor' ? (cursor ?? BEGIN) : following } };
}
