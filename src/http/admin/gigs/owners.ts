import { html } from 'hono/html';
import { invalidRequest } from '../../../domain/errors.ts';
import { OWNER_ALLOWED, OWNER_NAME, OWNER_WALLET } from '../../../domain/facts/access-facts.ts';
import type { Actor } from '../../../domain/operators/actor.ts';
import { type Owner, ownerText, readOwner } from '../../../domain/owners/owner.ts';
import { type LoggedIn, operatorActor } from '../../../services/operators/sessions.ts';
import { allowOwner, listAllowedOwners } from '../../../services/owners/allowed-owners.ts';
import { endLinks } from '../../../services/owners/links.ts';
import { endOwnerSessions } from '../../../services/owners/sessions.ts';
import type { PageContext } from '../../context.ts';
import type { App } from '../../middleware/context.ts';
import { renderBadge } from '../../ui/badges.ts';
import { renderFormToken, seeOther } from '../../ui/form.ts';
import type { Markup } from '../../ui/layout.ts';
import { forOperator } from '../access/log-in.ts';
import { renderFact } from '../facts.ts';
import { refusalOf } from '../form.ts';
import { type AdminView, answerView } from '../frame.ts';
import { type Entry, type ListQuery, PAGE_SIZE, type Viewer, viewList } from '../list.ts';

type Act = 'allow' | 'disallow' | 'sign-out' | 'unlink';

const LABELS: Readonly<Record<Act, string>> = {
  allow: 'Allow to create gigs',
  disallow: 'Disallow',
  'sign-out': 'End all sessions',
  unlink: 'End all links',
};

interface Asked {
  readonly owner: Owner;
  readonly actor: Actor;
}

const RUN: Readonly<Record<Act, (deps: PageContext, asked: Asked) => Promise<unknown>>> = {
  allow: (deps, asked) => allowOwner(deps, { ...asked, isAllowed: true }),
  disallow: (deps, asked) => allowOwner(deps, { ...asked, isAllowed: false }),
  'sign-out': async (deps, { owner, actor }) => {
    const name = ownerText(owner);
    const ended = await endOwnerSessions(deps, { owner: name, actor });
    if (ended === 0) throw invalidRequest(`${name} has no open session.`);
  },
  unlink: (deps, asked) => endLinks(deps, asked),
};

function isAct(text: string): text is Act {
  return Object.hasOwn(RUN, text);
}

interface Refused {
  readonly problem: string;
  readonly owner: string;
}

function renderForm({ site, operator }: Viewer, refused: Refused | undefined): Markup {
  const buttons = Object.entries(LABELS).map(
    ([act, label]) =>
      html`<button name="act" value="${act}"${act === 'allow' ? html` class="primary"` : ''}>${label}</button>`,
  );
  return html`<form class="card stack" method="post" action="${site.root}/admin/owners">${renderFormToken(operator)}
<h2>Change an owner</h2>
<p class="muted">An owner that is not allowed keeps the gigs that it has. Links and sessions end at once.</p>
${refused === undefined ? '' : html`<p class="notice bad" role="alert">${refused.problem}</p>`}
<div><label for="owner">Account or wallet</label>
<input id="owner" name="owner" value="${refused?.owner ?? ''}" placeholder="farcaster:1003, x:22 or wallet:0x…" autocomplete="off" spellcheck="false" required></div>
<p class="row">${buttons}</p>
</form>`;
}

/** `GET /admin/owners`: the owners who may create gigs, as `owner list` has them. `refused` says why a change was refused. */
export async function viewOwners(
  { store, site, config }: PageContext,
  { query, operator, refused }: { query: ListQuery<never>; operator: LoggedIn; refused?: Refused },
): Promise<AdminView> {
  const found = await listAllowedOwners({ store }, { limit: PAGE_SIZE + 1, before: query.before });
  const shown = found.slice(0, PAGE_SIZE);
  const entries = shown.map(
    (listed): Entry => ({
      id: listed.id,
      badge: renderBadge('allowed', 'ok'),
      time: renderFact(site, OWNER_ALLOWED, listed),
      headline: renderFact(site, OWNER_NAME, listed),
      details: listed.wallet === null ? [] : [html`Linked wallet ${renderFact(site, OWNER_WALLET, listed)}`],
    }),
  );
  const view = viewList({
    site,
    section: 'Owners',
    lead: `The owners who may create gigs in the console where OWNER_CREATE is listed; here it is ${config.ownerCreate}.`,
    noun: 'owner',
    entries,
    empty: 'No owner is allowed.',
    query,
    next: found.length > PAGE_SIZE ? (shown.at(-1)?.id ?? null) : null,
  });
  const body = html`${view.body}
${renderForm({ site, operator }, refused)}`;
  return refused === undefined ? { ...view, body } : { ...view, body, status: 409 };
}

/** The form of the list of owners. */
export function addOwnerForms(app: App, deps: PageContext): void {
  app.post(
    '/admin/owners',
    forOperator(deps, async (c, operator, form) => {
      const text = (form.get('owner') ?? '').trim();
      try {
        const owner = readOwner(text);
        const act = form.get('act') ?? '';
        if (owner === null || !isAct(act)) {
          throw invalidRequest(
            'The owner must be an account such as farcaster:1003 or x:22, or a wallet such as wallet:0x….',
          );
        }
        await RUN[act](deps, { owner, actor: operatorActor(operator, c.get('request').requestId) });
      } catch (error) {
        const query = { state: undefined, before: undefined };
        const view = await viewOwners(deps, { query, operator, refused: { problem: refusalOf(error), owner: text } });
        return await answerView(c, deps.site, { operator, view });
      }
      return seeOther(c, `${deps.site.root}/admin/owners`);
    }),
  );
}
