import { html } from 'hono/html';
import type { LoggedIn } from '../../services/operators/sessions.ts';
import type { PageContext } from '../context.ts';
import { renderProblem } from '../frame/deeds.ts';
import { renderFormToken } from '../ui/form.ts';
import type { Markup, PageOptions, Root, Site } from '../ui/layout.ts';
import { answerLive, LIVE_SCRIPT, renderLive } from '../ui/live-page.ts';
import type { PageAnswer } from '../ui/page.ts';
import { renderTime } from '../ui/time.ts';
import type { OperatorVisit } from './context.ts';

const SECTIONS = [
  ['', 'Overview'],
  ['/mentions', 'Mentions'],
  ['/replies', 'Replies'],
  ['/payments', 'Payments'],
  ['/claims', 'Claims'],
  ['/gigs', 'Gigs'],
  ['/blocked', 'Blocked'],
  ['/owners', 'Owners'],
  ['/webhooks', 'Webhooks'],
  ['/keys', 'API keys'],
  ['/audit', 'Audit'],
] as const;

export type Section = (typeof SECTIONS)[number][1];

/** The path of a section's page below the site's root. */
export function pathOf(section: Section): string {
  return `/admin${SECTIONS.find(([, label]) => label === section)?.[0] ?? ''}`;
}

/** How often a visible page asks whether it has changed, in seconds. */
const REFRESH_SECONDS = 3;

export interface AdminView {
  readonly title: string;
  /** Null for a page of no section. */
  readonly section: Section | null;
  readonly body: Markup;
  readonly status?: number;
  /** What was searched for; empty when absent. */
  readonly asked?: string;
  /** {@link REFRESH_SECONDS} when absent. */
  readonly refreshSeconds?: number;
}

/** Finds a person, a post, a payment or a gig by what the operator was given. */
function renderSearch({ root }: Root, asked: string): Markup {
  return html`<form role="search" class="search" method="get" action="${root}/admin/find"><input type="search" name="q" value="${asked}" aria-label="Find" placeholder="@alice, gig 5, 0x…" maxlength="500" spellcheck="false" autocapitalize="off"><button class="slim">Find</button></form>`;
}

function renderLogOut({ root }: Root, operator: LoggedIn): Markup {
  return html`<form method="post" action="${root}/admin/logout">${renderFormToken(operator)}<button class="slim">Log out</button></form>`;
}

const LOOK = { styles: ['admin.css'], wide: true } as const;

function pageOf(site: Site, operator: LoggedIn, view: AdminView): PageOptions {
  const { root } = site;
  const { title, section, body, status, refreshSeconds = REFRESH_SECONDS, asked = '' } = view;
  // The next look would take away why a form was refused, and what was typed since.
  const every = status === undefined ? refreshSeconds : null;
  return {
    ...LOOK,
    title: `${title} · operator`,
    home: { href: `${root}/admin`, label: `${site.brand.name} operator` },
    nav: SECTIONS.filter(([, label]) => label !== 'Owners' || site.ownersSignIn).map(([path, label]) => ({
      href: `${root}/admin${path}`,
      label,
      current: label === section,
    })),
    aside: html`${renderSearch(site, asked)}${renderLogOut(site, operator)}`,
    scripts: [LIVE_SCRIPT],
    body: renderLive(body, { every }),
    footer: html`Logged in with ${operator.apiKeyId === null ? html`${operator.name}` : html`the API key “${operator.name}”`} until ${renderTime(operator.expiresAt)}.`,
  };
}

/** The page for an operator whose path leads nowhere, with the menu. */
export function missingView(_: OperatorVisit, sentence: string): AdminView {
  return { title: 'Not found', section: null, status: 404, body: html`<h1>Not found</h1>\n<p>${sentence}</p>` };
}

/** Answers with an operator's page, or with 304 when the client has the same version. */
export async function answerView({ c, deps: { site }, session }: OperatorVisit, view: AdminView): Promise<Response> {
  const { status } = view;
  return await answerLive(c, site, { ...pageOf(site, session, view), ...(status === undefined ? {} : { status }) });
}

function formPage({ root, brand }: Site, { path, fields }: { path: string; fields: Markup }): PageOptions {
  return {
    ...LOOK,
    wide: false,
    title: 'Log in · operator',
    home: { href: `${root}/admin`, label: `${brand.name} operator` },
    body: html`<form class="log-in card stack" method="post" action="${root}/admin${path}">
<h1>Log in</h1>
${fields}
</form>`,
  };
}

/** The log-in page. `next` is the page to return to; `problem` says why it is shown again. */
export function logInPage(
  { site }: PageContext,
  { next, problem, status }: { next: string; problem?: string; status: number },
): PageAnswer {
  const told = problem === undefined ? '' : html` aria-invalid="true" aria-describedby="problem"`;
  const fields = html`<p class="muted">Mentions, replies, payments and gigs of this service, and what needs attention.</p>
${renderProblem(problem)}
<div><label for="key">API key</label>
<input id="key" name="key" type="password" autocomplete="current-password" spellcheck="false" required autofocus${told}></div>
<input type="hidden" name="next" value="${next}">
<button class="primary">Log in</button>
<p class="muted small">Log in with a key that has the scope <code>operator</code>, or with the one-time link that <code>npm run admin -- login</code> prints.</p>`;
  return { ...formPage(site, { path: '/session', fields }), status };
}

/** The page behind a log-in link: it has a button, because link-following programs would otherwise consume the link. */
export function confirmPage(site: Site, { link }: { link: string }): PageOptions {
  const fields = html`<p class="muted">This link logs this browser in as the operator, once.</p>
<input type="hidden" name="link" value="${link}">
<button class="primary" autofocus>Log in</button>`;
  return formPage(site, { path: '/login', fields });
}
