import { html } from 'hono/html';
import { formatAmount } from '../../../domain/amount.ts';
import type { Target } from '../../../domain/earning/act.ts';
import { gigName } from '../../../domain/earning/words/gig-name.ts';
import { howToEarn, lengthFromStart } from '../../../domain/earning/words/sentence.ts';
import {
  type Funding,
  type Gig,
  type GigPhase,
  gigPhase,
  type ReadFunding,
  requiredFunds,
} from '../../../domain/gigs/gig.ts';
import type { RefundStatus } from '../../../domain/gigs/gig-end.ts';
import { gigTypeDisplay, ORGANIZER_DECIDES } from '../../../domain/gigs/gig-type.ts';
import { checksummed } from '../../../domain/gigs/token.ts';
import { isOwnersClient } from '../../../domain/owners/owner.ts';
import { platformFacts } from '../../../domain/platforms/platforms.ts';
import { dayText } from '../../../domain/time.ts';
import type { GigPayments } from '../../../services/gigs/tips/find-gig-payments.ts';
import { chainName, renderAddress, renderAmount, renderTokenMark } from '../../ui/amounts.ts';
import { renderBadge, type Tone } from '../../ui/badges.ts';
import { renderGigName } from '../../ui/gig-name.ts';
import type { Markup, Root } from '../../ui/layout.ts';
import { renderUntrusted } from '../../ui/text.ts';
import { renderGigTime, renderTime } from '../../ui/time.ts';
import { type PriceView, renderWorth } from '../../worth.ts';
import { renderFrozen, renderObstacle } from '../obstacles.ts';
import { type GigEarningView, renderGigEarning } from './gig-earning.ts';
import { renderGigEnd } from './gig-end.ts';
import { moneyOfGig, renderColumns, renderMoney } from './money.ts';

export interface FundingView {
  /** The wallet's funding before the start, `unknown` when the chain did not answer; null for a live or cancelled gig. */
  readonly funding: ReadFunding | 'unknown' | null;
  /** In base units: the reward with which the gig would need exactly its wallet's balance; null when there is none. */
  readonly fittingReward: bigint | null;
  /** A payment request for the missing amount, with its QR code as SVG; null when nothing must be sent. */
  readonly request: { readonly uri: string; readonly qrCode: Markup } | null;
}

export interface GigView extends FundingView {
  readonly gig: Gig;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The bot's name on the gig's platform; null when the platform is off. */
  readonly bot: string | null;
  readonly frozen: boolean;
  readonly refund: RefundStatus;
  /** Null for a gig not yet live. */
  readonly payments: GigPayments | null;
  /** What is earned by the gig's rules; null when it is manual. */
  readonly earning: GigEarningView | null;
}

/** The bot is named where an owner starts the gig by a post. */
type FundedView = FundingView & { readonly gig: Gig; readonly bot: string | null };

const PHASES = {
  created: { words: 'Not started', tone: 'wait' },
  cancelled: { words: 'Cancelled', tone: 'quiet' },
  scheduled: { words: 'Live', tone: 'quiet' },
  live: { words: 'Live', tone: 'live' },
  ended: { words: 'Ended', tone: 'quiet' },
} as const satisfies Record<GigPhase, { words: string; tone: Tone }>;

/** What a phase is called on pages. */
export function namePhase(phase: GigPhase): string {
  return phase === 'scheduled' ? 'Starts later' : PHASES[phase].words;
}

/** Whether the wallet is known to hold too little: only then may funds be sent. */
export function isShort(funding: Funding | 'unknown' | null): funding is Funding {
  return funding !== null && funding !== 'unknown' && funding.actual < funding.expected;
}

