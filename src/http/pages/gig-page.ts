import { html } from 'hono/html';
import { formatAmount } from '../../domain/amount.ts';
import { explorerLink } from '../../domain/chain.ts';
import { type Funding, type Gig, gigPhase } from '../../domain/gig.ts';
import { GIG_TYPE_DISPLAY } from '../../domain/gig-type.ts';
import { checksummed } from '../../domain/token.ts';
import type { GigPayments } from '../../services/gig-payments.ts';
import { recordPlatform } from '../gig-record.ts';
import { amountText, chainName, renderAmount } from './amounts.ts';
import { PLATFORM_NAMES } from './claim-page.ts';
import type { Markup } from './layout.ts';
import { counted, renderBadge, renderHash, renderTime, type Tone } from './marks.ts';

/** What the gig page is about. */
export interface GigView {
  readonly gig: Gig;
  /** Epoch milliseconds. */
  readonly now: number;
  /** What the wallet of a gig not yet live holds, `unknown` when its chain did not answer; null for a live one. */
  readonly funding: Funding | 'unknown' | null;
  /** Null for a gig not yet live. */
  readonly payments: GigPayments | null;
  /** The QR code of the wallet's address, as SVG; null for a live gig. */
  readonly qrCode: Markup | null;
}

const PHASES = {
  created: { words: 'Not started', tone: 'wait' },
  scheduled: { words: 'Starts later', tone: 'quiet' },
  live: { words: 'Live', tone: 'live' },
  ended: { words: 'Ended', tone: 'quiet' },
} as const satisfies Record<ReturnType<typeof gigPhase>, { words: string; tone: Tone }>;

/** Where a gig stands, as a badge. */
export function renderPhase(gig: Gig, now: number): Markup {
  const { words, tone } = PHASES[gigPhase(gig, now)];
  return renderBadge(words, tone);
}

/** What a gig is about in few words: `Mention on Farcaster`. */
export function gigSubject({ gigType, platform }: Gig): string {
  return `${GIG_TYPE_DISPLAY[gigType][recordPlatform(platform)].label} on ${PLATFORM_NAMES[platform]}`;
}

/** How a gig is earned: in its own words, or in those of its type. */
export function howToEarn({ howToEarn, gigType, platform }: Gig): string {
  return howToEarn ?? GIG_TYPE_DISPLAY[gigType][recordPlatform(platform)].how_to_earn;
}

function renderWindow({ status, startTime, endTime }: Gig): Markup {
  return html`${status === 'created' ? 'Planned: ' : ''}${renderTime(startTime)} to ${renderTime(endTime)}`;
}

/** An address or hash, linked to the chain's explorer where there is one. */
function renderAddress(chainId: number, address: Gig['walletAddress']): Markup {
  const whole = checksummed(address);
  const link = explorerLink(chainId, { kind: 'address', value: whole });
  return link === null ? renderHash(whole) : html`<a href="${link}" rel="noopener">${renderHash(whole)}</a>`;
}

/** Only the web's own addresses become links: whoever makes a gig may write any. */
function renderPost(url: string): Markup {
  const isWeb = /^https?:$/.test(URL.parse(url)?.protocol ?? '');
  return isWeb ? html`<a href="${url}" rel="noopener nofollow ugc">${url}</a>` : html`${url}`;
}

function renderFacts({ gig }: GigView): Markup {
  const { token } = gig;
  const criteria = gig.earningCriteria ?? GIG_TYPE_DISPLAY[gig.gigType][recordPlatform(gig.platform)].earning_criteria;
  return html`<dl class="facts card">
<dt>Reward</dt><dd>${renderAmount(gig.rewardAmount, token)}</dd>
<dt>Window</dt><dd>${renderWindow(gig)}</dd>
<dt>How to earn</dt><dd class="said">${howToEarn(gig)}</dd>
<dt>Who earns</dt><dd class="said">${criteria}</dd>
${gig.externalUrl === null ? '' : html`<dt>About</dt><dd>${renderPost(gig.externalUrl)}</dd>`}
<dt>Token</dt><dd>${token.name} (${token.symbol}) on ${chainName(token.chainId)}${token.isNative ? ', the chain’s own' : html`, ${renderAddress(token.chainId, token.address)}`}</dd>
<dt>Wallet</dt><dd>${renderAddress(token.chainId, gig.walletAddress)}</dd>
</dl>`;
}

function renderStanding({ expected, actual, token }: Funding): Markup {
  if (actual === expected)
    return html`<p class="notice ok">The wallet holds exactly what the gig needs: it can be started.</p>`;
  return actual < expected
    ? html`<p class="notice wait">Not funded yet: send ${renderAmount(expected - actual, token)} more.</p>`
    : html`<p class="notice bad">The wallet holds ${renderAmount(actual - expected, token)} too much.</p>`;
}

function renderFunding({ gig, funding, qrCode }: GigView): Markup {
  if (funding === null) return html``;
  const { token } = gig;
  const needed = gig.rewardAmount + gig.feeAmount;
  const address = checksummed(gig.walletAddress);
  const held =
    funding === 'unknown'
      ? html`<span class="muted">could not be read just now</span>`
      : renderAmount(funding.actual, token);
  return html`<section class="stack" aria-labelledby="funding"><h2 id="funding">Funding</h2>
${funding === 'unknown' ? '' : renderStanding(funding)}
<div class="card funding">
<dl class="facts">
<dt>Expected</dt><dd><span id="needed" class="number">${formatAmount(needed, token.decimals)}</span> ${token.symbol} <span class="muted">(${amountText(gig.rewardAmount, token)} reward, ${amountText(gig.feeAmount, token)} fee)</span></dd>
<dt>Held</dt><dd>${held}</dd>
<dt>Send</dt><dd>${token.symbol} on ${chainName(token.chainId)} (chain id ${token.chainId}). The gig can start only when its wallet holds exactly what is expected.</dd>
<dt>To</dt><dd class="copy"><code id="wallet">${address}</code><button type="button" data-copies="wallet" aria-live="polite" hidden>Copy</button></dd>
</dl>
${qrCode === null ? '' : html`<figure class="qr">${qrCode}<figcaption class="small muted">The wallet’s address</figcaption></figure>`}
</div>
</section>`;
}

/** Shares of a whole, as widths in thousandths: exact integers first, one division at the end. */
function thousandths(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 1000n) / whole);
}

function renderShares({ paid, waiting, left }: GigPayments, { rewardAmount, token }: Gig): Markup {
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
<figcaption class="small muted">${counted(payouts, 'payment')}, ${renderTime(from)} to ${renderTime(to)}</figcaption>
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

/** What stands on the page of a gig. */
export function renderGigPage(view: GigView): Markup {
  const { gig, now } = view;
  return html`<div class="stack-wide">
<header class="stack">
<div class="row"><h1>Gig ${gig.id}</h1>${renderPhase(gig, now)}</div>
<p class="lead">${gigSubject(gig)}</p>
</header>
${renderFunding(view)}
${renderPayments(view)}
<section class="stack" aria-labelledby="terms"><h2 id="terms">Terms</h2>
${renderFacts(view)}
</section>
</div>`;
}
