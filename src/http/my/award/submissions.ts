import { html } from 'hono/html';
import { prepareDecision } from '../../../services/earning/decide/decide-candidates.ts';
import {
  type Candidates,
  listCandidates,
  type ReadSubmission,
} from '../../../services/earning/decide/list-candidates.ts';
import { findSeenGig } from '../../../services/gigs/command-gig.ts';
import { findHeldBack, type UnawardedAccount } from '../../../services/gigs/show/unawarded-accounts.ts';
import type { SignedIn } from '../../../services/owners/sessions.ts';
import { carryOut } from '../../../services/prepared.ts';
import { logDeed, renderProblem } from '../../frame/deeds.ts';
import { gigIdOf } from '../../middleware/parameters.ts';
import { renderBadge } from '../../ui/badges.ts';
import type { Markup } from '../../ui/layout.ts';
import { filledDecision, type RefusedDecision, readDecision, renderSubmission } from '../../ui/submission.ts';
import { renderAccount, renderUntrusted } from '../../ui/text.ts';
import { renderTime } from '../../ui/time.ts';
import { OWNERS } from '../audience.ts';
import type { MyRoute, OwnerVisit } from '../context.ts';
import { viewMyGig } from '../gigs/gig-view.ts';
import type { MyView } from '../view.ts';

const SHOWN = 24;
const PATH = '/my/gigs/:id{[0-9]+}/submissions';

function renderOne(
  submission: ReadSubmission,
  shown: { candidates: Candidates; path: string; session: SignedIn; refused: RefusedDecision | undefined; now: number },
): Markup {
  const { earning, postedAt } = submission;
  const { candidates, now, ...around } = shown;
  return html`<li class="entry"><div class="entry-mark"><strong>${renderAccount({ ...earning, username: earning.facts?.username ?? null })}</strong></div>
<div class="entry-body"><p class="muted small">${renderTime(postedAt ?? earning.rankedAt, { now })}</p>
${renderSubmission(candidates, submission, around)}</div></li>`;
}

/** The entries that nobody can decide on now, so that none goes unseen. */
function renderHeldBack(accounts: readonly UnawardedAccount[], report: string): Markup | '' {
  if (accounts.length === 0) return '';
  const rows = accounts.map(
    ({ earning, username, sentence }) => html`<tr><th scope="row">${renderAccount({ ...earning, username })}</th>
<td data-label="State">${renderBadge(earning.state, 'quiet')}</td><td data-label="Why">${renderUntrusted(sentence)}</td></tr>`,
  );
  return html`<section class="stack"><h2>Not passed</h2>
<p class="muted">The newest entries that this gig's checks refused, or have yet to check. If the gig takes awards from a list, you can still award these accounts. <a href="${report}">All accounts</a></p>
<table class="stacking"><caption class="unseen">Entries that are not passed</caption>
<thead><tr><th scope="col">Account</th><th scope="col">State</th><th scope="col">Why</th></tr></thead><tbody>${rows}</tbody></table></section>`;
}

/** @throws DomainError `gig_not_found`, or `invalid_request` for a gig without submissions */
async function viewSubmissions({ c, deps, session, actor }: OwnerVisit, refused?: RefusedDecision): Promise<MyView> {
  const { root } = deps.site;
  const gigId = gigIdOf(c);
  // The platform is asked for the texts only when the owner reaches the gig.
  await findSeenGig(deps.store, { gigId, actor });
  const candidates = await listCandidates(deps, { gigId, limit: SHOWN });
  const heldBack = await findHeldBack(deps, candidates.gig, { limit: SHOWN });
  const shown = { candidates, path: `${root}/my/gigs/${gigId}/submissions`, session, refused, now: deps.clock() };
  const items = candidates.submissions.map((submission) => renderOne(submission, shown));
  return {
    title: `Submissions to gig ${gigId}`,
    section: 'My gigs',
    body: html`<header class="stack"><h1>Submissions to gig ${gigId}</h1>
<p class="lead">Oldest first, up to ${SHOWN}. Award an amount, or refuse with a reason.</p></header>
${renderProblem(refused?.problem)}
${items.length === 0 ? html`<p class="card muted">No submissions to review.</p>` : html`<ul class="entries card">${items}</ul>`}
${renderHeldBack(heldBack, `${root}/my/gigs/${gigId}/report`)}
<p><a class="button" href="${root}/my/gigs/${gigId}">Back to gig ${gigId}</a></p>`,
  };
}

const view = OWNERS.page(PATH, (visit) => viewSubmissions(visit), {
  // A gig that is no bounty has no submissions: its own page says so.
  again: (visit, { text }) => viewMyGig(visit, text),
});

const decide = OWNERS.form(`${PATH}/:candidate{[0-9]+}`, {
  read: ({ c }, sent) => filledDecision(Number(c.req.param('candidate')), sent),
  act: async (visit, filled) => {
    const gigId = gigIdOf(visit.c);
    const request = { gigId, decision: readDecision(filled), actor: visit.actor };
    await carryOut(visit.deps, await prepareDecision(visit.deps, request));
    logDeed(visit, 'submission decided', { gigId });
    return `/my/gigs/${gigId}/submissions`;
  },
  again: (visit, { text: problem }, filled) => viewSubmissions(visit, { ...filled, problem }),
});

/** `GET /my/gigs/:id/submissions`, and `POST` below it by the id of a submission. */
export const SUBMISSION_ROUTES: readonly MyRoute[] = [view, decide];