/** A gig's phase, as badges. */
export function renderPhase(gig: Gig, { now, frozen }: { now: number; frozen: boolean }): Markup {
  const phase = gigPhase(gig, now);
  const { words, tone } = PHASES[phase];
  const badge = renderBadge(phase === 'scheduled' ? `${words}, starts ${dayText(gig.startTime)}` : words, tone);
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

/** What tells people what to do. */
interface TaskView {
  readonly gig: Gig;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly earning: { readonly overview: { readonly target: Target } } | null;
}

/** What the organizer decides has no rules of the gig's own to show. */
function renderWhoEarns({ gig, earning }: TaskView): Markup {
  if (earning !== null) return html``;
  const { earningCriteria: criteria } = gig;
  const who = criteria === null ? ORGANIZER_DECIDES : renderUntrusted(criteria);
  return html`<dt>Who earns</dt><dd class="said">${who}</dd>`;
}

/** What an earner asks first: what to do and by when, and how much it is. */
export function renderTask(view: TaskView, priced: PriceView): Markup {
  const { gig, earning, now } = view;
  return html`<section class="stack" aria-labelledby="task"><h2 id="task">How to earn</h2>
<dl class="facts card">
<dt>What to do</dt><dd class="said">${renderUntrusted(howToEarn(gig, earning?.overview.target ?? null))}</dd>
${gig.externalUrl === null ? '' : html`<dt>About</dt><dd>${renderPost(gig.externalUrl)}</dd>`}
<dt>When</dt><dd>${renderWindow(gig, now)}${gig.status === 'live' ? html` <span class="muted">(${renderGigTime(gig, now)})</span>` : ''}</dd>
<dt>Reward</dt><dd>${renderTokenMark(gig.token.chainId, gig.token.address)}${renderAmount(gig.rewardAmount, gig.token)}${renderWorth([{ amount: gig.rewardAmount, token: gig.token }], priced)}</dd>
${renderWhoEarns(view)}
</dl>
</section>`;
}

/** Where a gig's token and wallet are. */
export function renderAddresses({ token, walletAddress }: Gig): Markup {
  return html`<section class="stack" aria-labelledby="addresses"><h2 id="addresses">Addresses</h2>
<dl class="facts card">
<dt>Token</dt><dd>${renderUntrusted(token.name)} (${renderUntrusted(token.symbol)}) on ${chainName(token.chainId)}${token.isNative ? ', the chain’s native asset' : html`, ${renderAddress(token.chainId, token.address)}`}</dd>
<dt>Wallet</dt><dd>${renderAddress(token.chainId, walletAddress)}</dd>
</dl>
</section>`;
}

function renderExcess(excess: bigint, { gig, fittingReward }: FundedView): Markup {
  const { id, client, rewardAmount, token } = gig;
  const held = html`The wallet holds ${renderAmount(excess, token)} too much.`;
  if (fittingReward === null) return html`<p class="notice bad">${held}</p>`;
  const change = fittingReward > rewardAmount ? 'raised' : 'set';
  const body = JSON.stringify({ amount: formatAmount(fittingReward, token.decimals) });
  // Owners of the console have no key.
  const how =
    client !== null && isOwnersClient(client)
      ? 'its owner does that in the console'
      : html`<code>PATCH /api/gigs/${id}</code> with <code>${body}</code>`;
  return html`<p class="notice bad">${held} The gig can be started when its reward is ${change} to ${renderAmount(fittingReward, token)}: ${how}.</p>`;
}

/** The next step of an owner, to be copied. */
function renderStartCommand({ gig, bot }: FundedView): Markup {
  if (bot === null || gig.startUntil !== null) return html``;
  return html`<p>An owner starts it with this post:</p>
<div class="copy"><code id="start-text">@${bot} start gig ${gig.id}</code><button type="button" data-copies="start-text" aria-live="polite" hidden>Copy</button></div>`;
}

function renderItself({ startUntil }: Gig): Markup {
  if (startUntil === null) return html``;
  return html` If you pay by ${renderTime(startUntil)}, the gig starts automatically.`;
}

function renderStanding({ expected, actual, token }: Funding, view: FundedView): Markup {
  if (actual === expected) {
    const next = view.gig.startUntil === null ? 'it can be started' : 'it starts within minutes';
    return html`<p class="notice ok">The wallet holds exactly what the gig needs: ${next}.</p>${renderStartCommand(view)}`;
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
export function renderGigFunding(view: FundedView): Markup {
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
<dt>In the wallet</dt><dd>${held}</dd>
${renderMissing(funding, gig)}
</dl>
${request === null ? '' : html`<figure class="qr">${request.qrCode}<figcaption class="small muted"><a href="${request.uri}">Pay with a wallet</a></figcaption></figure>`}
</div>
</section>`;
}

/** Where a started gig's money is; nothing of one that has not started. */
export function renderGigMoney(
  { gig, payments }: { gig: Gig; payments: GigPayments | null },
  priced: PriceView,
): Markup {
  if (payments === null) return html``;
  return html`<section class="stack" aria-labelledby="payments"><h2 id="payments">Money</h2>
<div class="card stack">
${renderMoney(moneyOfGig(gig, payments.paid), gig.token, priced)}
${payments.payouts === 0 ? html`<p class="muted">No tips have been paid yet.</p>` : renderColumns(payments, gig.token)}
</div>
</section>`;
}

/** The content of a gig's page. */
export function renderGigPage(view: GigView, site: Root & PriceView): Markup {
  const { root } = site;
  const { gig, frozen, earning, now } = view;
  const isBegun = gig.status === 'live';
  return html`<div class="stack-wide">
<header class="stack">
<div class="row"><h1>${renderGigName(gigName(gig, earning?.overview.target ?? null), gig.id)}</h1>${renderPhase(gig, view)}</div>
<p class="lead">${gigSubject(gig)}</p>
</header>
${frozen ? renderFrozen([gig.id]) : ''}
${renderTask(view, site)}
${isBegun ? '' : renderGigEnd(view)}
${renderGigFunding(view)}
${earning === null ? '' : renderGigEarning(earning, { gig, now, root })}
${renderGigMoney(view, site)}
${gig.status === 'live' || gig.cancelledAt !== null ? html`<p><a href="${root}/gigs/${gig.id}/report">Statement: where the money went</a></p>` : ''}
${isBegun ? renderGigEnd(view) : ''}
${renderAddresses(gig)}
</div>`;
}
