import { html } from 'hono/html';
import { DomainError, personText } from '../../../domain/errors.ts';
import { prepareDecision } from '../../../services/earning/decide/decide-candidates.ts';
import {
  type Candidates,
  listCandidates,
  type ReadSubmission,
} from '../../../services/earning/decide/list-candidates.ts';
import { findSeenGig } from '../../../services/gigs/command-gig.ts';
import { ownerActor, type SignedIn } from '../../../services/owners/sessions.ts';
import { carryOut } from '../../../services/prepared.ts';
import { gigIdOf } from '../../middleware/parameters.ts';
import { seeOther } from '../../ui/form.ts';
import type { Markup } from '../../ui/layout.ts';
import {
  decisionProblem,
  filledDecision,
  type RefusedDecision,
  readDecision,
  renderSubmission,
} from '../../ui/submission.ts';
import { renderAccount, renderMoment } from '../../ui/text.ts';
import { type MyRequest, type MyRoute, ownerForm, ownerPage } from '../define-route.ts';
import { answerMine, type MyView } from '../frame.ts';
import { viewMyGig } from '../gigs/gig-view.ts';

const SHOWN = 24;
const PATH = '/my/gigs/:id{[0-9]+}/submissions';

function renderOne(
  submission: ReadSubmission,
  shown: { candidates: Candidates; path: string; owner: SignedIn; refused: RefusedDecision | undefined },
): Markup {
  const { earning, postedAt } = submission;
  const { candidates, path, owner: session, refused } = shown;
  return html`<li class="entry"><div class="entry-mark"><strong>${renderAccount({ ...earning, username: earning.facts?.username ?? null })}</strong></div>
<div class="entry-body"><p class="muted small">${renderMoment(postedAt ?? earning.rankedAt)}</p>
${renderSubmission(candidates, submission, { path, session, refused })}</div></li>`;
}

/** @throws DomainError `gig_not_found`, or `invalid_request` for a gig without submissions */
async function viewSubmissions(
  { deps, owner }: MyRequest,
  { gigId, refused }: { gigId: number; refused?: RefusedDecision },
): Promise<MyView> {
  const { root } = deps.site;
  // The platform is asked for the texts only when the owner reaches the gig.
  await findSeenGig(deps.store, { gigId, actor: ownerActor(owner, null) });
  const candidates = await listCandidates(deps, { gigId, limit: SHOWN });
  const shown = { candidates, path: `${root}/my/gigs/${gigId}/submissions`, owner, refused };
  const items = candidates.submissions.map((submission) => renderOne(submission, shown));
  return {
    title: `Submissions to gig ${gigId}`,
    section: 'My gigs',
    ...(refused === undefined ? {} : { status: 409 }),
    body: html`<header class="stack"><h1>Submissions to gig ${gigId}</h1>
<p class="lead">Those that wait longest come first, at most ${SHOWN}. Award each an amount, or say why you refuse it.</p></header>
${refused === undefined ? '' : html`<p id="problem" class="notice bad" role="alert">${refused.problem}</p>`}
${items.length === 0 ? html`<p class="card muted">No submission waits for your decision.</p>` : html`<ul class="entries card">${items}</ul>`}
<p><a class="button" href="${root}/my/gigs/${gigId}">Back to gig ${gigId}</a></p>`,
  };
}

const view = ownerPage(PATH, async (c, request) => {
  const gigId = gigIdOf(c);
  try {
    return await viewSubmissions(request, { gigId });
  } catch (error) {
    // A gig that is no bounty has no submissions: its own page says so.
    const problem = decisionProblem(error);
    if (problem === null) throw error;
    return await viewMyGig(request, { gigId, problem });
  }
});

const decide = ownerForm(`${PATH}/:candidate{[0-9]+}`, async (c, { deps, owner, form }) => {
  const gigId = gigIdOf(c);
  const { requestId, log } = c.get('request');
  const filled = filledDecision(Number(c.req.param('candidate')), form);
  try {
    const request = { gigId, decision: readDecision(filled), actor: ownerActor(owner, requestId) };
    await carryOut(deps, await prepareDecision(deps, request));
  } catch (error) {
    if (!(error instanceof DomainError) || error.refusal.code === 'gig_not_found') throw error;
    const refused = { ...filled, problem: personText(error.refusal) };
    return await answerMine(c, deps.site, { owner, view: await viewSubmissions({ deps, owner }, { gigId, refused }) });
  }
  log().info({ gigId, owner: owner.name }, 'submission decided by an owner');
  return seeOther(c, `${deps.site.root}/my/gigs/${gigId}/submissions`);
});

/** `GET /my/gigs/:id/submissions`, and `POST` below it by the id of a submission. */
export const SUBMISSION_ROUTES: readonly MyRoute[] = [view, decide];
