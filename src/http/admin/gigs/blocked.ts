import { html } from 'hono/html';
import { type AccountKey, accountKeyText } from '../../../domain/account.ts';
import { invalidRequest } from '../../../domain/errors.ts';
import { BLOCKED_ACCOUNT, BLOCKED_REASON, BLOCKED_SINCE, NONE_BLOCKED } from '../../../domain/facts/blocked-facts.ts';
import { platformField, userIdField } from '../../../domain/fields.ts';
import { PLATFORMS } from '../../../domain/platforms/platforms.ts';
import { blockByHand, pageOfBlocked, unblockByHand } from '../../../services/earning/decide/block-account.ts';
import { readReason } from '../../../services/gigs/freezes.ts';
import { orProblem } from '../../frame/audience.ts';
import { renderProblem } from '../../frame/deeds.ts';
import type { Entry } from '../../frame/list.ts';
import { type ListQuery, NEWEST, PAGE_SIZE, readListQuery } from '../../frame/list-query.ts';
import { renderBadge } from '../../ui/badges.ts';
import { renderFormToken } from '../../ui/form.ts';
import type { Markup } from '../../ui/layout.ts';
import { OPERATORS } from '../audience.ts';
import type { AdminRoute, OperatorVisit } from '../context.ts';
import { renderFact } from '../facts.ts';
import { idOf, renderAction, viewList } from '../list.ts';
import type { AdminView } from '../view.ts';

function renderBlockForm({ deps: { site }, session }: OperatorVisit, problem: string | undefined): Markup {
  return html`<form class="card stack" id="block" method="post" action="${site.root}/admin/blocked">${renderFormToken(session)}
<h2>Block an account</h2>
<p class="muted">It earns nothing from any watched gig from then on. It keeps what it was awarded.</p>
${renderProblem(problem)}
<div><label for="platform">Platform</label>
<select id="platform" name="platform">${PLATFORMS.filter(({ mayBeWatched }) => mayBeWatched).map(({ slug, label }) => html`<option value="${slug}">${label}</option>`)}</select></div>
<div><label for="account">Id of the account, digits only</label>
<input id="account" name="platform_user_id" inputmode="numeric" pattern=" *[0-9]+ *" title="The id, digits only, not the username" autocomplete="off" required></div>
<div><label for="reason">Reason, for operators</label>
<input id="reason" name="reason" maxlength="500" autocomplete="off" required></div>
<div><button class="primary">Block</button></div>
</form>`;
}

/** `problem` says why the requested block was refused. */
async function viewBlocked(visit: OperatorVisit, query: ListQuery<never>, problem?: string): Promise<AdminView> {
  const { store, site } = visit.deps;
  const { blocked, next } = await pageOfBlocked({ store }, { limit: PAGE_SIZE, before: query.position });
  const entries = blocked.map((block): Entry => {
    const said = `Unblock ${accountKeyText(block)}`;
    return {
      id: block.id,
      badge: renderBadge('blocked', 'bad'),
      time: renderFact(site, BLOCKED_SINCE, block),
      headline: renderFact(site, BLOCKED_ACCOUNT, block),
      details: [renderFact(site, BLOCKED_REASON, block)],
      action: renderAction(visit, { path: `/blocked/${block.id}/unblock`, label: 'Unblock', said }),
    };
  });
  const view = viewList(visit, {
    section: 'Blocked',
    lead: 'Accounts that earn nothing from watched gigs, newest block first.',
    noun: 'block',
    entries,
    empty: NONE_BLOCKED,
    query,
    next,
  });
  return { ...view, body: html`${view.body}\n${renderBlockForm(visit, problem)}` };
}

const NO_PLATFORM = 'Choose a platform that is listed.';
const NO_ID = 'The id of the account must be digits only, such as 1001: usernames change hands.';

interface AskedBlock {
  readonly account: AccountKey;
  readonly reason: string;
}

/** @throws DomainError `invalid_request` */
function readBlock(form: URLSearchParams): AskedBlock {
  const platform = platformField('platform').safeParse(form.get('platform'));
  if (!platform.success) throw invalidRequest(NO_PLATFORM);
  const platformUserId = userIdField.safeParse(form.get('platform_user_id')?.trim());
  if (!platformUserId.success) throw invalidRequest(NO_ID);
  const account = { platform: platform.data, platformUserId: platformUserId.data };
  return { account, reason: readReason(form.get('reason') ?? '') };
}

const list = OPERATORS.page('/admin/blocked', (visit) => viewBlocked(visit, readListQuery(visit, [])));

const block = OPERATORS.form('/admin/blocked', {
  read: async (_, sent) => await orProblem(() => readBlock(sent)),
  act: async (visit, asked) => {
    // What cannot be understood; 409 is for what does not fit what is there.
    if (typeof asked === 'string') return { ...(await viewBlocked(visit, NEWEST, asked)), status: 400 };
    await blockByHand(visit.deps, { ...asked, actor: visit.actor });
    return '/admin/blocked';
  },
  again: (visit, { text }) => viewBlocked(visit, NEWEST, text),
});

const unblock = OPERATORS.form('/admin/blocked/:id{[0-9]+}/unblock', {
  read: async (visit) => {
    const id = idOf(visit);
    const [account] = await visit.deps.store.blockedAccounts({ limit: 1, before: id + 1 });
    return account?.id === id ? account : null;
  },
  act: async ({ deps, actor }, account) => {
    await unblockByHand(deps, { account, actor });
    return '/admin/blocked';
  },
  again: (visit, { text }) => viewBlocked(visit, NEWEST, text),
});

/** `GET` and `POST /admin/blocked`, and `POST /admin/blocked/:id/unblock`. */
export const BLOCK_PAGES: readonly AdminRoute[] = [list, block, unblock];
