import { html } from 'hono/html';
import type { Account, AccountName } from '../../../domain/account.ts';
import { earningSentence, stateLabel } from '../../../domain/earning/words/earning-words.ts';
import type { ClaimableGroup, Tip } from '../../../domain/gigs/tip.ts';
import { checksummed } from '../../../domain/gigs/token.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import { platformFacts } from '../../../domain/platforms/platforms.ts';
import type { AccountClaims } from '../../../services/claims/find-account-claims.ts';
import type { UnawardedEarning } from '../../../services/gigs/show/find-earnings.ts';
import { chainName, renderAddress, renderAmount, renderTokenMark } from '../../ui/amounts.ts';
import { counted, renderBadge, renderHash, renderTransaction } from '../../ui/badges.ts';
import { type GigNames, renderGigLink } from '../../ui/gig-name.ts';
import type { Markup, Root } from '../../ui/layout.ts';
import { renderUntrusted } from '../../ui/text.ts';
import { renderTime } from '../../ui/time.ts';
import { type PriceView, renderWorth } from '../../worth.ts';
import { renderHeld, renderObstacle } from '../obstacles.ts';
import { renderProgress } from './claim-progress.ts';

const MAX_TIPS = 25;

export interface ClaimSubject {
  readonly name: AccountName;
  /** Null for an unknown account. */
  readonly account: Account | null;
}

export interface ClaimView extends AccountClaims, ClaimSubject {
  /** Epoch milliseconds. */
  readonly now: number;
  /** The bot's name on the account's platform; null when the platform is off. */
  readonly bot: string | null;
}

/** The name of an account: its handle, or its id while no handle is known. */
export function accountLabel({ name, account }: ClaimSubject): string {
  const handle = account?.username ?? ('handle' in name ? name.handle : null);
  if (handle !== null) return `@${handle}`;
  const id = 'platformUserId' in name ? name.platformUserId : (account?.platformUserId ?? '');
  return `${platformFacts(name.platform).idLabels[1]} ${id}`;
}

/** The path of an account's page: by its id, which never changes, when it is known. */
export function claimPath({ name, account }: ClaimSubject): string {
  const handle = 'handle' in name ? `@${name.handle}` : name.platformUserId;
  return `/claim/${platformFacts(name.platform).slug}/${encodeURIComponent(account?.platformUserId ?? handle)}`;
}

type Held = ClaimView['held'];
/** Links to gigs, and what times are relative to. */
type Linking = Root & PriceView & { readonly names: GigNames; readonly now: number };

interface About extends Linking {
  readonly held: Held;
}

function renderState({ id, claimNonce }: Tip, held: Held): Markup {
  const obstacle = held.get(id);
  if (obstacle !== undefined) return renderObstacle(obstacle);
  return claimNonce === null ? renderBadge('To claim', 'live') : renderBadge('Being paid', 'wait');
}

function renderTip(tip: Tip, { token }: ClaimableGroup, { held, ...about }: About): Markup {
  return html`<tr>
<th scope="row">Tip ${tip.id}</th>
<td data-label="From">${renderGigLink(tip.gigId, about)}</td>
<td data-label="Amount" class="number">${renderAmount(tip.amount, token)}</td>
<td data-label="Earned">${renderTime(tip.createdAt, about)}</td>
<td data-label="State">${renderState(tip, held)}</td>
</tr>`;
}

