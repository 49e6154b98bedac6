import { html } from 'hono/html';
import { formatAmount } from '../../../domain/amount.ts';
import { gigName } from '../../../domain/earning/words/gig-name.ts';
import { howToEarn, lengthFromStart } from '../../../domain/earning/words/sentence.ts';
import { type Funding, type Gig, type GigPhase, gigPhase, requiredFunds } from '../../../domain/gigs/gig.ts';
import type { RefundStatus } from '../../../domain/gigs/gig-end.ts';
import { gigTypeDisplay } from '../../../domain/gigs/gig-type.ts';
import { checksummed } from '../../../domain/gigs/token.ts';
import { platformFacts } from '../../../domain/platforms/platforms.ts';
import type { GigPayments } from '../../../services/gigs/tips/find-gig-payments.ts';
import { amountText, chainName, renderAddress, renderAmount } from '../../ui/amounts.ts';
import { counted, dayOf, renderBadge, renderTime, type Tone } from '../../ui/badges.ts';
import { renderGigName } from '../../ui/gig-name.ts';
import type { Markup, Root } from '../../ui/layout.ts';
import { renderUntrusted } from '../../ui/text.ts';
import { renderFrozen, renderObstacle } from '../obstacles.ts';
import { type GigEarningView, renderGigEarning } from './gig-earning.ts';
import { renderGigEnd } from './gig-end.ts';

/** How a gig is funded. */
export interface FundingView {
  /** The wallet's funding before the start, `unknown` when the chain did not answer; null for a live or cancelled gig. */
  readonly funding: Funding | 'unknown' | null;
  /** In base units: the reward with which the gig would need exactly its wallet's balance; null when there is none. */
  readonly fittingReward: bigint | null;
  /** A payment request for the missing amount, with its QR code as SVG; null when nothing must be sent. */
  readonly request: { readonly uri: string; readonly qrCode: Markup } | null;
}

export interface GigView extends FundingView {
  readonly gig: Gig;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Whether the gig is frozen. */
  readonly frozen: boolean;
  /** Where what is left returns to, and when. */
  readonly refund: RefundStatus;
  /** Null for a gig not yet live. */
  readonly payments: GigPayments | null;
  /** What is earned by the gig's rules; null when it is manual. */
  readonly earning: GigEarningView | null;
}

type FundedView = FundingView & { readonly gig: Gig };

const PHASES = {
  created: { words: 'Not started', tone: 'wait' },
  cancelled: { words: 'Cancelled', tone: 'quiet' },
  scheduled: { words: 'Live', tone: 'quiet' },
  live: { words: 'Live', tone: 'live' },
  ended: { words: 'Ended', tone: 'quiet' },
} as const satisfies Record<GigPhase, { words: string; tone: Tone }>;

/** Whether the wallet is known to hold too little: only then may funds be sent. */
export function isShort(funding: Funding | 'unknown' | null): funding is Funding {
  return funding !== null && funding !== 'unknown' && funding.actual < funding.expected;
}

/** A gig's phase, as badges. */
export function renderPhase(gig: Gig, { now, frozen }: { now: number; frozen: boolean }): Markup {
  const phase = gigPhase(gig, now);
  const { words, tone } = PHASES[phase];
  const badge = renderBadge(phase === 'scheduled' ? `${words}, starts ${dayOf(gig.startTime)}` : words, tone);
  return frozen ? html`<span>${badge} ${renderObstacle('gig_frozen')}</span>` : badge;
}

/** A gig's subject in a few words: `Mention on Farcaster`. */
export function gigSubject({ gigType, platform }: Gig): string {
  return `${gigTypeDisplay(gigType, platform).label} on ${platformFacts(platform).label}`;
}

/** When a gig is live; one that is not started has its length once the time of its terms is past. */
export function renderWindow(gig: Gig, now: number): Markup {
  const window = lengthFromStart(gig, now) ?? html`${renderTime(gig.startTime)} to ${renderTime(gig.endTime)}`;
  return html`${gig.status === 'created' ? 'Planned: ' : ''}${window}`;
}

/** Only http and https URLs become links: a gig may contain any. */
function renderPost(url: string): Markup {
  const isWeb = /^https?:$/.test(URL.parse(url)?.protocol ?? '');
  const shown = renderUntrusted(url);
  return isWeb ? html`<a href="${url}" rel="noopener nofollow ugc">${shown}</a>` : shown;
}

