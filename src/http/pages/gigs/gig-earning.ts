import { html } from 'hono/html';
import type { Platform } from '../../../domain/account.ts';
import type { EarningState } from '../../../domain/earning/earning.ts';
import { decideByOf } from '../../../domain/earning/payouts/bounty.ts';
import { deciderWords } from '../../../domain/earning/payouts/verifier.ts';
import { kindOf, payoutOf } from '../../../domain/earning/rules/index.ts';
import { earningSentence, forPublic, toldBy } from '../../../domain/earning/words/earning-words.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import { platformFacts } from '../../../domain/platforms/platforms.ts';
import type { AccountEarning } from '../../../services/gigs/show/find-earnings.ts';
import type { ShownEarnings } from '../../../services/gigs/show/show-earnings.ts';
import { amountText, renderAmount } from '../../ui/amounts.ts';
import type { Markup } from '../../ui/layout.ts';
import { renderUntrusted } from '../../ui/text.ts';
import { renderTime } from '../../ui/time.ts';

export type GigEarningView = ShownEarnings;

interface Of {
  readonly gig: Gig;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly root: string;
}

/** Enough for the URL of a profile. */
const MAX_NAME = 200;

/** How many accounts are in each state, and what they get. @param listOf the URL of the accounts in a state; absent for no links */
export function renderCounts(
  overview: GigEarningView['overview'],
  { token }: Gig,
  listOf?: (state: EarningState) => string,
): Markup {
  const { counts, sums, rules, nextDivisionAt } = overview;
  const accepted = kindOf(rules.rule).accepted.waiting(nextDivisionAt !== null);
  const shares = sums.eligible === 0n ? '' : html` <span class="muted">(${renderAmount(sums.eligible, token)})</span>`;
  const number = (state: EarningState) => {
    const url = counts[state] === 0 ? undefined : listOf?.(state);
    return url === undefined ? html`${counts[state]}` : html`<a href="${url}">${counts[state]}</a>`;
  };
  return html`<dl class="legend">
<div><dt>Awarded</dt><dd>${number('awarded')} <span class="muted">(${renderAmount(sums.awarded, token)})</span></dd></div>
<div><dt>${accepted}</dt><dd>${number('eligible')}${shares}</dd></div>
<div><dt>On hold</dt><dd>${number('held')}</dd></div>
<div><dt>Refused</dt><dd>${number('refused')}</dd></div>
</dl>`;
}

function renderNext({ overview, nextDueAt, goneAt }: GigEarningView, { gig, now }: Of): Markup {
  const { settlesAt, isDecided, nextDivisionAt, decidedBy } = overview;
  if (isDecided) return html`<p>All accounts were decided at ${renderTime(settlesAt)}.</p>`;
  if (gig.cancelledAt !== null) return html`<p>The gig was cancelled before its start.</p>`;
  if (gig.status === 'created') return html`<p>The service watches the gig from its start.</p>`;
  const next =
    nextDueAt === null
      ? 'No one is on hold.'
      : nextDueAt > now
        ? html`The next decisions follow from ${renderTime(nextDueAt)} on.`
        : 'The next decisions are due now.';
  const what = kindOf(overview.rules.rule).division;
  const division = nextDivisionAt === null ? '' : html` ${what} from ${renderTime(nextDivisionAt)} on.`;
  const gone =
    goneAt === null
      ? ''
      : html`The target of the gig has been gone since ${renderTime(goneAt)}; activity seen before then counts. `;
  const last =
    decidedBy === null
      ? html`Final decisions: after ${renderTime(settlesAt)}.`
      : html`Submissions are ${deciderWords(decidedBy)}. Submissions still undecided at ${renderTime(decideByOf(gig))} are refused.`;
  return html`<p>${gone}${next}${division} ${last}</p>`;
}

function renderDrawLink({ overview: { rules } }: GigEarningView, { gig, root }: Of): Markup | '' {
  if (!payoutOf(rules.rule).hasDraw || gig.status === 'created') return '';
  return html`<p><a href="${root}/gigs/${gig.id}/draw">The draw, and how to check it</a></p>`;
}

function renderEarner(account: AccountEarning, { gig, root }: Of): Markup {
  const { earning } = account;
  const voided = earning?.voidReason == null ? '' : html` <span class="small muted">voided</span>`;
  return html`<tr>
<th scope="row">${renderAccountLink(account, root)}</th>
<td data-label="Amount" class="number">${earning?.amount == null ? '' : renderAmount(earning.amount, gig.token)}${voided}</td>
<td data-label="Ranked by">${earning === null ? '' : renderTime(earning.rankedAt)}</td>
<td data-label="Awarded">${earning === null ? '' : renderTime(earning.updatedAt)}</td>
</tr>`;
}

