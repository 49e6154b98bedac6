import type { Context } from 'hono';
import { html } from 'hono/html';
import { deciderWords } from '../../../domain/earning/payouts/verifier.ts';
import { prepareDecision } from '../../../services/earning/decide/decide-candidates.ts';
import {
  type Candidates,
  listCandidates,
  type ReadSubmission,
} from '../../../services/earning/decide/list-candidates.ts';
import { type LoggedIn, operatorActor } from '../../../services/operators/sessions.ts';
import { carryOut } from '../../../services/prepared.ts';
import type { PageContext } from '../../context.ts';
import type { App, AppEnv } from '../../middleware/context.ts';
import { renderBadge } from '../../ui/badges.ts';
import { seeOther } from '../../ui/form.ts';
import {
  decisionProblem,
  filledDecision,
  type RefusedDecision,
  readDecision,
  renderSubmission,
} from '../../ui/submission.ts';
import { renderAccount, renderMoment } from '../../ui/text.ts';
import { forOperator } from '../access/log-in.ts';
import { type AdminView, answerView } from '../frame.ts';
import { type Entry, PAGE_SIZE, readId, type Viewer, viewList } from '../list.ts';

function toEntry(
  { site, operator }: Viewer,
  { candidates, refused }: { candidates: Candidates; refused: RefusedDecision | undefined },
  submission: ReadSubmission,
): Entry {
  const { earning, postedAt } = submission;
  const path = `${site.root}/admin/gigs/${candidates.gig.id}/candidates`;
  return {
    id: earning.observationId,
    badge: renderBadge('to be decided', 'wait'),
    time: renderMoment(postedAt ?? earning.rankedAt),
    headline: renderAccount({ ...earning, username: earning.facts?.username ?? null }),
    details: renderSubmission(candidates, submission, { path, session: operator, refused }),
  };
}

/**
 * `GET /admin/gigs/:id/candidates`: submissions to a bounty that are to be decided on, each with a form. `refused` is
 * the form that was refused, and why.
 * @throws DomainError `gig_not_found`, or `invalid_request` when the gig has no verifier rule
 */
export async function viewCandidates(
  { store, platforms, verifiers, site }: PageContext,
  { id, operator, refused }: { id: number; operator: LoggedIn; refused?: RefusedDecision },
): Promise<AdminView> {
  const found = await listCandidates({ store, platforms, verifiers }, { gigId: id, limit: PAGE_SIZE });
  const view = viewList({
    site,
    section: 'Gigs',
    path: `/admin/gigs/${id}/candidates`,
    title: `Submissions to gig ${id}`,
    lead: `Submissions that passed the gates and wait for a decision, longest wait first, at most ${PAGE_SIZE}. They are ${deciderWords(found.decidedBy)}${found.decidedBy === 'hand' ? '' : '; you can also decide them here'}.`,
    noun: 'submission',
    entries: found.submissions.map((each) => toEntry({ site, operator }, { candidates: found, refused }, each)),
    empty: 'No submission waits for a decision.',
    query: { state: undefined, before: undefined },
    next: null,
  });
  if (refused === undefined) return view;
  return { ...view, body: html`<p class="notice bad" role="alert">${refused.problem}</p>${view.body}`, status: 409 };
}

/** The form that decides on a submission. */
export function addCandidateForms(app: App, deps: PageContext): void {
  const { site } = deps;
  const decide = async (c: Context<AppEnv>, operator: LoggedIn, form: URLSearchParams): Promise<Response> => {
    const gigId = readId(c.req.param('id')) ?? 0;
    const filled = filledDecision(readId(c.req.param('candidate')) ?? 0, form);
    try {
      const actor = operatorActor(operator, c.get('request').requestId);
      await carryOut(deps, await prepareDecision(deps, { gigId, decision: readDecision(filled), actor }));
    } catch (error) {
      const problem = decisionProblem(error);
      if (problem === null) throw error;
      const refused = { ...filled, problem };
      const view = await viewCandidates(deps, { id: gigId, operator, refused });
      return await answerView(c, site, { operator, view });
    }
    return seeOther(c, `${site.root}/admin/gigs/${gigId}/candidates`);
  };
  app.post('/admin/gigs/:id{[0-9]+}/candidates/:candidate{[0-9]+}', forOperator(deps, decide));
}