function renderFacts({ gig, earning, now }: GigView): Markup {
  const { token } = gig;
  const criteria = gig.earningCriteria ?? gigTypeDisplay(gig.gigType, gig.platform).earning_criteria;
  return html`<dl class="facts card">
<dt>Reward</dt><dd>${renderAmount(gig.rewardAmount, token)}</dd>
<dt>Window</dt><dd>${renderWindow(gig, now)}</dd>
<dt>How to earn</dt><dd class="said">${renderUntrusted(howToEarn(gig, earning?.overview.target ?? null))}</dd>
${earning === null ? html`<dt>Who earns</dt><dd class="said">${renderUntrusted(criteria)}</dd>` : ''}
${gig.externalUrl === null ? '' : html`<dt>About</dt><dd>${renderPost(gig.externalUrl)}</dd>`}
<dt>Token</dt><dd>${renderUntrusted(token.name)} (${renderUntrusted(token.symbol)}) on ${chainName(token.chainId)}${token.isNative ? ', the chain’s native asset' : html`, ${renderAddress(token.chainId, token.address)}`}</dd>
<dt>Wallet</dt><dd>${renderAddress(token.chainId, gig.walletAddress)}</dd>
</dl>`;
}

function renderExcess(excess: bigint, { gig: { id, rewardAmount, token }, fittingReward }: FundedView): Markup {
  const held = html`The wallet holds ${renderAmount(excess, token)} too much.`;
  if (fittingReward === null) return html`<p class="notice bad">${held}</p>`;
  const change = fittingReward > rewardAmount ? 'raised' : 'set';
  const body = JSON.stringify({ amount: formatAmount(fittingReward, token.decimals) });
  return html`<p class="notice bad">${held} The gig can be started when its reward is ${change} to ${renderAmount(fittingReward, token)}: <code>PATCH /api/gigs/${id}</code> with <code>${body}</code>.</p>`;
}

function renderItself({ startUntil }: Gig): Markup {
  if (startUntil === null) return html``;
  return html` The gig then starts by itself, until ${renderTime(startUntil)}.`;
}

function renderStanding({ expected, actual, token }: Funding, view: FundedView): Markup {
  if (actual === expected) {
    const next = view.gig.startUntil === null ? 'it can be started' : 'it starts by itself within minutes';
    return html`<p class="notice ok">The wallet holds exactly what the gig needs: ${next}.</p>`;
  }
  return actual < expected
    ? html`<p class="notice wait">Not funded yet: send ${renderAmount(expected - actual, token)} more.${renderItself(view.gig)}</p>`
    : renderExcess(actual - expected, view);
}

/** Renders nothing while it is unknown whether anything is missing. */
function renderMissing(funding: Funding | 'unknown', { token, walletAddress }: Gig): Markup {
  if (!isShort(funding)) return html``;
  const missing = formatAmount(funding.expected - funding.actual, token.decimals);
  return html`<dt>Send</dt><dd><div class="copy"><span><code id="missing">${missing}</code> ${renderUntrusted(token.symbol)} on ${chainName(token.chainId)} (chain id ${token.chainId})</span><button type="button" data-copies="missing" aria-live="polite" hidden>Copy amount</button></div>
<span class="small muted">The gig can start only when its wallet holds exactly what is expected.</span></dd>
<dt>To</dt><dd class="copy"><code id="wallet">${checksummed(walletAddress)}</code><button type="button" data-copies="wallet" aria-live="polite" hidden>Copy address</button></dd>`;
}

/** What a gig's wallet needs and holds, and how to send the rest; nothing for a gig that needs no funds. */
export function renderFunding(view: FundedView): Markup {
  const { gig, funding, request } = view;
  if (funding === null) return html``;
  const { token } = gig;
  const held =
    funding === 'unknown'
      ? html`<span class="muted">could not be read just now; reload the page to try again</span>`
      : renderAmount(funding.actual, token);
  return html`<section class="stack" aria-labelledby="funding"><h2 id="funding">Funding</h2>
${funding === 'unknown' ? '' : renderStanding(funding, view)}
<div class="card funding">
<dl class="facts">
<dt>Expected</dt><dd>${renderAmount(requiredFunds(gig), token)} <span class="muted">(${renderAmount(gig.rewardAmount, token)} reward, ${renderAmount(gig.feeAmount, token)} fee)</span></dd>
<dt>Held</dt><dd>${held}</dd>
${renderMissing(funding, gig)}
</dl>
${request === null ? '' : html`<figure class="qr">${request.qrCode}<figcaption class="small muted"><a href="${request.uri}">Pay with a wallet</a></figcaption></figure>`}
</div>
</section>`;
}

