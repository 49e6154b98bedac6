import { DomainError, personText } from '../../../domain/errors.ts';
import { startGig } from '../../../services/gigs/start-gig.ts';
import { ownerActor } from '../../../services/owners/sessions.ts';
import { gigIdOf } from '../../middleware/parameters.ts';
import { seeOther } from '../../ui/form.ts';
import { type MyRoute, ownerForm, ownerPage } from '../define-route.ts';
import { answerMine } from '../frame.ts';
import { viewMyGig } from './gig-view.ts';

const view = ownerPage('/my/gigs/:id{[0-9]+}', (c, request) => viewMyGig(request, { gigId: gigIdOf(c) }));

const start = ownerForm('/my/gigs/:id{[0-9]+}/start', async (c, { deps, owner }) => {
  const gigId = gigIdOf(c);
  const { requestId, log } = c.get('request');
  try {
    await startGig(deps, { gigId, holder: deps.newId(), actor: ownerActor(owner, requestId) });
  } catch (error) {
    if (!(error instanceof DomainError) || error.refusal.code === 'gig_not_found') throw error;
    const refused = await viewMyGig({ deps, owner }, { gigId, problem: personText(error.refusal) });
    return await answerMine(c, deps.site, { owner, view: refused });
  }
  log().info({ gigId, owner: owner.name }, 'gig started by an owner');
  return seeOther(c, `${deps.site.root}/my/gigs/${gigId}`);
});

/** `GET /my/gigs/:id` and `POST /my/gigs/:id/start`. */
export const GIG_ROUTES: readonly MyRoute[] = [view, start];
