import { html } from 'hono/html';
import type { OwnerSession } from '../../domain/owners/sign-in.ts';
import { endOwnerSession, type SignedIn } from '../../services/owners/sessions.ts';
import type { PageContext } from '../context.ts';
import { renderFormToken, seeOther } from '../ui/form.ts';
import type { Markup } from '../ui/layout.ts';
import { renderTime } from '../ui/time.ts';
import { OWNERS } from './audience.ts';
import type { MyRoute } from './context.ts';
import { OWNER_COOKIE } from './cookies.ts';

/** Every open session of an owner, each with a button that ends it. */
export function renderSessions(
  { site: { root }, clock }: PageContext,
  owner: SignedIn,
  sessions: readonly OwnerSession[],
): Markup {
  const now = clock();
  const items = sessions.map(({ hash, label, createdAt, expiresAt }) => {
    const isThis = hash === owner.session;
    return html`<li class="entry"><div class="entry-mark">${isThis ? html`<strong>This session</strong>` : 'Session'}</div>
<div class="entry-body"><p>${label}</p><p class="muted small">Signed in ${renderTime(createdAt, { now })}, ends ${renderTime(expiresAt, { now })}</p></div>
<div class="entry-action"><form method="post" action="${root}/my/sessions/end">${renderFormToken(owner)}<input type="hidden" name="session" value="${hash}"><button class="slim" aria-label="End the session of ${label}">End</button></form></div></li>`;
  });
  return html`<section class="stack" aria-labelledby="sessions"><h2 id="sessions">Open sessions</h2>
<ul class="entries card">${items}</ul>
<p class="muted small">End every session that you do not know, and then sign in again.</p></section>`;
}

const end = OWNERS.form('/my/sessions/end', {
  read: (_, sent) => sent.get('session') ?? '',
  act: async ({ deps, session: signedIn, actor: { requestId } }, session) => {
    await endOwnerSession(deps, { signedIn, session, requestId });
    return '/my';
  },
});

const signOut = OWNERS.form('/my/sign-out', {
  read: ({ session }) => session,
  act: async ({ c, deps, actor: { requestId } }, signedIn) => {
    await endOwnerSession(deps, { signedIn, session: signedIn.session, requestId });
    return seeOther(c, `${deps.site.root}/my/sign-in`, { 'set-cookie': OWNER_COOKIE.forget(deps.site) });
  },
});

/** `POST /my/sessions/end` and `/my/sign-out`. */
export const SESSION_ROUTES: readonly MyRoute[] = [end, signOut];
