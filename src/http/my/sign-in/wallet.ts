import { html } from 'hono/html';
import type { Address } from '../../../domain/gigs/token.ts';
import { readSignature } from '../../../domain/owners/sign-in.ts';
import { type AskedWallet, beginSignIn, signInWithWallet } from '../../../services/owners/sign-in.ts';
import { readNext } from '../../frame/audience.ts';
import type { Markup } from '../../ui/layout.ts';
import { renderTime } from '../../ui/time.ts';
import { SIGNING_IN } from '../audience.ts';
import type { MyContext, MyRoute } from '../context.ts';
import { keepBrowser } from '../cookies.ts';
import { outsidePage, renderNext, signInPage } from './page.ts';
import { finishSignIn, whenUnanswered } from './sign-in.ts';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const REFUSED =
  'This sign-in did not work: it was used, took longer than 10 minutes, began in another browser, or the signature is another wallet’s.';

/** The wallet that a form names; null when its address or its chain is none. */
function readWallet({ chains }: MyContext, form: URLSearchParams): AskedWallet | null {
  const address = (form.get('address') ?? '').trim();
  const chain = chains.list().find(({ chain: { id } }) => String(id) === form.get('chain'));
  if (!ADDRESS.test(address) || chain === undefined) return null;
  const lower: Address = `0x${address.slice(2).toLowerCase()}`;
  return { address: lower, chainId: chain.chain.id };
}

function renderMessage(
  { site: { root } }: MyContext,
  shown: { wallet: AskedWallet; message: string; nonce: string; expiresAt: number; next: string },
): Markup {
  const { wallet, message, nonce, expiresAt, next } = shown;
  return html`<div class="stack-wide">
<header class="stack"><h1>Sign this message</h1>
<p class="lead">Sign it with your wallet before ${renderTime(expiresAt)}. Sign it only if you opened this page yourself.</p></header>
<pre id="message" class="card said">${message}</pre>
<form class="card stack" method="post" action="${root}/my/sign-in/wallet/session" data-wallet="sign" data-address="${wallet.address}">
<p class="row" id="wallets"></p>
<p id="wallet-said" class="small" role="status"></p>
<input type="hidden" name="nonce" value="${nonce}">
<input type="hidden" name="address" value="${wallet.address}">
<input type="hidden" name="chain" value="${wallet.chainId}">
<input type="hidden" name="message" value="${message}">
${renderNext(next)}
<div><label for="signature">Signature</label>
<textarea id="signature" name="signature" rows="3" autocomplete="off" spellcheck="false" required placeholder="0x…"></textarea></div>
<button class="primary">Sign in</button>
</form>
<p><a href="${root}/my/sign-in">Start again</a></p>
</div>`;
}

const ask = SIGNING_IN.form('/my/sign-in/wallet', {
  read: ({ deps }, sent) =>
    deps.signIn.wallet && {
      signIn: deps.signIn.wallet,
      next: readNext(sent.get('next')),
      wallet: readWallet(deps, sent),
    },
  act: async ({ c, deps }, { signIn, next, wallet }) => {
    if (wallet === null) {
      const problem = 'The address must be 0x and 40 hex digits, and the chain one of the list.';
      return signInPage(deps, { next, problem, status: 400 });
    }
    deps.beginnings.enter(c);
    const { browser, cookie } = keepBrowser(c, deps);
    const begun = await beginSignIn(deps, { way: 'wallet', browser });
    const message = await signIn.message({ ...wallet, ...begun });
    const body = renderMessage(deps, { ...begun, wallet, message, next });
    const shown = outsidePage(deps.site, { title: 'Sign in', body, scripts: ['sign-in.js', 'find-wallets.js'] });
    return { ...shown, headers: { 'set-cookie': cookie } };
  },
});

const MALFORMED =
  'The signature must be 0x and an even number of hex digits, as the wallet returns it. Start again. Signatures wrapped by ERC-8010 are not read.';
const UNANSWERED = 'The chain of this wallet does not answer right now. Try again in a minute.';

const open = SIGNING_IN.form('/my/sign-in/wallet/session', {
  read: ({ deps }, sent) =>
    deps.signIn.wallet && {
      nonce: sent.get('nonce'),
      next: readNext(sent.get('next')),
      wallet: readWallet(deps, sent),
      // A form sends each line break as two characters.
      message: (sent.get('message') ?? '').replaceAll('\r\n', '\n'),
      signature: readSignature(sent.get('signature') ?? ''),
    },
  act: async (visit, { wallet, message, signature, ...sent }) => {
    const { deps } = visit;
    if (signature === null) return signInPage(deps, { next: sent.next, problem: MALFORMED, status: 400 });
    return await finishSignIn(visit, sent, {
      way: 'Wallet',
      refused: REFUSED,
      open: async (request) =>
        wallet === null ? null : await signInWithWallet(deps, { ...request, wallet, message, signature }),
    });
  },
  outage: whenUnanswered(UNANSWERED),
});

/** `POST /my/sign-in/wallet` shows the message, `POST /my/sign-in/wallet/session` takes it signed. */
export const WALLET_ROUTES: readonly MyRoute[] = [ask, open];
