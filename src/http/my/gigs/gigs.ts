import { html } from 'hono/html';
import { gigName } from '../../../domain/earning/words/gig-name.ts';
import { awardableOf, type Gig, gigPhase } from '../../../domain/gigs/gig.ts';
import { awardsUntil } from '../../../domain/gigs/gig-end.ts';
import { isGigFrozen } from '../../../services/gigs/find-gigs.ts';
import { GIGS_SUMMED, listGigsOfOwner, sumGigsOfOwner, type TokenTotal } from '../../../services/owners/find-gigs.ts';
import { listOwnerSessions } from '../../../services/owners/sessions.ts';
import { listCursor } from '../../middleware/parameters.ts';
import { gigSubject, renderPhase } from '../../pages/gigs/gig-page.ts';
import { chainName, renderAmount } from '../../ui/amounts.ts';
import { renderGigLink } from '../../ui/gig-name.ts';
import type { Markup, Root } from '../../ui/layout.ts';
import { renderUntrusted } from '../../ui/text.ts';
import { renderTime } from '../../ui/time.ts';
import { OWNERS } from '../audience.ts';
import { renderLinkedAccounts } from '../links.ts';
import { renderSessions } from '../sessions.ts';

const GIGS_SHOWN = 24;

/** What the owner of a gig does next. */
export function renderNextStep(gig: Gig, now: number): Markup {
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
      return html`Nothing to do: the money in its wallet returns to its refund address.`;
    case 'ended':
      if (gig.settledAt !== null) return html`Nothing to do: it is settled.`;
      return html`Settle it, or wait: it settles by itself after ${renderTime(awardsUntil(gig))}.`;
  }
}

function renderGig(gig: Gig, { now, frozen, root }: Root & { now: number; frozen: boolean }): Markup {
  const { id, token, rewardAmount, awardedAmount } = gig;
  return html`<li class="entry" id="gig-${id}">
<div class="entry-mark">${renderGigLink(id, { names: new Map([[id, gigName(gig, null)]]), root: `${root}/my` })} ${renderPhase(gig, { now, frozen })}</div>
<div class="entry-body"><p>${gigSubject(gig)}: ${renderAmount(rewardAmount, token)}</p>
<p class="muted">${renderAmount(awardedAmount, token)} awarded, ${renderAmount(awardableOf(gig), token)} left</p>
<p>${renderNextStep(gig, now)}</p></div>
</li>`;
}

/** Of each token what the started gigs have, have awarded, and have left. */
function renderTotals(totals: readonly TokenTotal[]): Markup {
  if (totals.length === 0) return html``;
  return html`<table class="stacking"><caption class="unseen">Your started gigs by token, the newest ${GIGS_SUMMED}</caption>
<thead><tr><th scope="col">Token</th><th scope="col" class="number">Gigs</th><th scope="col" class="number">Reward</th><th scope="col" class="number">Awarded</th><th scope="col" class="number">Left</th></tr></thead>
<tbody>${totals.map(({ token, gigs, reward, awarded, left }) => html`<tr><th scope="row">${renderUntrusted(token.symbol)} on ${chainName(token.chainId)}</th><td data-label="Gigs" class="number">${gigs}</td><td data-label="Reward" class="number">${renderAmount(reward, token)}</td><td data-label="Awarded" class="number">${renderAmount(awarded, token)}</td><td data-label="Left" class="number">${renderAmount(left, token)}</td></tr>`)}</tbody>
</table>`;
}

/** `GET /my`: the gigs of an owner, and the open sessions. */
export const myGigsPage = OWNERS.page('/my', async ({ c, deps, session }) => {
  const { site, clock, store } = deps;
  const { gigs, next } = await listGigsOfOwner(deps, session, {
    limit: GIGS_SHOWN,
    before: listCursor(c),
  });
  const totals = await sumGigsOfOwner(deps, session);
  const frozen = await Promise.all(gigs.map(({ id }) => isGigFrozen({ store }, id)));
  const now = clock();
  const items = gigs.map((gig, place) => renderGig(gig, { now, frozen: frozen[place] ?? false, root: site.root }));
  return {
    title: 'My gigs',
    section: 'My gigs',
    body: html`<div class="row"><h1>My gigs</h1>${deps.config.ownerCreate === 'nobody' ? '' : html`<a class="button primary" href="${site.root}/my/gigs/new">Create a gig</a>`}</div>
${renderTotals(totals)}
${gigs.length === 0 ? html`<p class="card muted">You own no gigs yet.</p>` : html`<ul class="entries card">${items}</ul>`}
${next === null ? '' : html`<p><a class="button" href="${site.root}/my?cursor=${next}">Older</a></p>`}
${await renderLinkedAccounts(deps, session)}
${renderSessions(site, session, await listOwnerSessions(deps, session))}`,
  };
});