/** Exact integers first, one division at the end. */
function thousandths(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 1000n) / whole);
}

function renderShares({ paid, waiting, left: open }: GigPayments, gig: Gig): Markup {
  const { rewardAmount, token, refundedAt } = gig;
  const left = refundedAt === null ? open : rewardAmount - paid - waiting;
  const paidWidth = thousandths(paid, rewardAmount);
  const waitingWidth = thousandths(paid + waiting, rewardAmount) - paidWidth;
  return html`<svg class="shares" viewBox="0 0 1000 24" preserveAspectRatio="none" role="img" aria-label="${amountText(paid, token)} paid, ${amountText(waiting, token)} waiting to be claimed, ${amountText(left, token)} not awarded"><rect class="left" width="1000" height="24"/><rect class="waiting" x="${paidWidth}" width="${waitingWidth}" height="24"/><rect class="paid" width="${paidWidth}" height="24"/></svg>
<dl class="legend">
<div><dt><span class="swatch paid"></span>Paid</dt><dd>${renderAmount(paid, token)}</dd></div>
<div><dt><span class="swatch waiting"></span>Earned, not claimed</dt><dd>${renderAmount(waiting, token)}</dd></div>
<div><dt><span class="swatch left"></span>Not awarded</dt><dd>${renderAmount(left, token)}</dd></div>
</dl>`;
}

const COLUMN = 10;
const HEIGHT = 80;

function renderColumns({ parts, payouts }: GigPayments, { token }: Gig): Markup {
  const { amounts, from, to } = parts;
  const most = amounts.toSorted((a, b) => (a < b ? -1 : 1)).at(-1) ?? 0n;
  const columns = amounts.map((amount, index) => {
    const height = amount === 0n ? 0 : Math.max(2, (thousandths(amount, most) * HEIGHT) / 1000);
    return html`<rect class="${amount === 0n ? 'none' : 'paid'}" x="${index * COLUMN + 1}" y="${amount === 0n ? HEIGHT - 1 : HEIGHT - height}" width="${COLUMN - 2}" height="${amount === 0n ? 1 : height}"/>`;
  });
  return html`<figure class="columns">
<svg viewBox="0 0 ${amounts.length * COLUMN} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="Payments over time, in ${amounts.length} equal parts; at most ${amountText(most, token)} in one part">${columns}</svg>
<figcaption class="small muted">${counted(payouts, 'payment')}; the time axis is from ${renderTime(from)} to ${renderTime(to)}</figcaption>
</figure>`;
}

function renderPayments({ gig, payments }: GigView): Markup {
  if (payments === null) return html``;
  return html`<section class="stack" aria-labelledby="payments"><h2 id="payments">Tips paid so far</h2>
<div class="card stack">
${renderShares(payments, gig)}
${payments.payouts === 0 ? html`<p class="muted">Nothing was paid yet.</p>` : renderColumns(payments, gig)}
</div>
</section>`;
}

/** The content of a gig's page. */
export function renderGigPage(view: GigView, { root }: Root): Markup {
  const { gig, frozen, earning, now } = view;
  const isBegun = gig.status === 'live';
  return html`<div class="stack-wide">
<header class="stack">
<div class="row"><h1>${renderGigName(gigName(gig, earning?.overview.target ?? null), gig.id)}</h1>${renderPhase(gig, view)}</div>
<p class="lead">${gigSubject(gig)}</p>
</header>
${frozen ? renderFrozen([gig.id]) : ''}
${isBegun ? '' : renderGigEnd(view)}
${renderFunding(view)}
${renderPayments(view)}
${gig.status === 'live' || gig.cancelledAt !== null ? html`<p><a href="${root}/gigs/${gig.id}/report">Statement: where the money went</a></p>` : ''}
${earning === null ? '' : renderGigEarning(earning, { gig, now, root })}
${isBegun ? renderGigEnd(view) : ''}
<section class="stack" aria-labelledby="terms"><h2 id="terms">Terms</h2>
${renderFacts(view)}
</section>
</div>`;
}
