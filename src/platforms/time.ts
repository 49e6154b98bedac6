/** No supported platform is older (X's first post is of March 2006). */
const EARLIEST_MS = Date.UTC(2006, 0, 1);
const LATEST_MS = Date.UTC(2100, 0, 1);

/**
 * A time that a platform gave, in epoch milliseconds; undefined unless it is a whole number between the years 2006 and
 * 2100, because it is stored, compared and shown.
 */
export function postTime(ms: number | undefined): number | undefined {
  return ms !== undefined && Number.isInteger(ms) && ms >= EARLIEST_MS && ms < LATEST_MS ? ms : undefined;
}
