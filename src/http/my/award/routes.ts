import type { Context } from 'hono';
import { html } from 'hono/html';
import { DomainError, invalidRequest, personText } from '../../../domain/errors.ts';
import { MAX_AWARD_LINES } from '../../../domain/owners/award-list.ts';
import { findAwardable } from '../../../services/gigs/tips/award-tips.ts';
import type { OnceAnswered } from '../../../services/idempotency.ts';
import { awardListed, previewAwards } from '../../../services/owners/preview-awards.ts';
import { ownerActor } from '../../../services/owners/sessions.ts';
import type { AppEnv } from '../../middleware/context.ts';
import { gigIdOf } from '../../middleware/parameters.ts';
import { seeOther } from '../../ui/form.ts';
import { showErrors } from '../../ui/page.ts';
import { readUpload } from '../../ui/upload.ts';
import { type MyContext, type MyRequest, type MyRoute, ownerForm, ownerPage } from '../define-route.ts';
import { formKey } from '../form-key.ts';
import { answerMine } from '../frame.ts';
import { viewMyGig } from '../gigs/gig-view.ts';
import { awardView, previewView } from './page.ts';

const PATH = '/my/gigs/:id{[0-9]+}/award';

/** The refusal of an owner's request as a sentence. @throws any other error, and that of a gig that the owner does not reach */
function sentenceOf(error: unknown): string {
  if (!(error instanceof DomainError) || error.refusal.code === 'gig_not_found') throw error;
  if (error.refusal.code === 'key_reused')
    return 'This form was already sent with another list. Press “Preview the awards” again.';
  return personText(error.refusal);
}

/** The page of the gig, with why it takes no awards. */
async function showGig(
  c: Context<AppEnv>,
  request: MyRequest,
  { gigId, problem }: { gigId: number; problem: string },
): Promise<Response> {
  const { deps, owner } = request;
  return await answerMine(c, deps.site, { owner, view: await viewMyGig(request, { gigId, problem }) });
}

const view = ownerPage(PATH, async (c, { deps, owner }) => {
  const gigId = gigIdOf(c);
  const actor = ownerActor(owner, null);
  try {
    const gig = await findAwardable(deps.store, { gigId, actor, now: deps.clock() });
    return awardView(deps.site, owner, { gig });
  } catch (error) {
    return await viewMyGig({ deps, owner }, { gigId, problem: sentenceOf(error) });
  }
});

/** What was pasted, or else the file. @throws DomainError `invalid_request` when both are there */
function listOf(form: URLSearchParams): string {
  const [pasted, file] = [form.get('list') ?? '', form.get('file') ?? ''];
  if (pasted.trim() !== '' && file !== '') throw invalidRequest('Paste a list or choose a file, not both.');
  return pasted.trim() === '' ? file : pasted;
}

/** The fields of an upload; one that is too large is refused with how to make it smaller. */
async function readList(c: Context<AppEnv>, { site }: MyContext): Promise<URLSearchParams> {
  const help = html`<p>A list may have ${MAX_AWARD_LINES} lines in 64 kB. Go back, and divide it into several lists.</p>`;
  showErrors(c, site, { help });
  const form = await readUpload(c);
  showErrors(c, site);
  return form;
}

const preview = ownerForm(
  PATH,
  async (c, { deps, owner, form }) => {
    const gigId = gigIdOf(c);
    const { site, store, clock, newId } = deps;
    const actor = ownerActor(owner, c.get('request').requestId);
    try {
      const gig = await findAwardable(store, { gigId, actor, now: clock() });
      try {
        const found = await previewAwards(deps, { gigId, text: listOf(form), actor });
        const shown = { preview: found, key: newId() };
        return await answerMine(c, site, { owner, view: previewView(site, owner, shown) });
      } catch (error) {
        const again = { gig, list: form.get('list') ?? '', problem: sentenceOf(error) };
        return await answerMine(c, site, { owner, view: awardView(site, owner, again) });
      }
    } catch (error) {
      return await showGig(c, { deps, owner }, { gigId, problem: sentenceOf(error) });
    }
  },
  { read: readList },
);

const confirm = ownerForm(
  `${PATH}/confirm`,
  async (c, { deps, owner, form }) => {
    const gigId = gigIdOf(c);
    const { requestId, log } = c.get('request');
    const actor = ownerActor(owner, requestId);
    let answered: OnceAnswered;
    try {
      const key = formKey({ owner, path: `/my/gigs/${gigId}/award`, form, fields: ['list'] });
      const request = { gigId, text: form.get('list') ?? '' };
      answered = await deps.once(
        key,
        () => ({ status: 201, body: '' }),
        () => ({ commit: (tx, now) => awardListed(tx, request, { actor, now }) }),
      );
    } catch (error) {
      return await showGig(c, { deps, owner }, { gigId, problem: sentenceOf(error) });
    }
    if (answered.isFirst) log().info({ gigId, owner: owner.name }, 'list awarded by an owner');
    return seeOther(c, `${deps.site.root}/my/gigs/${gigId}/report`);
  },
  { read: readList },
);

/** `GET` and `POST /my/gigs/:id/award`, and `POST /my/gigs/:id/award/confirm`. */
export const AWARD_ROUTES: readonly MyRoute[] = [view, preview, confirm];
