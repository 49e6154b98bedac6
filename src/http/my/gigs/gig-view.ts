import { html } from 'hono/html';
import type { Account } from '../../../domain/account.ts';
import { formatAmount } from '../../../domain/amount.ts';
import { gigName } from '../../../domain/earning/words/gig-name.ts';
import { type Gig, gigPhase } from '../../../domain/gigs/gig.ts';
import type { RefundStatus } from '../../../domain/gigs/gig-end.ts';
import { endingsOf } from '../../../services/ends/endings.ts';
import { findRefund } from '../../../services/ends/find-refund.ts';
import { findSeenGig } from '../../../services/gigs/command-gig.ts';
import { isGigFrozen } from '../../../services/gigs/find-gigs.ts';
import { findGigEarning, type GigEarning } from '../../../services/gigs/show/find-earnings.ts';
import { pageOfReport } from '../../../services/gigs/show/report-gig.ts';
import { type AwardWays, findAwardWays } from '../../../services/gigs/tips/award-tips.ts';
import { findGigPayments, type GigPayments } from '../../../services/gigs/tips/find-gig-payments.ts';
import {
  besideFunding,
  type FundingPayment,
  findFundingPayment,
  isOnItsWay,
} from '../../../services/owners/funding-payment.ts';
import type { SignedIn } from '../../../services/owners/sessions.ts';
import { renderProblem } from '../../frame/deeds.ts';
import { renderEndings } from '../../frame/gig-end.ts';
import { gigIdOf } from '../../middleware/parameters.ts';
import { renderCounts } from '../../pages/gigs/gig-earning.ts';
import { renderGigEnd } from '../../pages/gigs/gig-end.ts';
import {
  type FundingView,
  gigSubject,
  renderAddresses,
  renderGigFunding,
  renderGigMoney,
  renderPhase,
  renderTask,
} from '../../pages/gigs/gig-page.ts';
import { renderFrozen } from '../../pages/obstacles.ts';
import { renderAmount } from '../../ui/amounts.ts';
import { renderTransaction } from '../../ui/badges.ts';
import { renderFormToken } from '../../ui/form.ts';
import { renderGigName } from '../../ui/gig-name.ts';
import type { Markup, Root, Site } from '../../ui/layout.ts';
import { renderUntrusted } from '../../ui/text.ts';
import { renderTime } from '../../ui/time.ts';
import type { OwnerVisit } from '../context.ts';
import type { MyView } from '../view.ts';
import { renderNextStep } from './next-step.ts';
import { renderOwners } from './owner-list.ts';
import { renderEarners } from './report.ts';

const EARNERS_SHOWN = 10;

interface Shown extends FundingView {
  readonly gig: Gig;
  readonly now: number;
  readonly frozen: boolean;
  readonly owners: readonly Account[];
  readonly earners: Markup;
  readonly ways: AwardWays;
  /** Whether its terms can still be changed, by this owner. */
  readonly mayChange: boolean;
  /** Why the last form was refused. */
  readonly problem: string | undefined;
  /** What the gig's rules say and have decided; null for a gig that nothing watches. */
  readonly overview: GigEarning | null;
  readonly refund: RefundStatus;
  /** The transaction by which an owner says to have paid; null for none, and once nothing is missing. */
  readonly payment: FundingPayment | null;
  /** Null for a gig that has not started. */
  readonly payments: GigPayments | null;
}

function renderStart({ root }: Root, owner: SignedIn, { gig, now, funding }: Shown): Markup {
  if (gigPhase(gig, now) !== 'created') return html``;
  const isFunded = funding === null || funding === 'unknown' || funding.actual === funding.expected;
  // Until then there is nothing to start, and then it starts without a button.
  if (gig.startUntil !== null && !isFunded) return html``;
  return html`<form method="post" action="${root}/my/gigs/${gig.id}/start">${renderFormToken(owner)}<button class="primary">Start</button></form>`;
}

/** What changes its terms, and what begins another gig with them. */
function renderTermsWays({ root }: Root, owner: SignedIn, { gig, mayChange, fittingReward }: Shown): Markup {
  const { id, token } = gig;
  const raise = fittingReward === null ? null : formatAmount(fittingReward, token.decimals);
  return html`${mayChange && raise !== null ? html`<form method="post" action="${root}/my/gigs/${id}/raise">${renderFormToken(owner)}<input type="hidden" name="amount" value="${raise}"><button class="primary">Raise the reward to ${raise} ${renderUntrusted(token.symbol)}</button></form>` : ''}${mayChange ? html`<a class="button" href="${root}/my/gigs/${id}/edit">Edit</a>` : ''}<a class="button" href="${root}/my/gigs/new?from=${id}">Copy</a>`;
}

function renderAwardWays({ root }: Root, { gig: { id }, ways }: Shown): Markup {
  return html`${ways.list ? html`<a class="button" href="${root}/my/gigs/${id}/award">Award from a list</a>` : ''}${ways.submissions ? html`<a class="button" href="${root}/my/gigs/${id}/submissions">Submissions</a>` : ''}`;
}

