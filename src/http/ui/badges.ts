import { html } from 'hono/html';
import type { Markup } from './layout.ts';

/** The kind of a state: settled well, in progress, wrong, live, or unremarkable. */
export type Tone = 'ok' | 'wait' | 'bad' | 'live' | 'quiet';

/** A state as a small label; the color only repeats the words. */
export function renderBadge(words: string, tone: Tone = 'quiet'): Markup {
  return html`<span class="badge ${tone}">${words}</span>`;
}

const MIN_SHORTENED = 16;

/** The beginning and end of an address or a hash; short values are unchanged. */
export function shortened(value: string): string {
  return value.length < MIN_SHORTENED ? value : `${value.slice(0, 6)}…${value.slice(-4)}`;
}

/** An address or hash, shortened for display; the full value is in the title and for screen readers. */
export function renderHash(value: string): Markup {
  return html`<span class="hash" title="${value}"><span aria-hidden="true">${shortened(value)}</span><span class="unseen">${value}</span></span>`;
}

/** The day of a moment in UTC. `ms` is epoch milliseconds. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The day of a moment in UTC, for people: `26 Nov 2026`. `ms` is epoch milliseconds. */
export function dayText(ms: number): string {
  const day = new Date(ms);
  return `${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]} ${day.getUTCFullYear()}`;
}

/** A moment in UTC, to the minute. `ms` is epoch milliseconds. */
export function renderTime(ms: number): Markup {
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;
}

/** `1 gig`, `2 gigs`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
