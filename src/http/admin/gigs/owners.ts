import { html } from 'hono/html';
import { invalidRequest } from '../../../domain/errors.ts';
import { OWNER_ALLOWED, OWNER_NAME, OWNER_WALLET } from '../../../domain/facts/access-facts.ts';
import type { Actor } from '../../../domain/operators/actor.ts';
import { type Owner, ownerText, readOwner } from '../../../domain/owners/owner.ts';
import type { OwnerCreators } from '../../../domain/owners/owner-gigs.ts';
import { allowOwner, listAllowedOwners } from '../../../services/owners/allowed-owners.ts';
import { endLinks } from '../../../services/owners/links.ts';
import { endOwnerSessions } from '../../../services/owners/sessions.ts';
import type { PageContext } from '../../context.ts';
import { renderProblem } from '../../frame/deeds.ts';
import type { Entry } from '../../frame/list.ts';
import { type ListQuery, NEWEST, readListQuery, readPage } from '../../frame/list-query.ts';
import { renderBadge } from '../../ui/badges.ts';
import { renderFormToken } from '../../ui/form.ts';
import type { Markup } from '../../ui/layout.ts';
import { OPERATORS } from '../audience.ts';
import type { AdminRoute, OperatorVisit } from '../context.ts';
import { renderFact } from '../facts.ts';
import { viewList } from '../list.ts';
import type { AdminView } from '../view.ts';

const NOT_COUNTED = 'This list has an effect only with listed.';

const LEADS: Readonly<Record<OwnerCreators, string>> = {
  nobody: `OWNER_CREATE is nobody: no one creates gigs in the console. ${NOT_COUNTED}`,
  listed: 'The owners who may create gigs in the console.',
  anybody: `OWNER_CREATE is anybody: everyone may create gigs. ${NOT_COUNTED}`,
};

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

/** Why a form is shown again, and the owner that was typed. */
interface Refused {
  readonly problem: string;
  readonly owner: string;
}

function renderForm({ deps: { site }, session }: OperatorVisit, refused: Refused | undefined): Markup {
  const buttons = Object.entries(LABELS).map(
    ([act, label]) =>
      html`<button name="act" value="${act}"${act === 'allow' ? html` class="primary"` : ''}>${label}</button>`,
  );
  return html`<form class="card stack" method="post" action="${site.root}/admin/owners">${renderFormToken(session)}
<h2>Change an owner</h2>
<p class="muted">An owner that is not allowed keeps the gigs that it has. Links and sessions end at once.</p>
${renderProblem(refused?.problem)}
<div><label for="owner">Account or wallet</label>
<input id="owner" name="owner" value="${refused?.owner ?? ''}" placeholder="farcaster:1003, x:22 or wallet:0x…" autocomplete="off" spellcheck="false" required></div>
<p class="row">${buttons}</p>
</form>`;
}

/** The owners who may create gigs, as `owner list` has them. `refused` says why a change was refused. */
async function viewOwners(visit: OperatorVisit, query: ListQuery<never>, refused?: Refused): Promise<AdminView> {
  const { store, site, config } = visit.deps;
  const { items, ...place } = await readPage(query, (asked) => listAllowedOwners({ store }, asked));
  const entries = items.map(
    (listed): Entry => ({
      id: listed.id,
      badge: renderBadge('allowed', 'ok'),
      time: renderFact(site, OWNER_ALLOWED, listed),
      headline: renderFact(site, OWNER_NAME, listed),
      details: listed.wallet === null ? [] : [html`Linked wallet ${renderFact(site, OWNER_WALLET, listed)}`],
    }),
  );
  const view = viewList(visit, {
    ...place,
    section: 'Owners',
    lead: LEADS[config.ownerCreate],
    noun: 'owner',
    entries,
    empty: 'The list is empty.',
  });
  return { ...view, body: html`${view.body}\n${renderForm(visit, refused)}` };
}

const MALFORMED = 'The owner must be an account such as farcaster:1003 or x:22, or a wallet such as wallet:0x….';

const change = OPERATORS.form('/admin/owners', {
  read: (_, sent) => ({ owner: (sent.get('owner') ?? '').trim(), act: sent.get('act') ?? '' }),
  act: async ({ deps, actor }, { owner: text, act }) => {
    const owner = readOwner(text);
    if (owner === null || !isAct(act)) throw invalidRequest(MALFORMED);
    await RUN[act](deps, { owner, actor });
    return '/admin/owners';
  },
  again: (visit, { text: problem }, { owner }) => viewOwners(visit, NEWEST, { problem, owner }),
});

/** `GET` and `POST /admin/owners`. */
export const OWNER_PAGES: readonly AdminRoute[] = [
  OPERATORS.page('/admin/owners', (visit) => viewOwners(visit, readListQuery(visit, []))),
  change,
];
