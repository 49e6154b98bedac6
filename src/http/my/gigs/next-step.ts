import { html } from 'hono/html';
import { type Gig, gigPhase, requiredFunds } from '../../../domain/gigs/gig.ts';
import { awardsUntil } from '../../../domain/gigs/gig-end.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import { renderMoneyBack } from '../../pages/gigs/gig-end.ts';
import { renderAmount } from '../../ui/amounts.ts';
import type { Markup } from '../../ui/layout.ts';
import { renderTime } from '../../ui/time.ts';

/** What is known of a gig's money. */
interface KnownMoney {
  /** Its refunds and returns; none where they are not known. */
  readonly payments?: readonly Payment[];
  /** What its wallet lacks, in base units; null where the chain was not asked or does not answer. */
  readonly missing?: bigint | null;
}

/** A sum is named as what to send only where it is known what the wallet holds. */
function renderFunding(gig: Gig, missing: bigint | null): Markup {
  const starts = gig.start === 'when_funded' && gig.startUntil !== null;
  const send =
    missing === null
      ? html`The gig’s wallet must hold exactly ${renderAmount(requiredFunds(gig), gig.token)}`
      : html`Send exactly ${renderAmount(missing, gig.token)} to the gig’s wallet`;
  return starts ? html`${send}. The gig starts within a minute.` : html`${send}. Then start the gig.`;
}

/** What the owner of a gig does next. */
export function renderNextStep(gig: Gig, now: number, { payments = [], missing = null }: KnownMoney = {}): Markup {
  const back = renderMoneyBack(payments);
  switch (gigPhase(gig, now)) {
    case 'created':
      return renderFunding(gig, missing);
    case 'scheduled':
      return html`It starts on ${renderTime(gig.startTime)}.`;
    case 'live':
      return html`It ends on ${renderTime(gig.endTime)}. You can stop it earlier.`;
    case 'cancelled':
      return html`Cancelled. ${back ?? 'The money in its wallet returns to its refund address.'}`;
    case 'ended':
      if (gig.settledAt !== null) return html`Settled. ${back ?? ''}`;
      return awardsUntil(gig) > now
        ? html`It settles automatically on ${renderTime(awardsUntil(gig))}, or settle it now.`
        : html`It settles automatically when every account is decided.`;
  }
}
