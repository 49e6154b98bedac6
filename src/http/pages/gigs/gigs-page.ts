import { html } from 'hono/html';
import type { Target } from '../../../domain/earning/act.ts';
import { gigName } from '../../../domain/earning/words/gig-name.ts';
import { howToEarn } from '../../../domain/earning/words/sentence.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import { ORGANIZER_DECIDES } from '../../../domain/gigs/gig-type.ts';
import { dayText, isoText, minuteText } from '../../../domain/time.ts';
import type { GIG_PHASES } from '../../../services/gigs/find-gigs.ts';
import { chainName, renderBriefAmount, renderTokenMark } from '../../ui/amounts.ts';
import { renderGigLink } from '../../ui/gig-name.ts';
import type { Markup, Root } from '../../ui/layout.ts';
import { renderUntrusted } from '../../ui/text.ts';
import { renderGigTime } from '../../ui/time.ts';
import { type PriceView, renderWorth } from '../../worth.ts';
import { gigSubject, renderPhase, renderWindow } from './gig-page.ts';

type Phase = (typeof GIG_PHASES)[number];

const TABS: readonly { readonly phase: Phase; readonly label: string }[] = [
  { phase: 'active', label: 'Active' },
  { phase: 'created', label: 'Not started' },
  { phase: 'ended', label: 'Ended' },
];

const NONE: Readonly<Record<Phase, string>> = {
  active: 'No gig is active right now.',
  created: 'No gig is waiting to be started.',
  live: 'No gig is live.',
  ended: 'No gig has ended yet.',
  cancelled: 'No gig is cancelled.',
  all: 'There are no gigs yet.',
};

export interface GigsView {
  readonly phase: Phase;
  readonly gigs: readonly Gig[];
  /** The ids of frozen gigs. */
  readonly frozen: ReadonlySet<number>;
  /** What the watched ones are about, by their ids. */
  readonly targets: ReadonlyMap<number, Target>;
  /** Who gets what from the watched ones, a sentence each, by their ids. */
  readonly pays: ReadonlyMap<number, string>;
  /** The cursor of the next page, or null on the last one. */
  readonly next: number | null;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** What the reward of a gig is worth. */
function renderReward({ rewardAmount: amount, token }: Gig, priced: PriceView): Markup | '' {
  return renderWorth([{ amount, token }], priced);
}

function renderGig(gig: Gig, { now, frozen, targets }: GigsView, { root, ...priced }: Root & PriceView): Markup {
  return html`<li class="card stack">
<div class="row"><h2>${renderGigLink(gig.id, { names: new Map([[gig.id, gigName(gig, targets.get(gig.id) ?? null)]]), root })}</h2>${renderPhase(gig, { now, frozen: frozen.has(gig.id) })}</div>
<p class="amount">${renderTokenMark(gig.token.chainId, gig.token.address)}${renderBriefAmount(gig.rewardAmount, gig.token)}${renderReward(gig, priced)}</p>
<p>${gigSubject(gig)} <span class="muted">· paid on ${chainName(gig.token.chainId)}</span></p>
<p class="said brief">${renderUntrusted(howToEarn(gig, targets.get(gig.id) ?? null))}</p>
<p class="small muted">${gig.status === 'live' ? renderGigTime(gig, now) : renderWindow(gig, now)}</p>
</li>`;
}

/** Gigs as cards; a sentence when there are none. */
function renderCards(view: GigsView, site: Root & PriceView): Markup {
  const { gigs, phase } = view;
  if (gigs.length === 0) return html`<p class="notice">${NONE[phase]}</p>`;
  return html`<ul class="grid plain">${gigs.map((gig) => renderGig(gig, view, site))}</ul>`;
}

function renderOffer(
  gig: Gig,
  { now, frozen, targets, pays }: GigsView,
  { root, ...priced }: Root & PriceView,
): Markup {
  const names = new Map([[gig.id, gigName(gig, targets.get(gig.id) ?? null)]]);
  const phase = frozen.has(gig.id) ? renderPhase(gig, { now, frozen: true }) : '';
  const who = pays.get(gig.id) ?? gig.earningCriteria ?? ORGANIZER_DECIDES;
  return html`<li>
<div class="row"><h3>${renderGigLink(gig.id, { names, root })}</h3>${phase}</div>
<p class="said brief">${renderUntrusted(who)}</p>
<p class="small muted">${renderTokenMark(gig.token.chainId, gig.token.address)}${renderBriefAmount(gig.rewardAmount, gig.token)}${renderReward(gig, priced)} on ${chainName(gig.token.chainId)}, until <time datetime="${isoText(gig.endTime)}" title="${minuteText(gig.endTime)}">${dayText(gig.endTime)}</time></p>
</li>`;
}

/** What gigs pay a person, in short; a sentence when there are none. */
export function renderOffers(view: GigsView, site: Root & PriceView): Markup {
  const { gigs, phase } = view;
  if (gigs.length === 0) return html`<p class="notice">${NONE[phase]}</p>`;
  return html`<ul class="card stack">${gigs.map((gig) => renderOffer(gig, view, site))}</ul>`;
}

/** The content of the list of gigs. */
export function renderGigs(view: GigsView, site: Root & PriceView): Markup {
  const { root } = site;
  const { phase, next } = view;
  const tabs = TABS.map(
    (tab) =>
      html`<li><a href="${root}/gigs${tab.phase === 'active' ? '' : `?status=${tab.phase}`}"${tab.phase === phase ? html` aria-current="page"` : ''}>${tab.label}</a></li>`,
  );
  const older = html`<p><a href="${root}/gigs?status=${phase}&amp;cursor=${next}">Older gigs</a></p>`;
  return html`<div class="stack-wide">
<header class="stack">
<h1>Gigs</h1>
<nav aria-label="Filter gigs"><ul class="tabs">${tabs}</ul></nav>
</header>
${renderCards(view, { root, priceOf: site.priceOf })}
${next === null ? '' : older}
</div>`;
}
