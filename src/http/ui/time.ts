import { html } from 'hono/html';
import { type Gig, gigPhase } from '../../domain/gigs/gig.ts';
import { fromNowText, isoText, minuteText, secondText } from '../../domain/time.ts';
import type { Markup } from './layout.ts';

interface TimeLook {
  /** Epoch milliseconds: the time is shown by how far it is from now, with the exact one as its title. */
  readonly now?: number;
  /** How exact a time is shown without `now`; to the minute when absent. */
  readonly to?: 'minute' | 'second';
}

/** A time, as every page shows it: exact in UTC, or relative to now. `ms` is epoch milliseconds. */
export function renderTime(ms: number, { now, to = 'minute' }: TimeLook = {}): Markup {
  const iso = isoText(ms);
  if (!iso.endsWith('Z')) return html`<span class="muted">${iso}</span>`;
  const exact = secondText(ms);
  if (now !== undefined) return html`<time datetime="${iso}" title="${exact}">${fromNowText(ms, now)}</time>`;
  return html`<time datetime="${iso}">${to === 'second' ? exact : minuteText(ms)}</time>`;
}

/** As {@link renderTime}, or `otherwise` for null. */
export function renderTimeOr(ms: number | null, otherwise: string, look: TimeLook = {}): Markup {
  return ms === null ? html`<span class="muted">${otherwise}</span>` : renderTime(ms, look);
}

/** The next change of a gig by time, or its last one: `ends in 5 d 3 h`. */
export function renderGigTime(gig: Gig, now: number): Markup {
  const { cancelledAt, createdAt, endTime, startTime } = gig;
  switch (gigPhase(gig, now)) {
    case 'created':
      return html`created ${renderTime(createdAt, { now })}`;
    case 'cancelled':
      return html`cancelled ${renderTime(cancelledAt ?? createdAt, { now })}`;
    case 'scheduled':
      return html`starts ${renderTime(startTime, { now })}`;
    case 'live':
      return html`ends ${renderTime(endTime, { now })}`;
    case 'ended':
      return html`ended ${renderTime(endTime, { now })}`;
  }
}