function renderAwardStep({ ways, overview }: Shown): string {
  if (ways.submissions) return 'Decide on its submissions.';
  return ways.list && overview === null ? 'Award its tips from a list.' : '';
}

function renderSurplus({ gig: { token }, mayChange, fittingReward }: Shown, surplus: bigint): Markup {
  const sent = html`You sent ${renderAmount(surplus, token)} too much.`;
  return mayChange && fittingReward !== null
    ? html`${sent} Raise the reward to ${renderAmount(fittingReward, token)}, or cancel for a full refund.`
    : html`${sent} Cancel for a full refund.`;
}

function renderStep(shown: Shown): Markup {
  const { gig, now, funding } = shown;
  const isKnown = funding !== null && funding !== 'unknown' && gigPhase(gig, now) === 'created';
  const missing = isKnown ? funding.expected - funding.actual : null;
  if (missing !== null && missing < 0n) return renderSurplus(shown, -missing);
  if (missing === 0n) {
    return gig.startUntil === null
      ? html`The gig is funded. Start it.`
      : html`<span id="starting">The gig is funded, and starts within minutes.</span>`;
  }
  return html`${renderAwardStep(shown)} ${renderNextStep(gig, now, { payments: shown.refund.payments, missing })}`;
}

/** The browsers of wallets on a phone, by the links that open a page in them. */
const MOBILE_WALLETS: readonly (readonly [name: string, link: (page: URL) => string])[] = [
  ['MetaMask', ({ host, pathname }) => `https://metamask.app.link/dapp/${host}${pathname}`],
  ['Coinbase Wallet', ({ href }) => `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(href)}`],
  ['Trust Wallet', ({ href }) => `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(href)}`],
];

const PAYMENT_WORDS: Readonly<Record<FundingPayment['state'], string>> = {
  pending: 'Payment sent. This page updates when it is confirmed.',
  unknown: 'Payment sent, but not on the chain yet. Pay again only if your wallet says that it failed or expired.',
  unread: 'Payment sent. The chain does not answer right now: do not pay again.',
  confirmed: 'Payment confirmed.',
  reverted: 'The chain refused the payment: nothing was paid.',
};

function renderPayment({ token }: Gig, payment: FundingPayment | null): Markup | '' {
  if (payment === null) return '';
  return html`${PAYMENT_WORDS[payment.state]} ${renderTransaction(token.chainId, payment.hash)}`;
}

/** Owners enter a payment from elsewhere by its hash, so that no other browser offers to pay again. */
function renderTellPayment({ root }: Root, owner: SignedIn, { gig: { id }, payment }: Shown): Markup {
  return html`<details${isOnItsWay(payment) ? ' open' : ''}><summary class="small">Sent from elsewhere?</summary>
<form method="post" action="${root}/my/gigs/${id}/payment" id="pay-told" class="stack">${renderFormToken(owner)}<input type="hidden" name="was" value="${payment?.hash ?? ''}">
<div><label for="hash">Transaction hash (leave empty if you sent nothing)</label><input id="hash" name="hash" value="${payment?.hash ?? ''}" maxlength="80" autocomplete="off" spellcheck="false"></div>
<div><button class="slim">Save</button></div></form></details>`;
}

/** Where the script offers the wallets of the browser. */
function renderPay({ root, publicUrl }: Site, owner: SignedIn, shown: Shown): Markup {
  const { gig, funding, request, payment } = shown;
  // What is under way may not have arrived.
  if (request === null) return funding === 'unknown' ? html`<p id="pay-unknown" hidden></p>` : html``;
  const page = new URL(`${publicUrl}/my/gigs/${gig.id}`);
  return html`<div class="row" id="pay" data-missing="${root}/my/gigs/${gig.id}/missing"></div><p id="pay-said" class="small" role="status">${renderPayment(gig, payment)}</p>
${renderTellPayment({ root }, owner, shown)}
<p class="small muted">On a phone, open this page in ${MOBILE_WALLETS.map(([name, link]) => html`<a href="${link(page)}" rel="noopener">${name}</a>, `)}sign in there again, and pay. Or download it <a href="${root}/my/gigs/${gig.id}/safe.json">for Safe</a>.</p>`;
}

/** What has happened to a gig and when, and what is still to come. */
function renderSteps({ gig, now, funding }: Shown): Markup {
  const { createdAt, cancelledAt, startTime, endTime, refundedAt } = gig;
  const phase = gigPhase(gig, now);
  const isStarted = gig.status === 'live';
  const isPaid = isStarted || (funding !== null && funding !== 'unknown' && funding.actual >= funding.expected);
  const steps: readonly (readonly [name: string, isDone: boolean, at: number | null])[] =
    cancelledAt === null
      ? [
          ['Created', true, createdAt],
          ['Paid', isPaid, null],
          ['Live', phase === 'live' || phase === 'ended', isStarted ? startTime : null],
          [phase === 'ended' ? 'Ended' : 'Ends', phase === 'ended', isStarted ? endTime : null],
          ['Refunded', refundedAt !== null, refundedAt],
        ]
      : [
          ['Created', true, createdAt],
          ['Cancelled', true, cancelledAt],
        ];
  const current = steps.findLastIndex(([, isDone]) => isDone);
  return html`<ol class="steps">${steps.map(([name, isDone, at], index) => html`<li class="${isDone ? 'done' : 'ahead'}"${index === current ? html` aria-current="step"` : ''}>${name}${at === null ? '' : html`<br><span class="muted small">${renderTime(at, { now })}</span>`}</li>`)}</ol>`;
}

