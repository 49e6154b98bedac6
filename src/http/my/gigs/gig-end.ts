import { html } from 'hono/html';
import { DomainError, personText } from '../../../domain/errors.ts';
import { prepareEnd } from '../../../services/ends/end-gig.ts';
import type { Ending } from '../../../services/ends/endings.ts';
import { findSeenGig } from '../../../services/gigs/command-gig.ts';
import { ownerActor } from '../../../services/owners/sessions.ts';
import { carryOut } from '../../../services/prepared.ts';
import { gigIdOf } from '../../middleware/parameters.ts';
import { ENDING_WORDS } from '../../ui/ending-words.ts';
import { renderFormToken, seeOther } from '../../ui/form.ts';
import type { Markup, Root } from '../../ui/layout.ts';
import { type MyRequest, type MyRoute, ownerForm, ownerPage } from '../define-route.ts';
import { answerMine, type MyView } from '../frame.ts';

const ENDINGS = ['stop', 'settle', 'cancel'] as const satisfies readonly Ending[];

/** Links to the pages that end a gig. */
export function renderEndings({ root }: Root, gigId: number, endings: readonly Ending[]): Markup {
  return html`${endings.map((ending) => html`<a class="button" href="${root}/my/gigs/${gigId}/${ending}">${ENDING_WORDS[ending].label}</a>`)}`;
}

/** @throws DomainError `gig_not_found` */
async function viewConfirm(
  { deps, owner }: MyRequest,
  { gigId, ending, problem = null }: { gigId: number; ending: Ending; problem?: string | null },
): Promise<MyView> {
  await findSeenGig(deps.store, { gigId, actor: ownerActor(owner, null) });
  const { label, what } = ENDING_WORDS[ending];
  const { root } = deps.site;
  return {
    title: `${label} gig ${gigId}`,
    section: 'My gigs',
    ...(problem === null ? {} : { status: 409 }),
    body: html`<div class="stack"><h1>${label} gig ${gigId}?</h1><p class="muted">${what} It cannot be undone.</p></div>
${problem === null ? '' : html`<p id="problem" class="notice bad" role="alert">${problem}</p>`}
<div class="row"><form method="post" action="${root}/my/gigs/${gigId}/${ending}">${renderFormToken(owner)}<button class="primary">${label} gig ${gigId}</button></form>
<a class="button" href="${root}/my/gigs/${gigId}">Back</a></div>`,
  };
}

function routesOf(ending: Ending): MyRoute[] {
  const path = `/my/gigs/:id{[0-9]+}/${ending}`;
  const confirm = ownerPage(path, (c, request) => viewConfirm(request, { gigId: gigIdOf(c), ending }));
  const end = ownerForm(path, async (c, { deps, owner }) => {
    const gigId = gigIdOf(c);
    const { requestId, log } = c.get('request');
    try {
      const actor = ownerActor(owner, requestId);
      await carryOut(deps, prepareEnd({ gigId, ending, actor, holder: deps.newId() }));
    } catch (error) {
      if (!(error instanceof DomainError) || error.refusal.code === 'gig_not_found') throw error;
      const view = await viewConfirm({ deps, owner }, { gigId, ending, problem: personText(error.refusal) });
      return await answerMine(c, deps.site, { owner, view });
    }
    log().info({ gigId, ending, owner: owner.name }, 'gig ended by an owner');
    return seeOther(c, `${deps.site.root}/my/gigs/${gigId}`);
  });
  return [confirm, end];
}

/** `GET` and `POST /my/gigs/:id/stop`, `/settle` and `/cancel`. */
export const END_ROUTES: readonly MyRoute[] = ENDINGS.flatMap(routesOf);
