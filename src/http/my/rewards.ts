import { html } from 'hono/html';
import type { Account, AccountKey } from '../../domain/account.ts';
import { type Address, checksummed } from '../../domain/gigs/token.ts';
import { botName } from '../../domain/mentions/mention.ts';
import { isEnsName } from '../../domain/names/ens-name.ts';
import type { KnownName } from '../../domain/names/names.ts';
import { PAPER_FORMS } from '../../domain/papers/paper-csv.ts';
import { platformFacts, platformNamed } from '../../domain/platforms/platforms.ts';
import { CLAIM_PATIENCE, waitForClaim } from '../../services/claims/claim-progress.ts';
import { findAccountClaims } from '../../services/claims/find-account-claims.ts';
import { accountsOf } from '../../services/gigs/owner-accounts.ts';
import { switchByPage } from '../../services/notifications/switch-notifications.ts';
import { joinByPage } from '../../services/owners/join.ts';
import { claimByPage, namesToPay, newClaimKey } from '../../services/owners/rewards.ts';
import { readEarnerPapers } from '../../services/papers/read-papers.ts';
import { findDust } from '../../services/payments/gas-tank.ts';
import { orProblem } from '../frame/audience.ts';
import { renderProblem } from '../frame/deeds.ts';
import { accountLabel, type ClaimView, paysSomething, renderClaims } from '../pages/claims/claim-page.ts';
import { answerPapers, renderPaperButtons } from '../papers.ts';
import { renderAmount } from '../ui/amounts.ts';
import { renderFormToken } from '../ui/form.ts';
import type { Markup, Root } from '../ui/layout.ts';
import { renderUntrusted, renderWholeAddress } from '../ui/text.ts';
import { OWNERS } from './audience.ts';
import type { MyContext, MyRoute, OwnerVisit } from './context.ts';
import { renderHowToLink } from './how-to-link.ts';
import { renderJoin } from './join.ts';
import type { MyView } from './view.ts';

const PAYMENTS_SHOWN = 20;

/** The path of an account's rewards, below the root. */
function rewardsPath({ platform, platformUserId }: AccountKey): string {
  return `/my/rewards/${platformFacts(platform).slug}/${platformUserId}`;
}

function labelOf({ platform, platformUserId, username }: Account): string {
  const account = { platform, platformUserId, username };
  return `${accountLabel({ name: { platform, platformUserId }, account })} on ${platformFacts(platform).label}`;
}

function renderAccounts({ root }: Root, accounts: readonly Account[], shown: Account): Markup | '' {
  if (accounts.length < 2) return '';
  const items = accounts.map((account) => {
    const current = account === shown ? html` aria-current="page"` : '';
    return html`<li><a href="${root}${rewardsPath(account)}"${current}>${renderUntrusted(labelOf(account))}</a></li>`;
  });
  return html`<nav aria-label="Your accounts"><ul class="row">${items}</ul></nav>`;
}

function renderRecipients(addresses: readonly Address[], names: readonly KnownName[]): Markup {
  const [first] = addresses;
  if (addresses.length === 1 && names.length === 0 && first !== undefined) {
    return html`<input type="hidden" name="recipient" value="${first}"><p>Paid to ${renderWholeAddress(first)}</p>`;
  }
  const options = [
    ...addresses.map((address) => html`<option value="${address}">${checksummed(address)}</option>`),
    ...names.map(({ name, address }) => html`<option value="${name}">${name}: ${checksummed(address)}</option>`),
  ];
  return html`<div><label for="recipient">Pay to</label>
<select id="recipient" name="recipient">${options}</select></div>`;
}

function unanswered({ platform }: AccountKey): string {
  return `${platformFacts(platform).label} does not answer right now, so nothing was changed. Try again in a minute.`;
}

const NAME_UNANSWERED =
  'The name cannot be looked up right now, so nothing was changed. Try again in a minute, or choose an address.';

