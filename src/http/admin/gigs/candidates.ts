import type { Context } from 'hono';
import { html } from 'hono/html';
import { formatAmount } from '../../../domain/amount.ts';
import { decisionsField, type GivenDecision } from '../../../domain/earning/payouts/decisions.ts';
import { deciderWords } from '../../../domain/earning/payouts/verifier.ts';
import { factsWords } from '../../../domain/earning/words/reason-words.ts';
import { DomainError, invalidRequest } from '../../../domain/errors.ts';
import { platformFacts } from '../../../domain/platforms/platforms.ts';
import { decideNow } from '../../../services/earning/decide/decide-candidates.ts';
import {
  type Candidates,
  listCandidates,
  missingWords,
  type ReadSubmission,
} from '../../../services/earning/decide/list-candidates.ts';
import { type LoggedIn, operatorActor } from '../../../services/operators/sessions.ts';
import type { PageContext } from '../../context.ts';
import type { App, AppEnv } from '../../middleware/context.ts';
import { renderBadge } from '../../ui/badges.ts';
import { renderFormToken, seeOther } from '../../ui/form.ts';
import type { Markup } from '../../ui/layout.ts';
import { renderAccount, renderMoment, renderUntrusted } from '../../ui/text.ts';
import { forOperator } from '../access/log-in.ts';
import { refusalOf } from '../form.ts';
import { type AdminView, answerView } from '../frame.ts';
import { type Entry, PAGE_SIZE, readId, type Viewer, viewList } from '../list.ts';

interface Refused {
  readonly problem: string;
  readonly id: number;
  readonly award: string;
  readonly refuse: string;
}

function renderDecide(
  { site, operator }: Viewer,
  { gig, maxAmount }: Candidates,
  { id, award, refuse }: Omit<Refused, 'problem'>,
): Markup {
  const most = `${formatAmount(maxAmount, gig.token.decimals)} ${gig.token.symbol}`;
  return html`<form class="stack" method="post" action="${site.root}/admin/gigs/${gig.id}/candidates/${id}">${renderFormToken(operator)}
<div><label for="award${id}">Award, at most ${most}</label>
<input id="award${id}" name="award" value="${award}" inputmode="decimal" autocomplete="off"></div>
<div><label for="refuse${id}">Or refuse, because: its account reads it</label>
<input id="refuse${id}" name="refuse" value="${refuse}" maxlength="500" autocomplete="off"></div>
<div><button class="slim" aria-label="Decide about ${id}">Decide</button></div>
</form>`;
}

function toEntry(
  viewer: Viewer,
  { candidates, refused }: { candidates: Candidates; refused: Refused | undefined },
  submission: ReadSubmission,
): Entry {
  const { earning, postId, postedAt, text, missing } = submission;
  const { observationId: id, platform, facts } = earning;
  const url = platformFacts(platform).postUrl?.(postId);
  const filled = refused?.id === id ? refused : { id, award: '', refuse: '' };
  const said =
    text === null
      ? html`<p class="muted">Its text cannot be read now: ${missingWords(missing ?? 'gone', platform)}.</p>`
      : html`<p class="said">${renderUntrusted(text)}</p>`;
  return {
    id,
    badge: renderBadge('to be decided', 'wait'),
    time: renderMoment(postedAt ?? earning.rankedAt),
    headline: renderAccount({ ...earning, username: facts?.username ?? null }),
    details: [
      said,
      html`<p class="muted">Known: ${factsWords(facts)}${url === undefined ? '' : html`; <a href="${url}">the post</a>`}</p>`,
      renderDecide(viewer, candidates, filled),
    ],
  };
}

/**
 * `GET /admin/gigs/:id/candidates`: submissions to a bounty that are to be decided about, each with a form. `refused` is
 * the form that was refused, and why.
 * @throws DomainError `gig_not_found`, or `invalid_request` when the gig has no verifier rule
 */
export async function viewCandidates(
  { store, platforms, verifiers, site }: PageContext,
  { id, operator, refused }: { id: number; operator: LoggedIn; refused?: Refused },
): Promise<AdminView> {
  const found = await listCandidates({ store, platforms, verifiers }, { gigId: id, limit: PAGE_SIZE });
  const view = viewList({
    site,
    section: 'Gigs',
    path: `/admin/gigs/${id}/candidates`,
    title: `Submissions to gig ${id}`,
    lead: `Submissions that passed the gates and wait for a decision, those that wait longest first, at most ${PAGE_SIZE}. They are ${deciderWords(found.decidedBy)}${found.decidedBy === 'hand' ? '' : ', and can be decided here, too'}.`,
    noun: 'submission',
    entries: found.submissions.map((each) => toEntry({ site, operator }, { candidates: found, refused }, each)),
    empty: 'There is nothing to decide.',
    query: { state: undefined, before: undefined },
    next: null,
  });
  if (refused === undefined) return view;
  return { ...view, body: html`<p class="notice bad" role="alert">${refused.problem}</p>${view.body}`, status: 409 };
}

/** @throws DomainError `invalid_request` */
function readDecision(filled: Omit<Refused, 'problem'>): GivenDecision {
  const [award, refuse] = [filled.award || undefined, filled.refuse || undefined];
  if ((award === undefined) === (refuse === undefined))
    throw invalidRequest('Enter either what it is awarded or why it is refused.');
  const read = decisionsField.safeParse([{ id: filled.id, award, refuse }]);
  const [decision] = read.data ?? [];
  if (decision !== undefined) return decision;
  throw invalidRequest(`The ${read.error?.issues[0]?.message ?? 'decision is malformed'}.`);
}

/** Rethrows any other error. */
function problemOf(error: unknown): string {
  if (!(error instanceof DomainError) || error.refusal.code !== 'validation_failed') return refusalOf(error);
  return `The ${error.refusal.details.join('; ')}.`;
}

/** The form that decides about a submission. */
export function addCandidateForms(app: App, deps: PageContext): void {
  const { site } = deps;
  const decide = async (c: Context<AppEnv>, operator: LoggedIn, form: URLSearchParams): Promise<Response> => {
    const gigId = readId(c.req.param('id')) ?? 0;
    const typed = (name: string) => form.get(name)?.trim() ?? '';
    const filled = { id: readId(c.req.param('candidate')) ?? 0, award: typed('award'), refuse: typed('refuse') };
    try {
      const actor = operatorActor(operator, c.get('request').requestId);
      await decideNow(deps, { gigId, decision: readDecision(filled), actor });
    } catch (error) {
      const refused = { ...filled, problem: problemOf(error) };
      const view = await viewCandidates(deps, { id: gigId, operator, refused });
      return await answerView(c, site, { operator, view });
    }
    return seeOther(c, `${site.root}/admin/gigs/${gigId}/candidates`);
  };
  app.post('/admin/gigs/:id{[0-9]+}/candidates/:candidate{[0-9]+}', forOperator(deps, decide));
}
