import { html } from 'hono/html';
import { invalidRequest } from '../../../domain/errors.ts';
import { MAX_AWARD_LINES } from '../../../domain/owners/award-list.ts';
import { findSeenGig } from '../../../services/gigs/command-gig.ts';
import { findAwardable } from '../../../services/gigs/tips/award-tips.ts';
import { awardChosen, type ChosenAwards, previewAwards } from '../../../services/owners/preview-awards.ts';
import { orProblem, type RequestProblem } from '../../frame/audience.ts';
import { logDeed } from '../../frame/deeds.ts';
import { gigIdOf } from '../../middleware/parameters.ts';
import { readUpload } from '../../ui/form.ts';
import { showErrors } from '../../ui/page.ts';
import { OWNERS } from '../audience.ts';
import type { MyRoute, OwnerVisit } from '../context.ts';
import { viewMyGig } from '../gigs/gig-view.ts';
import { changeOnce } from '../once.ts';
import type { MyView } from '../view.ts';
import { awardView, previewView } from './page.ts';

const PATH = '/my/gigs/:id{[0-9]+}/award';
const REUSED = 'This form was already sent with another list. Press “Preview the awards” again.';

/** The page of the gig, with why it takes no awards. */
async function showGig(visit: OwnerVisit, { code, text }: RequestProblem): Promise<MyView> {
  return await viewMyGig(visit, code === 'key_reused' ? REUSED : text);
}

async function findGigToAward({ c, deps, actor }: OwnerVisit) {
  return await findAwardable(deps.store, { gigId: gigIdOf(c), actor, now: deps.clock() });
}

const view = OWNERS.page(
  PATH,
  async (visit) => awardView(visit.deps.site, visit.session, { gig: await findGigToAward(visit) }),
  { again: showGig },
);

/** What was pasted, and the content of the file. */
interface SentList {
  readonly pasted: string;
  readonly file: string;
  /** Whether to show the form again with it. */
  readonly isChanged: boolean;
}

/** @throws DomainError `invalid_request` when both are there */
function listOf({ pasted, file }: SentList): string {
  if (pasted.trim() !== '' && file !== '') throw invalidRequest('Paste a list or choose a file, not both.');
  return pasted.trim() === '' ? file : pasted;
}

/** The fields of an upload; one that is too large is refused with how to make it smaller. */
async function readList({ c, deps: { site } }: OwnerVisit): Promise<URLSearchParams> {
  const help = html`<p>A list may have ${MAX_AWARD_LINES} lines in 64 kB. Go back, and divide it into several lists.</p>`;
  showErrors(c, site, { help });
  const sent = await readUpload(c);
  showErrors(c, site);
  return sent;
}

const preview = OWNERS.form(PATH, {
  body: readList,
  isPage: true,
  read: (_, sent): SentList => ({
    pasted: sent.get('list') ?? '',
    file: sent.get('file') ?? '',
    isChanged: sent.has('change'),
  }),
  act: async (visit, list) => {
    const { deps, session, actor } = visit;
    const gig = await findGigToAward(visit);
    if (list.isChanged) return awardView(deps.site, session, { gig, list: list.pasted });
    const text = listOf(list);
    const found = await previewAwards(deps, { gigId: gig.id, text, actor });
    return previewView(deps.site, session, { preview: found, key: deps.newId(), list: text });
  },
  again: async (visit, problem, { pasted }) => {
    // Of a gig that takes no awards the reason has a code of its own.
    if (problem.code !== 'invalid_request') return await showGig(visit, problem);
    const { c, deps, session, actor } = visit;
    const gig = await findSeenGig(deps.store, { gigId: gigIdOf(c), actor });
    return awardView(deps.site, session, { gig, list: pasted, problem: problem.text });
  },
});

function chosenOf(sent: URLSearchParams): ChosenAwards {
  const list = (sent.get('list') ?? '').split(/\r?\n/).filter((line) => line !== '');
  return { sure: list, asked: sent.getAll('asked') };
}

const confirm = OWNERS.form(`${PATH}/confirm`, {
  body: readList,
  read: ({ c }, sent) => ({
    gigId: gigIdOf(c),
    key: sent.get('key') ?? '',
    chosen: chosenOf(sent),
    written: sent.get('written') ?? '',
  }),
  act: async (visit, { gigId, key, chosen }) =>
    await changeOnce(visit, {
      path: `/my/gigs/${gigId}/award`,
      key,
      fields: { list: chosen.sure.join('\n'), asked: chosen.asked.join('\n') },
      prepare: () => ({
        commit: (tx, now) => awardChosen(tx, { gigId, chosen }, { actor: visit.actor, now }),
        done: () => logDeed(visit, 'list awarded', { gigId }),
      }),
      goTo: () => `/my/gigs/${gigId}/report`,
    }),
  // The list as it is by now, with what was ticked and is still the same.
  again: async (visit, problem, { gigId, chosen, written }) => {
    if (problem.code !== 'invalid_request' || written === '') return await showGig(visit, problem);
    const { deps, session, actor } = visit;
    const found = await orProblem(() => previewAwards(deps, { gigId, text: written, actor }));
    // The list cannot be shown anew, as when its platform was asked too often: why nothing was awarded is said all the same.
    if (typeof found === 'string') return await showGig(visit, problem);
    const shown = { preview: found, key: deps.newId(), list: written, ticked: chosen.asked, problem: problem.text };
    return previewView(deps.site, session, shown);
  },
});

/** `GET` and `POST /my/gigs/:id/award`, and `POST /my/gigs/:id/award/confirm`. */
export const AWARD_ROUTES: readonly MyRoute[] = [view, preview, confirm];
