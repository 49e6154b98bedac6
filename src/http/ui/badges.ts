import { html } from 'hono/html';
import type { Markup } from './layout.ts';

/** What a state is like: settled well, under way, wrong, running now, or nothing to notice. */
export type Tone = 'ok' | 'wait' | 'bad' | 'live' | 'quiet';

/** A state as a small label; its words say everything, the colour repeats them. */
export function renderBadge(words: string, tone: Tone = 'quiet'): Markup {
  return html`<span class="badge ${tone}">${words}</span>`;
}

const MIN_SHORTENED = 16;

/** An address or a hash in few characters: its beginning and its end. Whatever is short already stays as it is. */
export function shortened(value: string): string {
  return value.length < MIN_SHORTENED ? value : `${value.slice(0, 6)}…${value.slice(-4)}`;
}

/** An address or hash, shortened for the eye; the whole of it is in the title, and read out by a screen reader. */
export function renderHash(value: string): Markup {
  return html`<span class="hash" title="${value}"><span aria-hidden="true">${shortened(value)}</span><span class="unseen">${value}</span></span>`;
}

/** The day of a moment in UTC. `ms` is epoch milliseconds. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
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
