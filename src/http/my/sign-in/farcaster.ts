import { html } from 'hono/html';
import {
  askFarcaster,
  beginSignIn,
  signInWithFarcaster,
  type WaitingSignIn,
} from '../../../services/owners/sign-in.ts';
import { readNext } from '../../frame/audience.ts';
import { seeOther } from '../../ui/form.ts';
import type { Markup } from '../../ui/layout.ts';
import { answerLive, LIVE_SCRIPT, renderLive } from '../../ui/live-page.ts';
import { drawQrCode } from '../../ui/qr-code.ts';
import { renderTime } from '../../ui/time.ts';
import { SIGNING_IN } from '../audience.ts';
import type { MyContext, MyRoute } from '../context.ts';
import { keepBrowser } from '../cookies.ts';
import { outsidePage, renderNext } from './page.ts';
import { finishSignIn, readSignIn, whenUnanswered } from './sign-in.ts';

/** How often a visible page asks whether the person has answered, in seconds. */
const LOOK_SECONDS = 3;
const UNANSWERED = 'Farcaster does not answer right now. Try again in a minute.';
const REFUSED =
  'This sign-in did not work: it was used, took longer than 10 minutes, began in another browser, or is not confirmed by the account.';

interface Shown {
  readonly nonce: string;
  readonly channel: string;
  readonly next: string;
}

function renderFields({ nonce, channel, next }: Shown): Markup {
  return html`<input type="hidden" name="nonce" value="${nonce}"><input type="hidden" name="channel" value="${channel}">${renderNext(next)}`;
}

async function renderWaiting({ site: { root } }: MyContext, shown: Shown, { url, expiresAt }: WaitingSignIn) {
  const qrCode = await drawQrCode(url, 'QR code that opens the sign-in in the Farcaster app');
  return html`<header class="stack"><h1>Confirm in the Farcaster app</h1>
<p class="lead">Scan the code with your phone, and check that the app names this site. After you confirm, this page shows "Continue".</p></header>
<div class="card funding">
<div class="stack"><p><a class="button primary" href="${url}" rel="noopener">Open the Farcaster app</a></p>
<p class="muted">This sign-in ends at ${renderTime(expiresAt)}. Confirm it only if you opened this page yourself.</p>
<form method="get" action="${root}/my/sign-in/farcaster">${renderFields(shown)}<button>I have confirmed</button></form></div>
<figure class="qr">${qrCode}</figure>
</div>
<p><a href="${root}/my/sign-in">Start again</a></p>`;
}

function renderConfirmed({ site: { root } }: MyContext, shown: Shown): Markup {
  return html`<header class="stack"><h1>You confirmed</h1>
<p class="lead">Continue to sign in.</p></header>
<form class="card" method="post" action="${root}/my/sign-in/farcaster/session">${renderFields(shown)}<button class="primary">Continue</button></form>`;
}

function renderOver({ site: { root } }: MyContext): Markup {
  return html`<header class="stack"><h1>This sign-in is over</h1>
<p class="lead">It was used, took longer than 10 minutes, or began in another browser.</p></header>
<p><a class="button primary" href="${root}/my/sign-in">Start again</a></p>`;
}

const begin = SIGNING_IN.form('/my/sign-in/farcaster', {
  read: ({ deps: { signIn } }, sent) =>
    signIn.farcaster && { farcaster: signIn.farcaster, next: readNext(sent.get('next')) },
  act: async ({ c, deps }, { farcaster, next }) => {
    deps.beginnings.enter(c);
    const { browser, cookie } = keepBrowser(c, deps);
    const { nonce, expiresAt } = await beginSignIn(deps, { way: 'farcaster', browser });
    const { token: channel } = await farcaster.open(nonce, expiresAt);
    const query = new URLSearchParams({ nonce, channel, ...(next === '' ? {} : { next }) });
    return seeOther(c, `${deps.site.root}/my/sign-in/farcaster?${query}`, { 'set-cookie': cookie });
  },
  outage: whenUnanswered(UNANSWERED),
});

const wait = SIGNING_IN.page(
  '/my/sign-in/farcaster',
  async ({ c, deps }) => {
    if (deps.signIn.farcaster === null) return null;
    const { nonce, browser } = readSignIn(c, c.req.query('nonce'));
    const shown = { nonce, channel: c.req.query('channel') ?? '', next: readNext(c.req.query('next')) };
    const waiting = await askFarcaster(deps, { ...shown, browser });
    const answered = waiting === null ? renderOver(deps) : renderConfirmed(deps, shown);
    const isWaiting = waiting !== null && waiting.answer === null;
    const body = isWaiting ? await renderWaiting(deps, shown, waiting) : answered;
    const live = renderLive(body, { every: isWaiting ? LOOK_SECONDS : null });
    const scripts = isWaiting ? [LIVE_SCRIPT] : [];
    return await answerLive(
      c,
      deps.site,
      outsidePage(deps.site, { title: 'Sign in with Farcaster', scripts, body: live }),
    );
  },
  { outage: whenUnanswered(UNANSWERED) },
);

const open = SIGNING_IN.form('/my/sign-in/farcaster/session', {
  read: ({ deps }, sent) =>
    deps.signIn.farcaster && {
      nonce: sent.get('nonce'),
      next: readNext(sent.get('next')),
      channel: sent.get('channel') ?? '',
    },
  act: (visit, { channel, ...sent }) =>
    finishSignIn(visit, sent, {
      way: 'Farcaster',
      refused: REFUSED,
      open: (request) => signInWithFarcaster(visit.deps, { ...request, channel }),
    }),
  outage: whenUnanswered(UNANSWERED),
});

/** `POST /my/sign-in/farcaster` opens a channel, `GET` looks at it, and `POST /my/sign-in/farcaster/session` opens the session. */
export const FARCASTER_ROUTES: readonly MyRoute[] = [begin, wait, open];
