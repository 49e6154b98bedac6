import { html } from 'hono/html';
import { type Gig, gigPhase } from '../../../domain/gigs/gig.ts';
import { awardsUntil } from '../../../domain/gigs/gig-end.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import { renderMoneyBack } from '../../pages/gigs/gig-end.ts';
import type { Markup } from '../../ui/layout.ts';
import { renderTime } from '../../ui/time.ts';

/**
 * What the owner of a gig does next.
 * @param payments its refunds and returns, where they are known
 */
export function renderNextStep(gig: Gig, now: number, payments: readonly Payment[] = []): Markup {
  const back = renderMoneyBack(payments, now);
  switch (gigPhase(gig, now)) {
    case 'created':
      return gig.start === 'when_funded' && gig.startUntil !== null
        ? html`Fund its wallet with exactly what it needs: within a minute it starts by itself.`
        : html`Fund its wallet with exactly what it needs, then start it.`;
    case 'scheduled':
      return html`Nothing to do: it starts at ${renderTime(gig.startTime)}.`;
    case 'live':
      return html`It ends at ${renderTime(gig.endTime)}. You can stop it before.`;
    case 'cancelled':
      if (back !== null) return html`Cancelled. ${back}`;
      return html`Nothing to do: the money in its wallet returns to its refund address.`;
    case 'ended':
      if (back !== null) return html`Settled. ${back}`;
      if (gig.settledAt !== null) return html`Nothing to do: it is settled.`;
      return html`Settle it, or wait: it settles by itself after ${renderTime(awardsUntil(gig))}.`;
  }
}