function renderGroup(group: ClaimableGroup, about: About): Markup {
  const { token, tips, total, gigCount } = group;
  const shown = tips.slice(0, MAX_TIPS);
  const more = tips.length - shown.length;
  const id = `token-${token.id}`;
  return html`<article class="card stack" aria-labelledby="${id}">
<h3 class="amount" id="${id}">${renderTokenMark(token.chainId, token.address)}${renderAmount(total, token)}${renderWorth([{ amount: total, token }], about)}</h3>
<p class="muted">${renderUntrusted(token.name)} on ${chainName(token.chainId)}, from ${counted(tips.length, 'tip')} in ${counted(gigCount, 'gig')}</p>
${token.isNative ? '' : html`<p class="muted small">Token contract ${renderAddress(token.chainId, token.address)}</p>`}
<table class="stacking"><caption class="unseen">Tips in ${renderUntrusted(token.symbol)}</caption>
<thead><tr><th scope="col">Tip</th><th scope="col">From</th><th scope="col" class="number">Amount</th><th scope="col">Earned</th><th scope="col">State</th></tr></thead>
<tbody>${shown.map((tip) => renderTip(tip, group, about))}</tbody>
</table>
${more > 0 ? html`<p class="muted">And ${counted(more, 'more tip')}.</p>` : ''}
</article>`;
}

function tipsOf({ claimable }: ClaimView): Tip[] {
  return claimable.flatMap(({ tips }) => tips);
}

function renderClaimable(view: ClaimView, site: Root & PriceView): Markup {
  const { claimable, held, names, now } = view;
  if (claimable.length > 0)
    return html`${renderHeld(tipsOf(view), held)}
${claimable.map((group) => renderGroup(group, { held, names, now, ...site }))}`;
  const label = accountLabel(view);
  const where = platformFacts(view.name.platform).label;
  return view.account === null
    ? html`<p class="notice">We have no tips for ${renderUntrusted(label)} on ${where}.</p>`
    : html`<p class="notice">Nothing to claim for ${renderUntrusted(label)} on ${where} right now. New tips appear here.</p>`;
}

function renderWay(view: ClaimView): Markup {
  const { label: network, hasVerifiedAddress, composeUrl } = platformFacts(view.name.platform);
  if (view.bot === null)
    return html`<p class="notice wait">${network} is turned off here, so you cannot claim there now.</p>`;
  const text = `@${view.bot} claim my rewards${hasVerifiedAddress ? '' : ' 0xYOUR_ADDRESS'}`;
  const explained = hasVerifiedAddress
    ? html`The tokens go to the verified Ethereum address of the account. To use another address, add it at the end.`
    : html`Replace <code>0xYOUR_ADDRESS</code> with your own Ethereum address. All tokens go to it.`;
  return html`<p>Post this on ${network}, from the account itself:</p>
<div class="copy"><code id="claim-text">${text}</code><button type="button" data-copies="claim-text" aria-live="polite" hidden>Copy</button></div>
<p class="muted">${explained} One post claims everything below.</p>
<p><a href="${composeUrl}${encodeURIComponent(text)}" rel="noopener">Write the post on ${network}</a></p>`;
}

/** Whether a claim would pay something: it pays nothing for tips that are frozen or already claimed. */
export function paysSomething(view: ClaimView): boolean {
  return tipsOf(view).some(({ id, claimNonce }) => claimNonce === null && !view.held.has(id));
}

/** Mini apps open pages in frames, which the page behind the button refuses. */
function renderButton({ name: { platform }, bot }: ClaimView, rewards: string): Markup | '' {
  if (bot === null) return '';
  const { hasVerifiedAddress } = platformFacts(platform);
  const before = hasVerifiedAddress
    ? ''
    : html`<p class="muted">To claim with a button, first post <code>@${bot} link 0x…</code> with the address of your wallet. After 10 minutes sign in with that wallet.</p>`;
  return html`<p><a class="button primary" href="${rewards}" target="_blank" rel="noopener">Sign in and claim</a></p>
${before}`;
}