async function renderForm(visit: OwnerVisit, account: Account): Promise<Markup> {
  const { deps, session } = visit;
  const addresses = await orProblem(() => deps.addresses.of({ account, owner: session.owner }), unanswered(account));
  if (typeof addresses === 'string') return html`<p class="notice wait">${addresses}</p>`;
  const names = await namesToPay(deps, account);
  const { label, hasVerifiedAddress } = platformFacts(account.platform);
  if (addresses.length + names.length === 0) {
    return html`<p class="notice wait">The account has no verified Ethereum address. Verify one on ${label}, then reload this page in a minute.</p>`;
  }
  const explained = hasVerifiedAddress
    ? `We pay only your verified addresses. To use another one, verify it on ${label} first: it appears here within 10 minutes.`
    : 'Your tokens go to the wallet that you signed in with.';
  return html`<form class="stack" method="post" action="${deps.site.root}${rewardsPath(account)}">${renderFormToken(session)}
<input type="hidden" name="key" value="${newClaimKey(deps)}">
${renderRecipients(addresses, names)}
<p class="row"><button class="primary">Claim everything</button></p>
<p class="muted small">${explained}${names.length === 0 ? '' : ' A name is paid only while it leads to the address that you confirmed.'} A claim takes up to 20 seconds.</p>
</form>`;
}

/** What a claim would pay although its gas costs more. */
function renderDust({ gasTank }: MyContext, { claimable }: ClaimView): Markup | '' {
  const amounts = findDust(gasTank, claimable).map(({ total, token }) => renderAmount(total, token));
  if (amounts.length === 0) return '';
  return html`<p id="dust" class="muted">Worth less than the gas of its payment: ${amounts.map((amount, index) => html`${index === 0 ? '' : ', '}${amount}`)}. You can wait until you have earned more.</p>`;
}

async function renderClaiming(visit: OwnerVisit, account: Account, view: ClaimView): Promise<Markup | ''> {
  if (view.claimable.length === 0) return '';
  if (!paysSomething(view)) return html`<p class="muted">You need not claim anything now.</p>`;
  return html`<section class="card stack" aria-labelledby="claim"><h2 id="claim">Claim</h2>
${renderDust(visit.deps, view)}${await renderForm(visit, account)}
</section>`;
}

function viewNobody({ deps, session: { owner } }: OwnerVisit, waits: boolean): MyView {
  const wallet = owner.kind === 'wallet' ? owner.address : null;
  const isContract = owner.kind === 'wallet' && owner.chainId !== null;
  return {
    title: 'My rewards',
    section: 'My rewards',
    body: html`<h1>My rewards</h1>
<p class="card muted">${
      isContract
        ? 'No account can be linked to a contract’s wallet. Sign in with another wallet, or with Farcaster.'
        : html`${waits ? 'Link pending. It works 10 minutes after the bot’s reply; keep your post up.' : html`No account is linked to your wallet. ${renderHowToLink(deps.platforms, wallet)}`}`
    }</p>`,
  };
}

/** Whether notifications are sent to accounts like this one. */
function canNotify({ config }: MyContext, { platform }: AccountKey): boolean {
  return config.notifications !== null && platformFacts(platform).sendsNotifications;
}

/** Whether the account gets notifications, with a button that changes it; nothing where none are sent. */
async function renderNotifications({ deps, session }: OwnerVisit, account: Account): Promise<Markup | ''> {
  const { site, store } = deps;
  if (!canNotify(deps, account)) return '';
  const isOff = await store.hasNotificationsOff(account);
  const words = isOff ? 'Notifications are off.' : 'On, once you have added the mini app.';
  const action = `${site.root}${rewardsPath(account)}/notifications`;
  return html`<section class="card stack" aria-labelledby="notifications"><h2 id="notifications">Notifications</h2>
<form class="row" method="post" action="${action}">${renderFormToken(session)}
<input type="hidden" name="off" value="${isOff ? 'false' : 'true'}">
<p>${words}</p><button class="slim">${isOff ? 'Turn on' : 'Turn off'}</button></form>
</section>`;
}

/** One of the accounts of an owner. */
interface ShownAccount {
  readonly accounts: readonly Account[];
  readonly account: Account;
}

/** The rewards of one account. `problem` says why the last form was refused. */
async function viewRewards(visit: OwnerVisit, { accounts, account }: ShownAccount, problem?: string): Promise<MyView> {
  const { deps } = visit;
  const { platform, platformUserId } = account;
  const name = { platform, platformUserId };
  const found = await findAccountClaims(deps, { name, limit: PAYMENTS_SHOWN });
  const bot = botName(deps.platforms, platform);
  const view: ClaimView = { ...found, name, now: deps.clock(), bot };
  return {
    title: `My rewards: ${labelOf(account)}`,
    section: 'My rewards',
    body: html`${renderAccounts(deps.site, accounts, account)}
${renderProblem(problem)}
${renderClaims(view, deps.site, await renderClaiming(visit, account, view))}
${renderJoin(visit, { account, path: rewardsPath(account) })}
${found.paid.length === 0 ? '' : html`<p class="row">${renderPaperButtons(deps.site, rewardsPath(account))}</p>`}
${await renderNotifications(visit, account)}`,
  };
}

