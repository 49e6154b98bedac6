/** How often a path was asked, and for how much: the size of its pages, or how many users. */
export interface Usage {
  readonly calls: number;
  readonly units: number;
}

/**
 * What Neynar bills, in credits, by its table (docs.neynar.com/reference/compute-units): for each user or each place of a
 * page, filled or not. An estimate: copies of the table differ, and the dearest is taken.
 */
const CREDITS: Readonly<Record<string, number>> = { '/reactions/cast': 2, '/user/bulk': 2, '/cast': 4 };
/** Of each event that is delivered. */
export const DELIVERY_CREDITS = 100;

/** The calls of all paths. */
export function callsOf(usage: ReadonlyMap<string, Usage>): number {
  return [...usage.values()].reduce((sum, { calls }) => sum + calls, 0);
}

/** An estimate of what they cost, without deliveries. */
export function creditsOf(usage: ReadonlyMap<string, Usage>): number {
  return [...usage].reduce((sum, [path, { units }]) => sum + (CREDITS[path] ?? 0) * units, 0);
}
