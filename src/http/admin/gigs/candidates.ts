import { html } from 'hono/html';
import { deciderWords } from '../../../domain/earning/payouts/verifier.ts';
import { prepareDecision } from '../../../services/earning/decide/decide-candidates.ts';
import {
  type Candidates,
  listCandidates,
  type ReadSubmission,
} from '../../../services/earning/decide/list-candidates.ts';
import { carryOut } from '../../../services/prepared.ts';
import { renderProblem } from '../../frame/deeds.ts';
import type { Entry } from '../../frame/list.ts';
import { NEWEST, PAGE_SIZE, readId } from '../../frame/list-query.ts';
import { renderBadge } from '../../ui/badges.ts';
import { filledDecision, type RefusedDecision, readDecision, renderSubmission } from '../../ui/submission.ts';
import { renderAccount } from '../../ui/text.ts';
import { renderTime } from '../../ui/time.ts';
import { OPERATORS } from '../audience.ts';
import type { AdminRoute, OperatorVisit } from '../context.ts';
import { idOf, viewList } from '../list.ts';
import type { AdminView } from '../view.ts';

function toEntry(
  { deps: { clock, site }, session }: OperatorVisit,
  { candidates, refused }: { candidates: Candidates; refused: RefusedDecision | undefined },
  submission: ReadSubmission,
): Entry {
  const { earning, postedAt } = submission;
  const path = `${site.root}/admin/gigs/${candidates.gig.id}/candidates`;
  return {
    id: earning.observationId,
    badge: renderBadge('to be decided', 'wait'),
    time: renderTime(postedAt ?? earning.rankedAt, { now: clock() }),
    headline: renderAccount({ ...earning, username: earning.facts?.username ?? null }),
    details: renderSubmission(candidates, submission, { path, session, refused }),
  };
}

/** @throws DomainError `gig_not_found`, or `invalid_request` when the gig has no verifier rule */
async function viewCandidates(visit: OperatorVisit, refused?: RefusedDecision): Promise<AdminView> {
  const id = idOf(visit);
  const found = await listCandidates(visit.deps, { gigId: id, limit: PAGE_SIZE });
  const view = viewList(visit, {
    section: 'Gigs',
    path: `/admin/gigs/${id}/candidates`,
    title: `Submissions to gig ${id}`,
    lead: `Submissions that passed the gates and wait for a decision, longest wait first, at most ${PAGE_SIZE}. They are ${deciderWords(found.decidedBy)}${found.decidedBy === 'hand' ? '' : '; you can also decide them here'}.`,
    noun: 'submission',
    entries: found.submissions.map((each) => toEntry(visit, { candidates: found, refused }, each)),
    empty: 'No submission waits for a decision.',
    query: NEWEST,
    next: null,
  });
  return refused === undefined ? view : { ...view, body: html`${renderProblem(refused.problem)}${view.body}` };
}

const PATH = '/admin/gigs/:id{[0-9]+}/candidates';

const decide = OPERATORS.form(`${PATH}/:candidate{[0-9]+}`, {
  read: ({ c }, sent) => filledDecision(readId(c.req.param('candidate')) ?? 0, sent),
  act: async (visit, filled) => {
    const gigId = idOf(visit);
    const request = { gigId, decision: readDecision(filled), actor: visit.actor };
    await carryOut(visit.deps, await prepareDecision(visit.deps, request));
    return `/admin/gigs/${gigId}/candidates`;
  },
  again: (visit, { text: problem }, filled) => viewCandidates(visit, { ...filled, problem }),
});

/** `GET /admin/gigs/:id/candidates`: submissions to a bounty that are to be decided on, each with a form. */
export const CANDIDATE_PAGES: readonly AdminRoute[] = [OPERATORS.page(PATH, (visit) => viewCandidates(visit)), decide];
