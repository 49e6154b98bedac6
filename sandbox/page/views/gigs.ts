import { html } from 'hono/html';
import { formatAmount } from '../../../src/domain/amount.ts';
import { gigPhase, requiredFunds } from '../../../src/domain/gigs/gig.ts';
import { checksummed } from '../../../src/domain/gigs/token.ts';
import { dayText } from '../../../src/domain/time.ts';
import { renderBadge, renderHash, type Tone } from '../../../src/http/ui/badges.ts';
import type { Markup } from '../../../src/http/ui/layout.ts';
import { FUNDINGS, type Funding, fundingAmount } from '../actions.ts';
import { type ApiAnswer, describeAnswer } from '../api.ts';
import { holdingKey } from '../holdings.ts';
import type { GigRecord } from '../records.ts';
import type { World } from '../world.ts';
import { renderActs } from './acts.ts';

const PHASE_TONES: Readonly<Record<ReturnType<typeof gigPhase>, Tone>> = {
  created: 'wait',
  cancelled: 'quiet',
  scheduled: 'live',
  live: 'live',
  ended: 'quiet',
};

const FUNDING_WORDS: Readonly<Record<Funding, string>> = { exact: 'exactly', short: 'short', over: 'over' };

/** A live gig whose window has not begun is live already: it cannot be started again. */
function renderPhase(gig: GigRecord, now: number): Markup {
  const phase = gigPhase(gig, now);
  return renderBadge(phase === 'scheduled' ? `live, starts ${dayText(gig.startTime)}` : phase, PHASE_TONES[phase]);
}

function renderFit(gig: GigRecord, held: bigint): Markup | '' {
  if (held <= requiredFunds(gig)) return '';
  return html`<form class="row" action="/gigs/${gig.id}/fit" method="post" data-act><button class="slim" id="fit-${gig.id}">Fit the reward<span class="unseen"> of gig ${gig.id}</span></button> <span class="small muted">Changes the reward over the API, so that the wallet holds exactly what the gig needs.</span></form>`;
}

function renderFunding(gig: GigRecord, held: bigint): Markup {
  const { decimals, symbol } = gig.token;
  const buttons = FUNDINGS.map((funding) => {
    const amount = fundingAmount(gig, held, funding);
    const sum =
      amount === null
        ? ''
        : html` (+${formatAmount(amount, decimals)})<span class="unseen"> <bdi>${symbol}</bdi></span>`;
    return html`<button class="slim" id="fund-${gig.id}-${funding}" name="funding" value="${funding}"${amount === null ? html` aria-disabled="true"` : ''}><span class="unseen">Fund gig ${gig.id} </span>${FUNDING_WORDS[funding]}${sum}</button>`;
  });
  return html`<form class="row" action="/gigs/${gig.id}/fund" method="post" data-act data-busy="sending…"><span class="small muted">Fund</span> ${buttons}</form>`;
}

/** What an API call answered: in words, and as it came. */
export function renderAnswer(id: string, answer: ApiAnswer): Markup {
  const json = answer.body === null ? '' : JSON.stringify(answer.body, null, 2);
  const tone = answer.status === 200 ? 'ok' : 'bad';
  return html`<div class="notice answer ${tone}"><p>${describeAnswer(answer)}</p>
${json === '' ? '' : html`<details id="${id}-json"><summary>${answer.request} as JSON</summary><pre tabindex="0">${json}</pre></details>`}</div>`;
}

function renderHeld(gig: GigRecord, held: bigint | undefined): Markup {
  const { decimals, symbol } = gig.token;
  const required = requiredFunds(gig);
  if (held === undefined) return html`<span class="muted">not read yet</span>`;
  const amount = html`<span class="number">${formatAmount(held, decimals)}</span>`;
  if (gig.status === 'live') return html`${amount} <bdi>${symbol}</bdi>`;
  const standing =
    held === required
      ? renderBadge('funded exactly', 'ok')
      : held === 0n
        ? renderBadge('empty', 'wait')
        : renderBadge(held < required ? 'too little' : 'too much', 'bad');
  return html`${amount} of <span class="number">${formatAmount(required, decimals)}</span> <bdi>${symbol}</bdi> ${standing}`;
}

function renderGig(gig: GigRecord, world: World, service: string): Markup {
  const held = world.holdings?.amounts.get(holdingKey(gig.walletAddress, gig.token));
  const answer = world.starts.get(gig.id);
  const { decimals, symbol } = gig.token;
  return html`<li class="gig card" id="gig-${gig.id}">
<p class="head"><strong><a href="${service}/gigs/${gig.id}">Gig ${gig.id}</a></strong> ${renderPhase(gig, world.now)}
<span class="number">${formatAmount(gig.rewardAmount, decimals)} <bdi>${symbol}</bdi></span> <span class="small muted">${gig.gigType.replace('_', ' ')}, ${gig.owners.length === 0 ? 'no owner' : html`owner ${gig.owners.map((owner, index) => html`${index === 0 ? '' : ', '}<bdi>${owner}</bdi>`)}`}</span></p>
<dl class="facts small"><dt>Wallet</dt><dd>${renderHash(checksummed(gig.walletAddress))}</dd>
<dt>Holds</dt><dd>${renderHeld(gig, held)}</dd></dl>
${gig.frozen === null ? '' : html`<p class="notice bad small">Frozen: ${gig.frozen}</p>`}
${gig.status === 'created' && held !== undefined ? html`${renderFunding(gig, held)}${renderFit(gig, held)}` : ''}
${gig.status === 'created' ? html`<form action="/gigs/${gig.id}/start" method="post" data-act><button class="slim" id="start-${gig.id}">Start<span class="unseen"> gig ${gig.id}</span> over the API</button></form>` : ''}
${renderActs(gig)}
${answer === undefined ? '' : renderAnswer(`gig-${gig.id}`, answer)}
</li>`;
}

/** All gigs; those that can still be started come first. */
export function renderGigs(world: World, { service }: { service: string }): Markup {
  const gigs = [...world.records.gigs.values()];
  const sorted = [
    ...gigs.filter(({ status }) => status === 'created'),
    ...gigs.filter(({ status }) => status === 'live'),
  ];
  return html`<ul class="gigs">${sorted.map((gig) => renderGig(gig, world, service))}</ul>`;
}
