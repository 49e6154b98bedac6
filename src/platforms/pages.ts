import { AdapterError } from '../domain/errors.ts';
import { badAnswer, type Call } from './failure.ts';

/** Where a list goes on; null when an answer names no other page than the one that was asked for. */
export function nextCursor(given: string | null | undefined, asked: string | null): string | null {
  return given === undefined || given === '' || given === asked ? null : given;
}

export interface PagedList<Page> {
  /** For the error about a list that does not end. */
  readonly call: Call;
  /** More pages than these are an error. */
  readonly most: number;
  /** Reads a page; the first one without a cursor. */
  read(cursor: string | null): Promise<Page>;
  /** The cursor that a page names. */
  next(page: Page): string | null | undefined;
}

export interface PageWalk<Page> {
  /**
   * The next page; null after the last one. After a failure it reads the same page again.
   * @throws AdapterError `bad_response` when there are more pages than the list may have
   */
  next(): Promise<Page | null>;
  /** Whether the last page was read. */
  isOver(): boolean;
}

/** Walks through a list. A cursor that is empty, absent or the one that was sent ends it. */
export function walkPages<Page>({ call, most, read, next }: PagedList<Page>): PageWalk<Page> {
  let cursor: string | null = null;
  let pages = 0;
  let isOver = false;
  return {
    async next() {
      if (isOver) return null;
      if (pages >= most) throw badAnswer(call, `it has more than ${most} pages`);
      const page = await read(cursor);
      pages += 1;
      const following = nextCursor(next(page), cursor);
      isOver = following === null;
      cursor = following;
      return page;
    },
    isOver: () => isOver,
  };
}

/** All items of a list. @throws AdapterError as {@link PageWalk.next} */
export async function readAll<Page, Item>(list: PagedList<Page>, itemsOf: (page: Page) => readonly Item[]) {
  const walk = walkPages(list);
  const items: Item[] = [];
  for (let page = await walk.next(); page !== null; page = await walk.next()) items.push(...itemsOf(page));
  return items;
}

/**
 * Takes each page of a list, until `take` returns true. A failure after the first page, and a list that does not end, is
 * returned: what was taken counts. Returns null when nothing failed.
 * @throws AdapterError when the first page fails
 */
export async function readPages<Page>(
  list: PagedList<Page>,
  take: (page: Page) => boolean,
): Promise<AdapterError | null> {
  const walk = walkPages(list);
  for (let isFirst = true; ; isFirst = false) {
    let page: Page | null;
    try {
      page = await walk.next();
    } catch (error) {
      if (isFirst || !(error instanceof AdapterError)) throw error;
      return error;
    }
    if (page === null || take(page)) return null;
  }
}
