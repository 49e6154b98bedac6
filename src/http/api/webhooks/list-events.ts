import { createRoute, z } from '@hono/zod-openapi';
import { createEventWait } from '../../../services/events/read-events.ts';
import type { HttpContext } from '../../context.ts';
import { actorOf, requireApiKey } from '../../middleware/api-key.ts';
import { answerJson } from '../../middleware/body.ts';
import type { App } from '../../middleware/context.ts';
import { eventQuery } from '../../middleware/parameters.ts';
import { errorResponse, gigMissing, jsonResponse, keyedBy, refusals } from '../schemas.ts';
import { eventSchema, renderEvent } from './webhook-json.ts';

const SCOPE = 'events:read';

const route = createRoute({
  method: 'get',
  path: '/api/events',
  operationId: 'listEvents',
  tags: ['Events'],
  summary: 'The events of the client’s gigs',
  description:
    'In the order of `seq`, from `after` on. Ask again with `next_after`; with `wait` the answer is held until there is an event.',
  ...keyedBy(SCOPE),
  request: { query: eventQuery },
  responses: {
    200: jsonResponse(
      'The events, and where to go on',
      z.object({
        data: z.array(eventSchema).openapi({ description: 'Events in their order.' }),
        next_after: z.string().openapi({ description: 'The `after` of the next request.', example: '812-5f0c2a8e' }),
      }),
    ),
    400: errorResponse('A parameter is malformed, or the cursor names no event', {
      code: 'invalid_cursor',
      readFrom: 0,
    }),
    404: gigMissing('The client has no such gig'),
    ...refusals({ scope: SCOPE }),
  },
});

/** `GET /api/events`: needs an API key. */
export function addEventRoute(app: App, deps: HttpContext): void {
  const events = createEventWait(deps);
  app.openapi({ ...route, middleware: requireApiKey(deps, SCOPE) }, async (c) => {
    const { gig_id: gigId, wait, ...query } = c.req.valid('query');
    const { signal } = c.req.raw;
    const asked = { ...query, gigId, actor: actorOf(c) };
    const page = await events.read(asked, wait * 1_000, () => signal.aborted);
    return answerJson(c, { data: page.events.map(renderEvent), next_after: page.next }, 200);
  });
}
