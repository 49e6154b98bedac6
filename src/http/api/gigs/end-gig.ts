import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Gig } from '../../../domain/gigs/gig.ts';
import { endGigIn } from '../../../services/ends/end-gig.ts';
import type { Ending } from '../../../services/ends/endings.ts';
import { findGigEarning, type GigEarning } from '../../../services/gigs/show/find-earnings.ts';
import type { HttpContext } from '../../context.ts';
import { actorOf, requireApiKey } from '../../middleware/api-key.ts';
import type { App, AppEnv } from '../../middleware/context.ts';
import { createIdempotency, idempotencyHeader } from '../../middleware/idempotency.ts';
import { gigPath } from '../../middleware/parameters.ts';
import {
  EXAMPLE_GIG,
  errorResponse,
  gigMissing,
  inProgressResponse,
  jsonResponse,
  keyedBy,
  refusals,
} from '../schemas.ts';
import { gigSchema, renderGig } from './gig-json.ts';

const ended = jsonResponse('The gig as it is then', z.object({ data: gigSchema }));
const shared = {
  method: 'post' as const,
  tags: ['Gigs'],
  ...keyedBy('gigs:write'),
  request: { params: gigPath, headers: idempotencyHeader },
};
const refused = refusals({ scope: 'gigs:write' });

const stopRoute = createRoute({
  ...shared,
  path: '/api/gigs/:id{[0-9]+}/stop',
  operationId: 'stopGig',
  summary: 'End a live gig now',
  description:
    'Its terms stay unchanged. New activity no longer counts; tips already earned are kept. Its award period begins ' +
    'now.',
  responses: {
    200: ended,
    400: errorResponse(
      'The gig is not live',
      { code: 'gig_not_stoppable', gigId: EXAMPLE_GIG, phase: 'ended' },
      { code: 'gig_not_stoppable', gigId: EXAMPLE_GIG, phase: 'created' },
    ),
    404: gigMissing(),
    ...refused,
  },
});

const settleRoute = createRoute({
  ...shared,
  path: '/api/gigs/:id{[0-9]+}/settle',
  operationId: 'settleGig',
  summary: 'Close the books of a gig that is over',
  description:
    'No more tips are awarded, and the unawarded funds are refunded after the time that the operator has set. A gig ' +
    'settles by itself when its award period is over; this settles a fully decided gig earlier. It cannot be undone.',
  responses: {
    200: ended,
    400: errorResponse(
      'The gig has not ended, or something of it is open',
      { code: 'gig_not_settleable', gigId: EXAMPLE_GIG, why: 'running' },
      { code: 'gig_not_settleable', gigId: EXAMPLE_GIG, why: 'undecided' },
    ),
    404: gigMissing(),
    ...refused,
  },
});

const cancelRoute = createRoute({
  ...shared,
  path: '/api/gigs/:id{[0-9]+}/cancel',
  operationId: 'cancelGig',
  summary: 'End a gig that never started',
  description:
    'The money in its wallet returns to its `refund_address`, also if the gig was funded in part. Without an address it ' +
    'stays until the operator sets one. Cancelling the gig again changes nothing.',
  responses: {
    200: ended,
    400: errorResponse(
      'The gig is live, or was and has ended',
      { code: 'gig_already_live', gigId: EXAMPLE_GIG },
      { code: 'gig_ended', gigId: EXAMPLE_GIG },
    ),
    404: gigMissing(),
    ...refused,
    409: inProgressResponse('The gig is being started'),
  },
});

function renderEnded({ gig, ...told }: { gig: Gig; now: number; earning: GigEarning | null }) {
  return { data: renderGig(gig, told) };
}

/** `POST /api/gigs/:id/stop`, `/settle` and `/cancel`: each needs an API key, and may carry an `Idempotency-Key`. */
export function addEndRoutes(app: App, deps: HttpContext): void {
  const once = createIdempotency(deps, { status: 200, readsBody: false });
  const middleware = [requireApiKey(deps, 'gigs:write'), once.replay];
  const end = (c: Context<AppEnv>, gigId: number, ending: Ending) => {
    const attempt = { gigId, ending, actor: actorOf(c), holder: deps.newId() };
    return once.answer(c, renderEnded, () => ({
      async commit(tx, now) {
        const gig = await endGigIn(tx, attempt, now);
        return { gig, now, earning: await findGigEarning({ store: tx }, gig) };
      },
    }));
  };
  app.openapi({ ...stopRoute, middleware }, (c) => end(c, c.req.valid('param').id, 'stop'));
  app.openapi({ ...settleRoute, middleware }, (c) => end(c, c.req.valid('param').id, 'settle'));
  app.openapi({ ...cancelRoute, middleware }, (c) => end(c, c.req.valid('param').id, 'cancel'));
}
