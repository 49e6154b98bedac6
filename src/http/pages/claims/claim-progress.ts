import { html } from 'hono/html';
import { type Payout, payoutsOf } from '../../../domain/claims/claim.ts';
import { explainFailure } from '../../../domain/claims/payout-failure.ts';
import type { ReplyRecord } from '../../../domain/mentions/mention.ts';
import { type Obstacles, obstacleClause } from '../../../domain/payments/obstacle.ts';
import { withoutReplyMark } from '../../../domain/platforms/platforms.ts';
import type { AccountClaims, ClaimProgress } from '../../../services/claims/find-account-claims.ts';
import { renderAmount } from '../../ui/amounts.ts';
import { renderBadge } from '../../ui/badges.ts';
import { type GigNames, renderGigLink } from '../../ui/gig-name.ts';
import type { Markup, Root } from '../../ui/layout.ts';
import { renderUntrusted } from '../../ui/text.ts';
import { renderTime } from '../../ui/time.ts';
import { renderObstacle } from '../obstacles.ts';

/** Links to gigs, and what times are relative to. */
type Linking = Root & { readonly names: GigNames; readonly now: number };

const MAX_PAYOUTS = 25;

function renderOutcome({ outcome, payment }: Payout, obstacles: Obstacles): Markup {
  if (outcome === 'success') return renderBadge('Paid', 'ok');
  if (outcome === 'failed')
    return html`${renderBadge('Not paid', 'bad')} <span class="small">${explainFailure(payment.reason)}; it can be claimed again</span>`;
  const obstacle = obstacles.get(payment.id);
  if (obstacle === undefined) return renderBadge('On its way', 'live');
  return html`${renderObstacle(obstacle)} <span class="small">${obstacleClause(obstacle)}</span>`;
}

function renderClaim(progress: ClaimProgress, about: Linking): Markup[] {
  const payouts = payoutsOf(progress);
  const rows = payouts.slice(0, MAX_PAYOUTS).map(
    (payout) => html`<tr>
<th scope="row">${renderTime(progress.claim.createdAt, about)}</th>
<td data-label="Amount" class="number">${renderAmount(payout.payment.amount, payout.token)}</td>
<td data-label="From">${renderGigLink(payout.payment.gigId, about)}</td>
<td data-label="Outcome"><span>${renderOutcome(payout, progress.obstacles)}</span></td>
</tr>`,
  );
  const more = payouts.length - rows.length;
  return more === 0 ? rows : [...rows, html`<tr><th scope="row" colspan="4">And ${more} more</th></tr>`];
}

function renderLatest(claims: readonly ClaimProgress[], about: Linking): Markup | '' {
  if (claims.length === 0) return '';
  return html`<section class="stack" aria-labelledby="latest"><h2 id="latest">Latest claims</h2>
<table class="stacking"><caption class="unseen">Latest claims</caption>
<thead><tr><th scope="col">Claimed</th><th scope="col" class="number">Amount</th><th scope="col">From</th><th scope="col">Outcome</th></tr></thead>
<tbody>${claims.map((claim) => renderClaim(claim, about))}</tbody>
</table>
</section>`;
}

function renderReply({ createdAt, text, heldFor, platform, mention: { postId } }: ReplyRecord, now: number): Markup {
  const state = heldFor === null ? renderBadge('Not posted', 'bad') : renderBadge('Waiting to be posted', 'wait');
  return html`<li class="stack"><p>${renderTime(createdAt, { now })} ${state}</p><p>${renderUntrusted(withoutReplyMark(text, { platform, postId }))}</p></li>`;
}

function renderUnposted(replies: readonly ReplyRecord[], now: number): Markup | '' {
  if (replies.length === 0) return '';
  return html`<section class="stack" aria-labelledby="unposted"><h2 id="unposted">Replies that were not posted</h2>
<p class="muted">The bot’s replies are limited per hour. The commands themselves were carried out; only these replies still wait, or were given up.</p>
<ul class="card stack">${replies.map((reply) => renderReply(reply, now))}</ul>
</section>`;
}

/** The states of an account's latest claims and its unposted replies; nothing when there is neither. */
export function renderProgress(
  { claims, unposted, names, now }: AccountClaims & { readonly now: number },
  { root }: Root,
): Markup {
  return html`${renderLatest(claims, { names, root, now })}${renderUnposted(unposted, now)}`;
}