function renderEarners({ awarded, next }: GigEarningView, of: Of): Markup {
  if (awarded.length === 0) return html`<p class="muted">No account has earned yet.</p>`;
  const older = html`<p><a href="${of.root}/gigs/${of.gig.id}?cursor=${next}#earned">Earlier accounts</a></p>`;
  return html`<table class="stacking"><caption class="unseen">Accounts that were awarded, newest act first</caption>
<thead><tr><th scope="col">Account</th><th scope="col" class="number">Amount</th><th scope="col">Ranked by</th><th scope="col">Awarded</th></tr></thead>
<tbody>${awarded.map((account) => renderEarner(account, of))}</tbody>
</table>
${next === null ? '' : older}`;
}

function renderLeaders({ leaders: { accounts, among } }: GigEarningView, { gig, root }: Of): Markup | '' {
  if (accounts.length === 0) return '';
  const rows = accounts.map(
    (account, index) => html`<tr>
<td data-label="Rank" class="number">${index + 1}</td>
<th scope="row">${renderAccountLink(account, root)}</th>
<td data-label="Amount" class="number">${renderAmount(account.amount, gig.token)}</td>
</tr>`,
  );
  const scope =
    among === null ? '' : html`<p class="small muted">Among the ${among} accounts whose acts are newest.</p>`;
  return html`<h3 id="leaders">Top earners</h3>
${scope}<table class="stacking"><caption class="unseen">The largest awards; equal ones by rank</caption>
<thead><tr><th scope="col" class="number">Rank</th><th scope="col">Account</th><th scope="col" class="number">Amount</th></tr></thead>
<tbody>${rows}</tbody>
</table>
<h3>Awarded accounts, newest act first</h3>`;
}

function renderAsked({ asked, overview }: GigEarningView, { gig, now, root }: Of): Markup | '' {
  if (asked === null) return '';
  const { missing } = asked;
  const told = {
    ...toldBy(overview.rules),
    missing,
    now,
    amountText: (amount: bigint) => amountText(amount, gig.token),
  };
  const sentence =
    asked.platformUserId === null
      ? 'This service knows no account with this handle: use its id.'
      : earningSentence(asked.earning === null ? null : forPublic(asked.earning), told);
  return html`<p class="notice" role="status"><strong>${renderAccountLink(asked, root)}</strong>: ${renderUntrusted(sentence)}</p>`;
}

function renderAsking(view: GigEarningView, of: Of): Markup {
  const { gig, root } = of;
  const { label } = platformFacts(gig.platform);
  return html`<h3 id="why">Your result</h3>
${renderAsked(view, of)}
<form class="look-up" action="${root}/gigs/${gig.id}#why" method="get">
<div><label for="account">Username, id or profile link on ${label}</label>
<input id="account" name="account" required maxlength="${MAX_NAME}" autocapitalize="none" autocomplete="off" spellcheck="false"></div>
<button>Check</button>
</form>`;
}

/** What is earned from a gig by its rules, as a section of its page. */
export function renderGigEarning(view: GigEarningView, of: Of): Markup {
  return html`<section class="stack" aria-labelledby="earned"><h2 id="earned">Earned by the rules</h2>
<p class="said">${renderUntrusted(of.gig.earningCriteria ?? '')}</p>
<div class="card stack">
${renderCounts(view.overview, of.gig)}
${renderNext(view, of)}
${renderDrawLink(view, of)}
${renderLeaders(view, of)}
${renderEarners(view, of)}
${renderAsking(view, of)}
</div>
</section>`;
}

interface LinkedAccount {
  readonly platform: Platform;
  /** Null when nobody known has the handle. */
  readonly platformUserId: string | null;
  readonly username: string | null;
}

/** The name of an account, linked to its page. */
export function renderAccountLink({ platform, platformUserId, username }: LinkedAccount, root: string): Markup {
  const { slug, idLabels } = platformFacts(platform);
  const shown = username === null ? html`${idLabels[0]} ${platformUserId}` : html`@${renderUntrusted(username)}`;
  return platformUserId === null ? shown : html`<a href="${root}/claim/${slug}/${platformUserId}">${shown}</a>`;
}
