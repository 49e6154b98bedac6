import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { DomainError } from '../../../domain/errors.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import type { StartContext } from '../../../services/gigs/context.ts';
import { type StartGigRequest, startGig } from '../../../services/gigs/start-gig.ts';
import type { HttpContext } from '../../context.ts';
import { actorOf, requireApiKey } from '../../middleware/api-key.ts';
import { answerJson, requireJson } from '../../middleware/body.ts';
import type { App, AppEnv } from '../../middleware/context.ts';
import { refusalText } from '../../middleware/errors.ts';
import { gigIdField } from '../fields.ts';
import {
  chainAway,
  EXAMPLE_GIG,
  errorSchema,
  gigMissing,
  inProgressResponse,
  jsonResponse,
  keyedBy,
  notFundedExample,
  notFundedSchema,
  refusals,
} from '../schemas.ts';
import { refuseInOneSentence } from '../validation.ts';

const EXAMPLE = '{"gig_id": 123}';
const GIG_ID = `gig_id must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}, as a JSON number`;

const startRequestSchema = z
  .object(
    { gig_id: z.int(GIG_ID).positive(GIG_ID).openapi({ description: 'The id of the gig.', example: 123 }) },
    `Body must be an object: send ${EXAMPLE}`,
  )
  .openapi('StartGigRequest', { description: 'The gig to start.' });

const startedSchema = z
  .object({
    data: z
      .object({
        message: z.string().openapi({ description: 'A fixed text.', example: 'Gig started successfully' }),
        gig_id: gigIdField.openapi({ example: 123 }),
      })
      .openapi({ description: 'The result.' }),
  })
  .openapi('GigStarted', { description: 'The gig is live.' });

const startRoute = createRoute({
  method: 'post',
  path: '/api/gigs/start',
  operationId: 'startGig',
  tags: ['Gigs'],
  summary: 'Start a funded gig',
  description:
    'Makes a created gig live once its wallet holds exactly its reward plus the platform fee. A start time that has ' +
    'passed becomes now, and the end moves with it.',
  ...keyedBy('gigs:write'),
  request: { body: { required: true, content: { 'application/json': { schema: startRequestSchema } } } },
  responses: {
    200: jsonResponse('The gig is live', startedSchema),
    400: {
      description:
        'The body is malformed, the gig is already live or was and has ended, or its wallet does not hold exactly the ' +
        'required funds',
      content: {
        'application/json': {
          schema: z.union([errorSchema, notFundedSchema]),
          examples: {
            notFunded: { value: notFundedExample },
            alreadyLive: { value: { error: refusalText({ code: 'gig_already_live', gigId: EXAMPLE_GIG }) } },
            malformed: { value: { error: GIG_ID } },
          },
        },
      },
    },
    404: gigMissing(),
    409: inProgressResponse('Another start of this gig is under way'),
    503: chainAway(),
    ...refusals({ scope: 'gigs:write', body: true }),
  },
});

/** {@link startGig}, whose published answer for a gig that has ended is that of one that is live. */
async function startAsPublished(deps: StartContext, request: StartGigRequest): Promise<Gig> {
  try {
    return await startGig(deps, request);
  } catch (error) {
    if (!(error instanceof DomainError) || error.refusal.code !== 'gig_ended') throw error;
    throw new DomainError({ ...error.refusal, code: 'gig_already_live' });
  }
}

/** `POST /api/gigs/start`: needs an API key. */
export function addStartRoute(app: App, deps: HttpContext): void {
  const middleware = [requireApiKey(deps, 'gigs:write'), requireJson(EXAMPLE)];
  const handle: RouteHandler<typeof startRoute, AppEnv> = async (c) => {
    const { gig_id: gigId } = c.req.valid('json');
    // Never the request id, which callers may choose: two equal ones would share the lock.
    const gig = await startAsPublished(deps, { gigId, holder: deps.newId(), actor: actorOf(c) });
    c.get('request')
      .log()
      .info({ gigId: gig.id, apiKeyId: actorOf(c).id }, 'gig started');
    return answerJson(c, { data: { message: 'Gig started successfully', gig_id: gig.id } }, 200);
  };
  app.openapi({ ...startRoute, middleware }, handle, refuseInOneSentence);
}
