/** Rows of a list by their ids: from one on, and below another. */
export interface IdSpan {
  readonly from: number;
  readonly below: number;
}

/** All rows of a list. */
export const ALL_IDS: IdSpan = { from: 0, below: Number.MAX_SAFE_INTEGER };

/** Whether an id is in a span. */
export function isWithin(id: number, { from, below }: IdSpan): boolean {
  return id >= from && id < below;
}

/** A list whose rows come in the order of their ids, so that a time has a place among them. */
export type DatedList = 'auditEvents' | 'claims' | 'gigs' | 'mentions' | 'payments' | 'replies';
