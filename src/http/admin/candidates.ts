import type { Context } from 'hono';
import { html } from 'hono/html';
import { formatAmount } from '../../domain/amount.ts';
import { decisionsField, type GivenDecision } from '../../domain/earning/decisions.ts';
import { factsWords } from '../../domain/earning/facts-words.ts';
import { DomainError, invalidRequest } from '../../domain/errors.ts';
import type { Platforms } from '../../domain/mention.ts';
import { platformFacts } from '../../domain/platforms.ts';
import { decideNow, type HandDeps } from '../../services/earning/decide-candidates.ts';
import { type Candidates, listCandidates, type ReadSubmission } from '../../services/earning/list-candidates.ts';
import type { OperatorStore } from '../../services/operators/overview.ts';
import { type LoggedIn, operatorActor } from '../../services/operators/sessions.ts';
import type { App, AppEnv } from '../middleware/context.ts';
import { renderBadge } from '../ui/badges.ts';
import type { Markup, Site } from '../ui/layout.ts';
import { renderAccount, renderMoment, renderUntrusted } from '../ui/text.ts';
import { refusalOf, seeOther } from './form.ts';
import { type AdminView, answerView, renderFormToken } from './frame.ts';
import { type Entry, PAGE_SIZE, readId, type Viewer, viewList } from './list.ts';
import { forOperator, type OperatorDeps } from './log-in.ts';

export interface CandidateDeps {
  readonly store: Pick<OperatorStore, 'gig' | 'earningRules' | 'candidates' | 'observations' | 'transaction'>;
  readonly platforms: Platforms;
  readonly learnPaid?: HandDeps['learnPaid'];
  readonly site: Site;
  readonly clock: () => number;
}

function renderDecide({ site, operator }: Viewer, { gig, maxAmount }: Candidates, id: number): Markup {
  const most = `${formatAmount(maxAmount, gig.token.decimals)} ${gig.token.symbol}`;
  return html`<form class="stack" method="post" action="${site.root}/admin/gigs/${gig.id}/candidates/${id}">${renderFormToken(operator)}
<div><label for="award${id}">Award, at most ${most}</label>
<input id="award${id}" name="award" inputmode="decimal" autocomplete="off"></div>
<div><label for="refuse${id}">Or refuse, because: its account reads it</label>
<input id="refuse${id}" name="refuse" maxlength="500" autocomplete="off"></div>
<div><button class="slim" aria-label="Decide about ${id}">Decide</button></div>
</form>`;
}

function toEntry(viewer: Viewer, candidates: Candidates, submission: ReadSubmission): Entry {
  const { earning, postId, postedAt, text } = submission;
  const { observationId: id, platform, facts } = earning;
  const url = platformFacts(platform).postUrl?.(postId);
  const said =
    text === null
      ? html`<p class="muted">Its text cannot be read now.</p>`
      : html`<p class="said">${renderUntrusted(text)}</p>`;
  return {
    id,
    badge: renderBadge('to be decided', 'wait'),
    time: renderMoment(postedAt ?? earning.rankedAt),
    headline: renderAccount({ ...earning, username: facts?.username ?? null }),
    details: [
      said,
      html`<p class="muted">Known: ${factsWords(facts)}${url === undefined ? '' : html`; <a href="${url}">the post</a>`}</p>`,
      renderDecide(viewer, candidates, id),
    ],
  };
}

/**
 * `GET /admin/gigs/:id/candidates`: submissions to a bounty that are to be decided about, each with a form. `problem` says
 * why a decision was refused.
 * @throws DomainError `gig_not_found`, or `invalid_request` when the gig has no verifier rule
 */
export async function viewCandidates(
  { store, platforms, site }: CandidateDeps,
  { id, operator, problem }: { id: number; operator: LoggedIn; problem?: string },
): Promise<AdminView> {
  const found = await listCandidates({ store, platforms }, { gigId: id, limit: PAGE_SIZE });
  const view = viewList({
    site,
    section: 'Gigs',
    path: `/admin/gigs/${id}/candidates`,
    title: `Submissions to gig ${id}`,
    lead: `Submissions that passed the gates and wait for a decision, those that wait longest first, at most ${PAGE_SIZE}.`,
    noun: 'submission',
    entries: found.submissions.map((each) => toEntry({ site, operator }, found, each)),
    empty: 'Nothing is to be decided.',
    query: { state: undefined, before: undefined },
    next: null,
  });
  if (problem === undefined) return view;
  return { ...view, body: html`<p class="notice bad" role="alert">${problem}</p>${view.body}`, status: 409 };
}

/** The decision of a form. @throws DomainError `invalid_request` */
function readDecision(id: number, form: URLSearchParams): GivenDecision {
  const [award, refuse] = ['award', 'refuse'].map((name) => form.get(name)?.trim() || undefined);
  const read = decisionsField.safeParse([{ id, award, refuse }]);
  const [decision] = read.data ?? [];
  if (decision !== undefined) return decision;
  throw invalidRequest(`The decision ${read.error?.issues[0]?.message ?? 'is malformed'}.`);
}

/** The problem of a decision, for the operator; any other error is rethrown. */
function problemOf(error: unknown): string {
  if (!(error instanceof DomainError) || error.refusal.code !== 'validation_failed') return refusalOf(error);
  return error.refusal.details.join('; ');
}

/** The form that decides about a submission. */
export function addCandidateForms(app: App, deps: OperatorDeps & CandidateDeps): void {
  const { site } = deps;
  const decide = async (c: Context<AppEnv>, operator: LoggedIn, form: URLSearchParams): Promise<Response> => {
    const gigId = readId(c.req.param('id')) ?? 0;
    try {
      const actor = operatorActor(operator, c.get('request').requestId);
      const decisions = [readDecision(readId(c.req.param('candidate')) ?? 0, form)];
      await decideNow(deps, { gigId, decisions, actor });
    } catch (error) {
      const view = await viewCandidates(deps, { id: gigId, operator, problem: problemOf(error) });
      return await answerView(c, site, { operator, view });
    }
    return seeOther(c, `${site.root}/admin/gigs/${gigId}/candidates`);
  };
  app.post('/admin/gigs/:id{[0-9]+}/candidates/:candidate{[0-9]+}', forOperator(deps, decide));
}
