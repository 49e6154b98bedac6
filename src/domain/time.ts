export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/**
 * Whether `ms` have passed since a stored time. True for a time in the future, which was stored before the clock was
 * set back: its age is unknown, so the wait ends.
 */
export function hasPassed(ms: number, { since, now }: { since: number; now: number }): boolean {
  return now - since >= ms || now < since;
}

/** A time (epoch milliseconds) as ISO 8601; a note for a number that is no time, so that one row breaks no list. */
export function isoText(ms: number): string {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? `no time: ${ms}` : time.toISOString();
}

/** A time (epoch milliseconds) to the minute, in UTC: `2026-11-22 09:30 UTC`. */
export function minuteText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** How long something lasts, in whole seconds up to two minutes, then in whole minutes: `90 s`, `120 minutes`. */
export function durationText(ms: number): string {
  return ms <= 120_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} minutes`;
}
