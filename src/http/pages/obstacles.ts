import { html } from 'hono/html';
import type { Tip } from '../../domain/gigs/tip.ts';
import { OBSTACLES, type Obstacle, sentence, WAIT_WORDS } from '../../domain/payments/obstacle.ts';
import { renderBadge } from '../ui/badges.ts';
import type { Markup } from '../ui/layout.ts';

/** The obstacle to a payment, as a badge. */
export function renderObstacle(obstacle: Obstacle): Markup {
  return renderBadge(obstacle === 'gig_frozen' ? 'Frozen' : 'Waiting', 'wait');
}

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
  const found = new Set(tips.map(({ id }) => held.get(id)));
  const waits = OBSTACLES.flatMap((obstacle) => {
    if (obstacle === 'gig_frozen' || !found.has(obstacle)) return [];
    const { why, comfort } = WAIT_WORDS[obstacle];
    return [html`<p class="notice wait">Waiting ${why}. ${sentence(comfort)}</p>`];
  });
  return html`${frozen.size === 0 ? '' : renderFrozen([...frozen])}${waits}`;
}
