/**
 * Whether so many milliseconds have passed since a time that was kept. A time that lies in the future was kept before the
 * clock was set back: how long ago that was is not known, so the wait is over.
 */
export function hasPassed(ms: number, { since, now }: { since: number; now: number }): boolean {
  return now - since >= ms || now < since;
}
