import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Account, AccountKey } from '../../domain/account.ts';
import { AdapterError, DomainError, personText } from '../../domain/errors.ts';
import { type Address, checksummed } from '../../domain/gigs/token.ts';
import { platformFacts, platformNamed } from '../../domain/platforms/platforms.ts';
import { CLAIM_PATIENCE, waitForClaim } from '../../services/claims/claim-progress.ts';
import { findAccountClaims } from '../../services/claims/find-account-claims.ts';
import { accountsOf } from '../../services/gigs/owner-accounts.ts';
import { claimByPage, newClaimKey } from '../../services/owners/rewards.ts';
import { findDust } from '../../services/payments/gas-tank.ts';
import type { AppEnv } from '../middleware/context.ts';
import { accountLabel, type ClaimView, paysSomething, renderClaims } from '../pages/claims/claim-page.ts';
import { renderAmount } from '../ui/amounts.ts';
import { renderFormToken, seeOther } from '../ui/form.ts';
import type { Markup, Root } from '../ui/layout.ts';
import { renderUntrusted, renderWholeAddress } from '../ui/text.ts';
import { type MyContext, type MyRequest, type MyRoute, ownerForm, ownerPage } from './define-route.ts';
import { answerMine, type MyView } from './frame.ts';
import { renderHowToLink } from './how-to-link.ts';

const PAYMENTS_SHOWN = 20;

/** The path of an account's rewards, below the root. */
function rewardsPath({ platform, platformUserId }: AccountKey): string {
  return `/my/rewards/${platformFacts(platform).slug}/${platformUserId}`;
}

function labelOf({ platform, platformUserId, username }: Account): string {
  const account = { platform, platformUserId, username };
  return `${accountLabel({ name: { platform, platformUserId }, account })} on ${platformFacts(platform).label}`;
}

/** The account that a path names, if it is one of these. */
function accountIn(c: Context<AppEnv>, accounts: readonly Account[]): Account | undefined {
  const platform = platformNamed(c.req.param('platform') ?? '');
  const id = c.req.param('id');
  return accounts.find((account) => account.platform === platform && account.platformUserId === id);
}

function renderAccounts({ root }: Root, accounts: readonly Account[], shown: Account): Markup | '' {
  if (accounts.length < 2) return '';
  const items = accounts.map((account) => {
    const current = account === shown ? html` aria-current="page"` : '';
    return html`<li><a href="${root}${rewardsPath(account)}"${current}>${renderUntrusted(labelOf(account))}</a></li>`;
  });
  return html`<nav aria-label="Your accounts"><ul class="row">${items}</ul></nav>`;
}

function renderRecipients(addresses: readonly Address[]): Markup {
  const [first] = addresses;
  if (addresses.length === 1 && first !== undefined) {
    return html`<input type="hidden" name="recipient" value="${first}"><p>Paid to ${renderWholeAddress(first)}</p>`;
  }
  const options = addresses.map((address) => html`<option value="${address}">${checksummed(address)}</option>`);
  return html`<div><label for="recipient">Pay to</label>
<select id="recipient" name="recipient">${options}</select></div>`;
}

/** What keeps the addresses from being shown, in words; null for a failure of another kind. */
function refusalWords(error: unknown, { platform }: AccountKey): string | null {
  if (error instanceof AdapterError) {
    return `${platformFacts(platform).label} does not answer right now, so nothing was changed. Try again in a minute.`;
  }
  return error instanceof DomainError ? personText(error.refusal) : null;
}

async function renderForm({ deps, owner }: MyRequest, account: Account): Promise<Markup> {
  let addresses: readonly Address[];
  try {
    addresses = await deps.addresses.of({ account, owner: owner.owner });
  } catch (error) {
    const words = refusalWords(error, account);
    if (words === null) throw error;
    return html`<p class="notice wait">${words}</p>`;
  }
  const { label, hasVerifiedAddress } = platformFacts(account.platform);
  if (addresses.length === 0) {
    return html`<p class="notice wait">The account has no verified Ethereum address. Verify one on ${label}, then reload this page in a minute.</p>`;
  }
  const explained = hasVerifiedAddress
    ? `Only verified addresses of the account are paid. To use another one, verify it on ${label} first. It is listed within 10 minutes.`
    : 'Your tokens are sent to the wallet that you signed in with.';
  return html`<form class="stack" method="post" action="${deps.site.root}${rewardsPath(account)}">${renderFormToken(owner)}
<input type="hidden" name="key" value="${newClaimKey(deps)}">
${renderRecipients(addresses)}
<p class="row"><button class="primary">Claim everything</button></p>
<p class="muted small">${explained} It takes up to 20 seconds.</p>
</form>`;
}