async function findAccounts({ deps, session }: OwnerVisit): Promise<readonly Account[]> {
  return await accountsOf(deps.store, session.owner, session.at);
}

/** The account that a path names, if it is one of the owner's. */
async function findShown(visit: OwnerVisit): Promise<ShownAccount | null> {
  const platform = platformNamed(visit.c.req.param('platform') ?? '');
  const id = visit.c.req.param('id');
  const accounts = await findAccounts(visit);
  const account = accounts.find((each) => each.platform === platform && each.platformUserId === id);
  return account === undefined ? null : { accounts, account };
}

async function viewRefused(visit: OwnerVisit, shown: ShownAccount, problem: string): Promise<MyView> {
  // The list of addresses may have changed.
  visit.deps.addresses.forget(shown.account);
  return await viewRewards(visit, shown, problem);
}

const viewFirst = OWNERS.page('/my/rewards', async (visit) => {
  const accounts = await findAccounts(visit);
  const [account] = accounts;
  if (account !== undefined) return await viewRewards(visit, { accounts, account });
  const { owner } = visit.session;
  const waits = owner.kind === 'wallet' && (await visit.deps.store.linksTo(owner.address)).length > 0;
  return viewNobody(visit, waits);
});

const ACCOUNT = '/my/rewards/:platform{[a-z]+}/:id{[0-9]+}';

const viewOne = OWNERS.page(ACCOUNT, async (visit) => {
  const shown = await findShown(visit);
  return shown && (await viewRewards(visit, shown));
});

const claim = OWNERS.form(ACCOUNT, {
  read: async (visit, sent) => {
    const shown = await findShown(visit);
    return shown && { shown, key: sent.get('key') ?? '', recipient: sent.get('recipient') ?? '' };
  },
  act: async ({ c, deps, session, actor: { requestId } }, { shown: { account }, key, recipient }) => {
    await deps.claimLimit(c, () => Promise.resolve());
    const status = await claimByPage(deps, { signedIn: session, account, key, recipient, requestId });
    c.get('request').log().info({ claimId: status.claim.id, owner: session.name }, 'claimed by button');
    await waitForClaim(deps, status, CLAIM_PATIENCE);
    return rewardsPath(account);
  },
  again: (visit, { text }, { shown }) => viewRefused(visit, shown, text),
  outage: {
    log: 'cannot look up where to pay a claim',
    show: (visit, { shown, recipient }) =>
      viewRefused(visit, shown, isEnsName(recipient) ? NAME_UNANSWERED : unanswered(shown.account)),
  },
});

const notify = OWNERS.form(`${ACCOUNT}/notifications`, {
  read: async (visit, sent) => {
    const shown = await findShown(visit);
    return shown && canNotify(visit.deps, shown.account) ? { ...shown, off: sent.get('off') !== 'false' } : null;
  },
  act: async ({ deps, session: signedIn, actor: { requestId } }, { account, off }) => {
    await switchByPage(deps, { signedIn, account, off, requestId });
    return rewardsPath(account);
  },
});

const papers = PAPER_FORMS.map((form) =>
  OWNERS.page(`${ACCOUNT}/${form.name}.csv`, async (visit) => {
    const shown = await findShown(visit);
    if (shown === null) return null;
    const { platform, platformUserId } = shown.account;
    const about = `rewards-${platformFacts(platform).slug}-${platformUserId}`;
    return answerPapers(visit.c, visit.deps, { form, papers: readEarnerPapers(visit.deps, shown.account), about });
  }),
);

const join = OWNERS.form(`${ACCOUNT}/join`, {
  read: async (visit, sent) => {
    const shown = await findShown(visit);
    return shown && { shown, gig: sent.get('gig') ?? '' };
  },
  act: async ({ deps, session: signedIn }, { shown: { account }, gig }) => {
    await joinByPage(deps, { signedIn, account, gig });
    return rewardsPath(account);
  },
  again: (visit, { text }, { shown }) => viewRefused(visit, shown, text),
});

/** `GET /my/rewards`, `GET` and `POST /my/rewards/:platform/:id`, and below it `POST` of `notifications` and `join`, and `GET` of papers. */
export const REWARD_ROUTES: readonly MyRoute[] = [viewFirst, viewOne, claim, notify, join, ...papers];
