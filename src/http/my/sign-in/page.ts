import { html } from 'hono/html';
import type { ChainReader } from '../../../domain/chains/chain.ts';
import type { PageContext } from '../../context.ts';
import { renderProblem } from '../../frame/deeds.ts';
import type { Markup, Root, Site } from '../../ui/layout.ts';
import { type PageAnswer, publicNavigation } from '../../ui/page.ts';
import { renderHowToLink } from '../how-to-link.ts';
import { MY_LOOK } from '../view.ts';

/** The form field that carries where to return to. */
export function renderNext(next: string): Markup | '' {
  return next === '' ? '' : html`<input type="hidden" name="next" value="${next}">`;
}

/** A page of somebody who has not signed in. */
export function outsidePage(
  site: Site,
  { title, body, scripts = [] }: { title: string; body: Markup; scripts?: readonly string[] },
): PageAnswer {
  return { ...MY_LOOK, title, nav: publicNavigation(site, 'sign in'), scripts, body };
}

function renderFarcaster({ root }: Root, next: string): Markup {
  return html`<form class="card stack" method="post" action="${root}/my/sign-in/farcaster">
<h2>Farcaster</h2>
<p class="muted">Confirm with the Farcaster app on your phone.</p>
${renderNext(next)}<button class="primary">Sign in with Farcaster</button>
</form>`;
}

function renderChains(chains: readonly ChainReader[]): Markup {
  const [first] = chains;
  if (chains.length === 1 && first !== undefined) {
    return html`<input type="hidden" name="chain" value="${first.chain.id}">`;
  }
  return html`<div><label for="chain">Chain</label>
<select id="chain" name="chain">${chains.map(({ chain: { id, name } }) => html`<option value="${id}">${name}</option>`)}</select></div>`;
}

function renderWallet({ site: { root }, chains, platforms }: PageContext, next: string): Markup {
  return html`<form class="card stack" method="post" action="${root}/my/sign-in/wallet" data-wallet="ask">
<h2>Wallet</h2>
<p class="muted">Your wallet signs a message. This costs nothing and moves nothing.</p>
<p class="row" id="wallets"></p>
<p id="wallet-said" class="small" role="status"></p>
<div><label for="address">Address of your wallet</label>
<input id="address" name="address" autocomplete="off" spellcheck="false" required placeholder="0x…"></div>
${renderChains(chains.list())}
${renderNext(next)}<button>Show the message</button>
<p class="muted small">Are you on X, or without the Farcaster app? ${renderHowToLink(platforms, null)}</p>
</form>`;
}

/** `/my/sign-in`: the ways that are on. `problem` says why it is shown again, `next` where to return to. */
export function signInPage(
  deps: PageContext,
  { next, problem, status = 200 }: { next: string; problem?: string | undefined; status?: number },
): PageAnswer {
  const { site, signIn } = deps;
  const body = html`<div class="stack-wide">
<header class="stack"><h1>Sign in</h1>
<p class="lead">See and run the gigs that you own, and claim your rewards.</p></header>
${renderProblem(problem)}
${signIn.farcaster === null ? '' : renderFarcaster(site, next)}
${signIn.wallet === null ? '' : renderWallet(deps, next)}
</div>`;
  const scripts = signIn.wallet === null ? [] : ['sign-in.js', 'find-wallets.js'];
  return { ...outsidePage(site, { title: 'Sign in', body, scripts }), status };
}
