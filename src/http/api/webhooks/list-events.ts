import { z } from '@hono/zod-openapi';
import { createEventWait } from '../../../services/events/read-events.ts';
import { eventQuery } from '../../middleware/parameters.ts';
import { defineOperation } from '../define-operation.ts';
import { GIG_MISSING } from '../schemas.ts';
import { eventSchema, renderEvent } from './webhook-json.ts';

export const LIST_EVENTS = defineOperation({
  id: 'listEvents',
  method: 'get',
  path: '/api/events',
  tag: 'Events',
  scope: 'events:read',
  summary: 'The events of the client’s gigs',
  description:
    'In the order of `seq`, from `after` on. Ask again with `next_after`; with `wait` the answer is held until there is an event.',
  query: eventQuery,
  answer: {
    status: 200,
    says: 'The events, and where to go on',
    schema: z.object({
      data: z.array(eventSchema).openapi({ description: 'Events in their order.' }),
      next_after: z.string().openapi({ description: 'The `after` of the next request.', example: '812-5f0c2a8e' }),
    }),
  },
  refuses: [{ code: 'invalid_cursor', readFrom: 0 }, GIG_MISSING],
  mcp: { place: 18 },
  createRun(deps) {
    const events = createEventWait(deps);
    return ({ query: { gig_id: gigId, wait, ...query }, actor, c }) => {
      const { signal } = c.req.raw;
      return events.read({ ...query, gigId, actor }, wait * 1_000, () => signal.aborted);
    };
  },
  render: ({ events, next }) => ({ data: events.map(renderEvent), next_after: next }),
});