/** What the gig's rules say, and what they have decided. */
function renderRules({ root }: Root, { gig, overview }: Shown): Markup {
  if (overview === null) return html``;
  return html`<section class="stack" aria-labelledby="rules"><h2 id="rules">Rules</h2>
<div class="card stack"><p class="said">${renderUntrusted(gig.earningCriteria ?? '')}</p>
${renderCounts(overview, gig, (state) => `${root}/my/gigs/${gig.id}/report${state === 'awarded' ? '' : `?state=${state}`}`)}
<p><a href="${root}/my/gigs/${gig.id}/report">All accounts, with the reason of each</a></p></div>
</section>`;
}

function renderGig(site: Site, owner: SignedIn, shown: Shown): Markup {
  const { root } = site;
  const { gig, now, frozen, owners, problem } = shown;
  const hasBegun = gig.status === 'live';
  const waits = owner.newUntil;
  return html`<header class="stack">
<div class="row"><h1>${renderGigName(gigName(gig, null), gig.id)}</h1>${renderPhase(gig, { now, frozen })}</div>
<p class="lead">${gigSubject(gig)}</p>
${renderSteps(shown)}
</header>
${renderProblem(problem)}
${frozen ? renderFrozen([gig.id]) : ''}
<section class="stack" aria-labelledby="next"><h2 id="next">Next step</h2>
<p>${renderStep(shown)}</p>
${waits === null ? '' : html`<p class="muted small">You signed in just now: you can cancel, award, decide and change owners after ${renderTime(waits)}.</p>`}
<div class="row">${renderStart({ root }, owner, shown)}${renderAwardWays({ root }, shown)}${renderTermsWays({ root }, owner, shown)}${renderEndings(`${root}/my/gigs/${gig.id}`, endingsOf(gig, now))}</div>
</section>
${renderGigFunding({ ...shown, bot: null, fittingReward: null })}
${renderPay(site, owner, shown)}
${renderTask({ gig, now, earning: shown.overview && { overview: shown.overview } }, site)}
${renderRules({ root }, shown)}
${renderGigMoney(shown, site)}
${renderGigEnd(shown)}
${
  hasBegun
    ? html`<section class="stack" aria-labelledby="earners"><h2 id="earners">Earners</h2>
${shown.earners}
<p class="row"><a class="button" href="${root}/my/gigs/${gig.id}/report">All accounts</a>
<a class="button" href="${root}/my/gigs/${gig.id}/report.csv">Download as CSV</a>
<a class="button" href="${root}/gigs/${gig.id}/report">Statement</a></p>
</section>`
    : ''
}
${renderOwners({ root }, owner, { gig, owners })}
${renderAddresses(gig)}
${gig.cancelledAt === null ? '' : html`<p><a class="button" href="${root}/gigs/${gig.id}/report">Statement</a></p>`}
<p><a href="${root}/gigs/${gig.id}">The public page of gig ${gig.id}</a></p>`;
}

/** The page of the gig in a path, for an owner that reaches it. `problem` says why a form was refused. @throws DomainError `gig_not_found` */
export async function viewMyGig({ c, deps, session, actor }: OwnerVisit, problem?: string): Promise<MyView> {
  const { store, clock, site } = deps;
  const gigId = gigIdOf(c);
  const gig = await findSeenGig(store, { gigId, actor });
  const { accounts } = await pageOfReport(deps, gig, { limit: EARNERS_SHOWN, place: { of: 'tips' } });
  const mayAward = gig.client === session.client || gig.ownersMayAward;
  const funds = await deps.funds.look(gig);
  const shown: Shown = {
    ...funds,
    gig,
    now: clock(),
    frozen: await isGigFrozen(deps, gigId),
    owners: await store.gigOwners(gigId),
    earners: renderEarners(gig, accounts, { now: clock() }),
    ways: mayAward ? await findAwardWays(store, gig, clock()) : { list: false, submissions: false },
    mayChange: mayAward && gig.status === 'created' && gig.cancelledAt === null,
    problem,
    overview: await findGigEarning(deps, gig),
    refund: await findRefund(deps, gig, clock()),
    payment: funds.request === null ? null : besideFunding(await findFundingPayment(deps, gig), funds.funding),
    payments: gig.status === 'live' ? await findGigPayments(deps, { gig }) : null,
  };
  return {
    title: `${gigName(gig, null)} · gig ${gigId}`,
    section: 'My gigs',
    // The last one finds the wallets for the one before it.
    scripts: ['copy.js', 'form.js', 'wallet.js', 'find-wallets.js'],
    body: renderGig(site, session, shown),
  };
}
