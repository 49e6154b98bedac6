import type { Context } from 'hono';
import { html } from 'hono/html';
import { type AccountKey, accountKeyText } from '../../../domain/account.ts';
import { invalidRequest } from '../../../domain/errors.ts';
import { BLOCKED_ACCOUNT, BLOCKED_REASON, BLOCKED_SINCE, NONE_BLOCKED } from '../../../domain/facts/blocked-facts.ts';
import { platformField, userIdField } from '../../../domain/fields.ts';
import { PLATFORMS } from '../../../domain/platforms/platforms.ts';
import { blockByHand, pageOfBlocked, unblockByHand } from '../../../services/earning/decide/block-account.ts';
import { readReason } from '../../../services/gigs/freezes.ts';
import { type LoggedIn, operatorActor } from '../../../services/operators/sessions.ts';
import type { PageContext } from '../../context.ts';
import type { App, AppEnv } from '../../middleware/context.ts';
import { renderBadge } from '../../ui/badges.ts';
import { renderFormToken, seeOther } from '../../ui/form.ts';
import type { Markup } from '../../ui/layout.ts';
import { forOperator } from '../access/log-in.ts';
import { renderFact } from '../facts.ts';
import { refusalOf, renderAction } from '../form.ts';
import { type AdminView, answerView } from '../frame.ts';
import { type Entry, type ListQuery, PAGE_SIZE, readId, type Viewer, viewList } from '../list.ts';

function renderBlockForm({ site, operator }: Viewer, problem: string | undefined): Markup {
  return html`<form class="card stack" id="block" method="post" action="${site.root}/admin/blocked">${renderFormToken(operator)}
<h2>Block an account</h2>
<p class="muted">It earns nothing from any watched gig from then on. It keeps what it was awarded.</p>
${problem === undefined ? '' : html`<p class="notice bad" role="alert">${problem}</p>`}
<div><label for="platform">Platform</label>
<select id="platform" name="platform">${PLATFORMS.filter(({ mayBeWatched }) => mayBeWatched).map(({ slug, label }) => html`<option value="${slug}">${label}</option>`)}</select></div>
<div><label for="account">Id of the account, digits only</label>
<input id="account" name="platform_user_id" inputmode="numeric" pattern=" *[0-9]+ *" title="The id, digits only, not the username" autocomplete="off" required></div>
<div><label for="reason">Reason, for operators</label>
<input id="reason" name="reason" maxlength="500" autocomplete="off" required></div>
<div><button class="primary">Block</button></div>
</form>`;
}

interface Refused {
  readonly problem: string;
  /** 400 for what cannot be understood, 409 for what does not fit what is there. */
  readonly status: 400 | 409;
}

/** `GET /admin/blocked`. `refused` says why the requested block was refused. */
export async function viewBlocked(
  { store, site }: PageContext,
  { query, operator, refused }: { query: ListQuery<never>; operator: LoggedIn; refused?: Refused },
): Promise<AdminView> {
  const { blocked, next } = await pageOfBlocked({ store }, { limit: PAGE_SIZE, before: query.before });
  const entries = blocked.map((block): Entry => {
    const said = `Unblock ${accountKeyText(block)}`;
    return {
      id: block.id,
      badge: renderBadge('blocked', 'bad'),
      time: renderFact(site, BLOCKED_SINCE, block),
      headline: renderFact(site, BLOCKED_ACCOUNT, block),
      details: [renderFact(site, BLOCKED_REASON, block)],
      action: renderAction(site, operator, { path: `/blocked/${block.id}/unblock`, label: 'Unblock', said }),
    };
  });
  const view = viewList({
    site,
    section: 'Blocked',
    lead: 'Accounts that earn nothing from watched gigs, newest block first.',
    noun: 'block',
    entries,
    empty: NONE_BLOCKED,
    query,
    next,
  });
  const body = html`${view.body}
${renderBlockForm({ site, operator }, refused?.problem)}`;
  return refused === undefined ? { ...view, body } : { ...view, body, status: refused.status };
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

interface Change<Asked> {
  readonly operator: LoggedIn;
  readonly read: () => Asked;
  readonly run: (asked: Asked) => Promise<void>;
}

async function change<Asked>(
  c: Context<AppEnv>,
  ctx: PageContext,
  { operator, read, run }: Change<Asked>,
): Promise<Response> {
  const { site } = ctx;
  let status: Refused['status'] = 400;
  try {
    const asked = read();
    status = 409;
    await run(asked);
  } catch (error) {
    const query = { state: undefined, before: undefined };
    const refused = { problem: refusalOf(error), status };
    const view = await viewBlocked(ctx, { query, operator, refused });
    return await answerView(c, site, { operator, view });
  }
  return seeOther(c, `${site.root}/admin/blocked`);
}

/** The forms of the list of blocked accounts. */
export function addBlockForms(app: App, deps: PageContext): void {
  const { store, clock } = deps;
  app.post(
    '/admin/blocked',
    forOperator(deps, (c, operator, form) => {
      const actor = operatorActor(operator, c.get('request').requestId);
      const run = (asked: AskedBlock) => blockByHand({ store, clock }, { ...asked, actor });
      return change(c, deps, { operator, read: () => readBlock(form), run });
    }),
  );
  app.post(
    '/admin/blocked/:id{[0-9]+}/unblock',
    forOperator(deps, async (c, operator) => {
      const id = readId(c.req.param('id')) ?? 0;
      const [account] = await store.blockedAccounts({ limit: 1, before: id + 1 });
      if (account?.id !== id) return c.notFound();
      const actor = operatorActor(operator, c.get('request').requestId);
      const run = (asked: AccountKey) => unblockByHand({ store, clock }, { account: asked, actor });
      return await change(c, deps, { operator, read: () => account, run });
    }),
  );
}
