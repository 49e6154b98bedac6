export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** No clock that is right is before it: 2026-01-01T00:00:00Z in epoch milliseconds. */
export const EARLIEST_MS = Date.UTC(2026, 0, 1);

/** Why the service does not start by this clock (epoch milliseconds); null when it may. */
export function clockProblem(now: number): string | null {
  if (now >= EARLIEST_MS) return null;
  return `The clock of this machine says ${isoText(now)}, which is before 2026. Set it, then start again.`;
}

/**
 * Whether `ms` have passed since a stored time. True for a time in the future, which was stored before the clock was
 * set back: its age is unknown, so the wait ends.
 */
export function hasPassed(ms: number, { since, now }: { since: number; now: number }): boolean {
  return now - since >= ms || now < since;
}

/**
 * The wait that a `Retry-After` asks for, milliseconds: it is in seconds or an HTTP date (RFC 9110, 10.2.3). Undefined for anything else,
 * and for a date when `now` is no time.
 */
export function retryAfter(text: string, now: number): number | undefined {
  const value = text.trim();
  if (/^[0-9]+(\.[0-9]+)?$/.test(value)) return Number(value) * 1_000;
  const delay = value === '' ? Number.NaN : Date.parse(value) - now;
  return Number.isNaN(delay) ? undefined : delay;
}

export interface ShownTime {
  /**
   * The latest time that the clock has shown, epoch milliseconds, so that what is over stays over when it is set back. A step
   * of more than a day ends that: the clock was probably wrong before it.
   */
  latest(): number;
}

/** A time (epoch milliseconds) as ISO 8601, null as null; a note for a number that is no time, so that one row breaks no list. */
export function isoText(ms: number): string;
export function isoText(ms: number | null): string | null;
export function isoText(ms: number | null): string | null {
  if (ms === null) return null;
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? `no time: ${ms}` : time.toISOString();
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The day of a time (epoch milliseconds) in UTC, for people: `26 Nov 2026`. */
export function dayText(ms: number): string {
  const day = new Date(ms);
  return `${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]} ${day.getUTCFullYear()}`;
}

/** A time (epoch milliseconds) to the minute in UTC, for people: `26 Nov 2026, 09:30 UTC`. */
export function minuteText(ms: number): string {
  return `${dayText(ms)}, ${isoText(ms).slice(11, 16)} UTC`;
}

/** As {@link minuteText}, to the second. */
export function secondText(ms: number): string {
  return `${dayText(ms)}, ${isoText(ms).slice(11, 19)} UTC`;
}

/** How long something lasts, in its two largest units: `5 d 3 h`, `3 h 20 min`, `20 min`. */
function spanText(ms: number): string {
  const [days, hours, minutes] = [ms / DAY_MS, (ms % DAY_MS) / HOUR_MS, (ms % HOUR_MS) / MINUTE_MS].map(Math.floor);
  const parts = days
    ? [
        [days, 'd'],
        [hours, 'h'],
      ]
    : [
        [hours, 'h'],
        [minutes, 'min'],
      ];
  return parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}`])).join(' ');
}

/** A time that is further away is named by its day. */
const NEAR_MS = 60 * DAY_MS;

/** How far a time is from now (both epoch milliseconds): `in 5 d 3 h`, `20 min ago`, `just now`; its day when it is far away. */
export function fromNowText(ms: number, now: number): string {
  const away = Math.abs(ms - now);
  if (away >= NEAR_MS) return dayText(ms);
  if (away < MINUTE_MS) return ms > now ? 'in less than a minute' : 'just now';
  return ms > now ? `in ${spanText(away)}` : `${spanText(away)} ago`;
}

/** How long something lasts, in whole seconds up to two minutes, then in whole minutes: `90 s`, `120 minutes`. */
export function durationText(ms: number): string {
  return ms <= 120_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} minutes`;
}
