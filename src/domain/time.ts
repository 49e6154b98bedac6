/**
 * Whether `ms` have passed since a stored time. True for a time in the future, which was stored before the clock was
 * set back: its age is unknown, so the wait ends.
 */
export function hasPassed(ms: number, { since, now }: { since: number; now: number }): boolean {
  return now - since >= ms || now < since;
}
