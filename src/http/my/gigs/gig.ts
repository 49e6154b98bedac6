import { formatAmount } from '../../../domain/amount.ts';
import { invalidRequest } from '../../../domain/errors.ts';
import { findChangeableGig } from '../../../services/gigs/change-gig.ts';
import { startGig } from '../../../services/gigs/start-gig.ts';
import { changeOwnGig } from '../../../services/owners/create-gig.ts';
import { logDeed } from '../../frame/deeds.ts';
import { endRoutes } from '../../frame/gig-end.ts';
import { gigIdOf } from '../../middleware/parameters.ts';
import { OWNERS } from '../audience.ts';
import type { MyRoute } from '../context.ts';
import { viewMyGig } from './gig-view.ts';

const UNANSWERED = 'The chain or the platform does not answer right now. Nothing was changed: try again in a minute.';

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

/** The reward as the owner saw it: what the wallet holds may have changed since. */
const raise = OWNERS.form('/my/gigs/:id{[0-9]+}/raise', {
  read: ({ c }, sent) => ({ gigId: gigIdOf(c), amount: sent.get('amount') ?? '' }),
  act: async (visit, { gigId, amount }) => {
    const { deps, session, actor } = visit;
    const gig = await findChangeableGig(deps, { gigId, actor });
    const { fittingReward } = await deps.funds.look(gig);
    const fitting = fittingReward && formatAmount(fittingReward, gig.token.decimals);
    if (fitting !== amount) throw invalidRequest('The wallet holds something else by now: look again.');
    await changeOwnGig(deps, { gigId, changes: { amount }, owner: session, actor });
    logDeed(visit, 'gig changed', { gigId });
    return `/my/gigs/${gigId}`;
  },
  again: (visit, { text }) => viewMyGig(visit, text),
  outage: { log: 'the reward of a gig cannot be raised now', show: (visit) => viewMyGig(visit, UNANSWERED) },
});

const ends = endRoutes(OWNERS, { path: '/my/gigs', section: 'My gigs', idOf: ({ c }) => gigIdOf(c) });

/** `GET /my/gigs/:id`, `POST /my/gigs/:id/start` and `/my/gigs/:id/raise`, and what ends the gig. */
export const GIG_ROUTES: readonly MyRoute[] = [view, start, raise, ...ends];
