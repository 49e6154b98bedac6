import { html } from 'hono/html';
import type { Obstacle } from '../../domain/claim.ts';
import type { Tip } from '../../domain/tip.ts';
import { renderBadge } from '../ui/badges.ts';
import type { Markup } from '../ui/layout.ts';

/** The obstacle to a payment, as a badge. */
export function renderObstacle(obstacle: Obstacle): Markup {
  return renderBadge({ gig_frozen: 'Frozen', gas_tank_empty: 'Waiting' }[obstacle], 'wait');
}

/** How many gigs are named; the others are counted. */
const MAX_GIGS = 10;

/** The text about frozen gigs, as in the bot's replies; the reasons are only for the operator. */
export function renderFrozen(gigIds: readonly number[]): Markup {
  const more = gigIds.length - MAX_GIGS;
  const named = [...gigIds.slice(0, MAX_GIGS), ...(more > 0 ? [`+${more} more`] : [])];
  const gigs = `${gigIds.length === 1 ? 'gig' : 'gigs'} ${named.join(', ')}`;
  return html`<p class="notice wait">The operator has frozen the payments of ${gigs} for now. Nothing is lost.</p>`;
}

/** The text about held tips, as in the bot's replies; nothing when there are none. */
export function renderHeld(tips: readonly Tip[], held: ReadonlyMap<number, Obstacle>): Markup {
  const frozen = new Set(tips.flatMap(({ id, gigId }) => (held.get(id) === 'gig_frozen' ? [gigId] : [])));
  const isDry = tips.some(({ id }) => held.get(id) === 'gas_tank_empty');
  return html`${frozen.size === 0 ? '' : renderFrozen([...frozen])}${
    isDry ? html`<p class="notice wait">Waiting until the operator refills the gas tank. Nothing is lost.</p>` : ''
  }`;
}
