import { startGig } from '../../../services/gigs/start-gig.ts';
import { logDeed } from '../../frame/deeds.ts';
import { endRoutes } from '../../frame/gig-end.ts';
import { gigIdOf } from '../../middleware/parameters.ts';
import { OWNERS } from '../audience.ts';
import type { MyRoute } from '../context.ts';
import { viewMyGig } from './gig-view.ts';

const view = OWNERS.page('/my/gigs/:id{[0-9]+}', (visit) => viewMyGig(visit));

const start = OWNERS.form('/my/gigs/:id{[0-9]+}/start', {
  read: ({ c }) => gigIdOf(c),
  act: async (visit, gigId) => {
    const { deps, actor } = visit;
    await startGig(deps, { gigId, holder: deps.newId(), actor });
    logDeed(visit, 'gig started', { gigId });
    return `/my/gigs/${gigId}`;
  },
  again: (visit, { text }) => viewMyGig(visit, text),
});

const ends = endRoutes(OWNERS, { path: '/my/gigs', section: 'My gigs', idOf: ({ c }) => gigIdOf(c) });

/** `GET /my/gigs/:id`, `POST /my/gigs/:id/start`, and what ends the gig. */
export const GIG_ROUTES: readonly MyRoute[] = [view, start, ...ends];