/** How the account claims, when a claim would pay something. `rewards` is the page with a button; null where nobody signs in. */
export function renderHow(view: ClaimView, rewards: string | null, priced: PriceView): Markup | '' {
  if (tipsOf(view).length === 0) return '';
  if (!paysSomething(view)) return html`<p class="muted">You do not need to post anything now.</p>`;
  const holdings = view.claimable.map(({ total, token }) => ({ amount: total, token }));
  return html`<section class="card stack" aria-labelledby="how"><h2 id="how">How to claim</h2>
<p class="amount">${view.claimable.map(({ total, token }, index) => html`${index === 0 ? '' : ', '}${renderAmount(total, token)}`)}${renderWorth(holdings, priced)}</p>
${rewards === null ? '' : renderButton(view, rewards)}
${renderWay(view)}
</section>`;
}

function renderPayment({ token, amount, chainId, hash, recipient, updatedAt, gigId }: Payment, about: Linking): Markup {
  return html`<tr>
<th scope="row">${renderTime(updatedAt, about)}</th>
<td data-label="Amount" class="number">${renderAmount(amount, token)}</td>
<td data-label="From">${renderGigLink(gigId, about)}</td>
<td data-label="To">${renderHash(checksummed(recipient))}</td>
<td data-label="Transaction"><span>${hash === null ? '' : renderTransaction(chainId, hash)} <span class="muted small">${chainName(chainId)}</span></span></td>
</tr>`;
}

function renderPaid(view: ClaimView, root: string): Markup {
  if (view.paid.length === 0) return html`<p class="muted">Nothing yet.</p>`;
  const older =
    view.next === null ? '' : html`<p><a href="${root}${claimPath(view)}?before=${view.next}">Older payments</a></p>`;
  return html`<table class="stacking"><caption class="unseen">Payments</caption>
<thead><tr><th scope="col">When</th><th scope="col" class="number">Amount</th><th scope="col">From</th><th scope="col">To</th><th scope="col">Transaction</th></tr></thead>
<tbody>${view.paid.map((payment) => renderPayment(payment, { names: view.names, root, now: view.now }))}</tbody>
</table>
${older}`;
}

function renderUnawardedOne({ earning, gates, ruleType }: UnawardedEarning, about: Linking): Markup {
  const { gigId, state } = earning;
  const badge = renderBadge(stateLabel(earning, ruleType), state === 'refused' ? 'bad' : 'wait');
  const sentence = earningSentence(earning, { gates, ruleType, now: about.now, amountText: String });
  return html`<tr>
<th scope="row">${renderGigLink(gigId, about)}</th>
<td data-label="State">${badge}</td>
<td data-label="Why">${sentence}</td>
</tr>`;
}

function renderUnawarded({ unawarded, now, names }: ClaimView, root: string): Markup | '' {
  if (unawarded.length === 0) return '';
  return html`<section class="stack" aria-labelledby="unawarded"><h2 id="unawarded">Pending and declined</h2>
<table class="stacking"><caption class="unseen">Tips that are not awarded, and why</caption>
<thead><tr><th scope="col">From</th><th scope="col">State</th><th scope="col">Why</th></tr></thead>
<tbody>${unawarded.map((each) => renderUnawardedOne(each, { now, names, root }))}</tbody>
</table>
</section>`;
}

/** The content of the claim page. `how` is what the account does next. */
export function renderClaims(view: ClaimView, site: Root & PriceView, how: Markup | ''): Markup {
  const { root } = site;
  const { label: network, idLabels } = platformFacts(view.name.platform);
  const id = view.account?.platformUserId;
  const known = id === undefined ? '' : html`, ${idLabels[0]} ${id}`;
  return html`<div class="stack-wide">
<header class="stack">
<h1>${renderUntrusted(accountLabel(view))}</h1>
<p class="lead">${network}${known}: claimable tokens and payments</p>
</header>
${how}
<section class="stack" aria-labelledby="claimable"><h2 id="claimable">To claim</h2>
${renderClaimable(view, { root, priceOf: site.priceOf })}
</section>
${renderProgress(view, { root })}
${renderUnawarded(view, root)}
<section class="stack" aria-labelledby="paid"><h2 id="paid">Payments</h2>
${renderPaid(view, root)}
</section>
</div>`;
}
