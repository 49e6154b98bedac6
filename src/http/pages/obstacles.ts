import { html } from 'hono/html';
import type { Obstacle } from '../../domain/claim.ts';
import type { Markup } from './layout.ts';
import { renderBadge } from './marks.ts';

/** What keeps something from being paid, as a badge. */
export function renderObstacle(obstacle: Obstacle): Markup {
  return renderBadge({ gig_frozen: 'Stopped', gas_tank_empty: 'Waits' }[obstacle], 'wait');
}

/** What is said of stopped gigs, in the words of the bot's replies; why they are stopped is for the operator alone. */
export function renderStopped(gigIds: readonly number[]): Markup {
  const gigs = `${gigIds.length === 1 ? 'gig' : 'gigs'} ${gigIds.join(', ')}`;
  return html`<p class="notice wait">The operator has stopped the payments of ${gigs} for now. Nothing is lost.</p>`;
}