/** What a claim would pay although its gas costs more. */
function renderDust({ gasTank }: MyContext, { claimable }: ClaimView): Markup | '' {
  const amounts = findDust(gasTank, claimable).map(({ total, token }) => renderAmount(total, token));
  if (amounts.length === 0) return '';
  return html`<p id="dust" class="muted">Worth less than the gas of its payment: ${amounts.map((amount, index) => html`${index === 0 ? '' : ', '}${amount}`)}. You can wait until you have earned more.</p>`;
}

async function renderClaiming(request: MyRequest, account: Account, view: ClaimView): Promise<Markup | ''> {
  if (view.claimable.length === 0) return '';
  if (!paysSomething(view)) return html`<p class="muted">You do not need to claim anything now.</p>`;
  return html`<section class="card stack" aria-labelledby="claim"><h2 id="claim">Claim</h2>
${renderDust(request.deps, view)}${await renderForm(request, account)}
</section>`;
}

function viewNobody({ deps, owner: { owner } }: MyRequest, waits: boolean): MyView {
  const wallet = owner.kind === 'wallet' ? owner.address : null;
  const isContract = owner.kind === 'wallet' && owner.chainId !== null;
  return {
    title: 'My rewards',
    section: 'My rewards',
    body: html`<h1>My rewards</h1>
<p class="card muted">${
      isContract
        ? 'No account can be linked to a contract’s wallet. Sign in with another wallet, or with Farcaster.'
        : html`No account is linked to your wallet${waits ? ' yet. A link waits: it counts 10 minutes after the bot’s reply, if the post is still up.' : html`. ${renderHowToLink(deps.platforms, wallet)}`}`
    }</p>`,
  };
}

/** The rewards of one account. `problem` says why the last form was refused. */
async function viewRewards(
  request: MyRequest,
  { accounts, account, problem = null }: { accounts: readonly Account[]; account: Account; problem?: string | null },
): Promise<MyView> {
  const { deps } = request;
  const { platform, platformUserId } = account;
  const name = { platform, platformUserId };
  const found = await findAccountClaims(deps, { name, limit: PAYMENTS_SHOWN });
  const bot = deps.platforms.get(platform)?.bot.username ?? null;
  const view: ClaimView = { ...found, name, now: deps.clock(), bot };
  return {
    title: `My rewards: ${labelOf(account)}`,
    section: 'My rewards',
    ...(problem === null ? {} : { status: 409 }),
    body: html`${renderAccounts(deps.site, accounts, account)}
${problem === null ? '' : html`<p id="problem" class="notice bad" role="alert">${problem}</p>`}
${renderClaims(view, deps.site, await renderClaiming(request, account, view))}`,
  };
}

const viewFirst = ownerPage('/my/rewards', async (_c, request) => {
  const accounts = await accountsOf(request.deps.store, request.owner.owner, request.owner.at);
  const [account] = accounts;
  const { owner } = request.owner;
  const waits =
    account === undefined && owner.kind === 'wallet' && (await request.deps.store.linksTo(owner.address)).length > 0;
  return account === undefined ? viewNobody(request, waits) : await viewRewards(request, { accounts, account });
});

const ACCOUNT = '/my/rewards/:platform{[a-z]+}/:id{[0-9]+}';

const viewOne = ownerPage(ACCOUNT, async (c, request) => {
  const accounts = await accountsOf(request.deps.store, request.owner.owner, request.owner.at);
  const account = accountIn(c, accounts);
  return account === undefined ? null : await viewRewards(request, { accounts, account });
});

const claim = ownerForm(ACCOUNT, async (c, { deps, owner, form }) => {
  const accounts = await accountsOf(deps.store, owner.owner, owner.at);
  const account = accountIn(c, accounts);
  if (account === undefined) return c.notFound();
  await deps.claimLimit(c, () => Promise.resolve());
  const { requestId, log } = c.get('request');
  const [key, recipient] = [form.get('key') ?? '', form.get('recipient') ?? ''];
  try {
    const status = await claimByPage(deps, { signedIn: owner, account, key, recipient, requestId });
    log().info({ claimId: status.claim.id, owner: owner.name }, 'claimed by button');
    await waitForClaim(deps, status, CLAIM_PATIENCE);
  } catch (error) {
    const problem = refusalWords(error, account);
    if (problem === null) throw error;
    if (error instanceof AdapterError) log().warn({ reason: error.reason }, 'cannot look up where to pay a claim');
    // The list may have changed.
    deps.addresses.forget(account);
    const view = await viewRewards({ deps, owner }, { accounts, account, problem });
    return await answerMine(c, deps.site, { owner, view });
  }
  return seeOther(c, deps.site.root + rewardsPath(account));
});

/** `GET /my/rewards`, and `GET` and `POST /my/rewards/:platform/:id`. */
export const REWARD_ROUTES: readonly MyRoute[] = [viewFirst, viewOne, claim];
