import { setImmediate } from 'node:timers/promises';
import { type IdSpan, isWithin } from '../domain/id-span.ts';
import type { TwoWayPage } from '../store/port/index.ts';

/** Otherwise a filter that few rows pass would read the whole list. */
const MAX_LOOKED_AT = 500;

/** A list that an index has in the order of its places, and not by what it is filtered by. */
interface FilteredList<Row, Item> {
  read(page: TwoWayPage): Promise<readonly Row[]>;
  placeOf(row: Row): number;
  /** What is shown of a row; null for one that does not pass the filter. */
  pick(row: Row): Item | null;
}

/**
 * A page of the rows in a span that pass a filter, and the `before` or `after` of the next page, or null on the last one. It may
 * have few rows, and still have a next: about 500 are looked at.
 */
export async function pageOfFiltered<Row, Item>(
  { limit, before, after, span }: TwoWayPage & { readonly span: IdSpan },
  { read, placeOf, pick }: FilteredList<Row, Item>,
): Promise<{ items: Item[]; next: number | null }> {
  const atOnce = limit + 1;
  const items: Item[] = [];
  let last: number | undefined;
  for (let looked = 0; looked < MAX_LOOKED_AT; looked += atOnce) {
    const place = after === undefined ? { before: last ?? before } : { after: last ?? after };
    const rows = (await read({ ...place, limit: atOnce })).filter((row) => isWithin(placeOf(row), span));
    for (const row of rows) {
      if (items.length === limit) return { items, next: last ?? null };
      last = placeOf(row);
      const item = pick(row);
      if (item !== null) items.push(item);
    }
    if (rows.length < atOnce) return { items, next: null };
    // A large gap of rows that do not pass delays nothing else.
    await setImmediate();
  }
  return { items, next: last ?? null };
}
