import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { DomainError } from '../../../domain/errors.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import { prepareStart } from '../../../services/gigs/start-gig.ts';
import type { Prepared } from '../../../services/prepared.ts';
import type { HttpContext } from '../../context.ts';
import { actorOf, requireApiKey } from '../../middleware/api-key.ts';
import { requireJson } from '../../middleware/body.ts';
import type { App, AppEnv } from '../../middleware/context.ts';
import { createIdempotency, idempotencyHeader } from '../../middleware/idempotency.ts';
import { gigIdField } from '../fields.ts';
import {
  chainAway,
  EXAMPLE_GIG,
  errorExample,
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
  request: {
    headers: idempotencyHeader,
    body: { required: true, content: { 'application/json': { schema: startRequestSchema } } },
  },
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
            alreadyLive: errorExample({ code: 'gig_already_live', gigId: EXAMPLE_GIG }),
            malformed: errorExample(GIG_ID),
          },
        },
      },
    },
    404: gigMissing(),
    503: chainAway(),
    ...refusals({ scope: 'gigs:write', body: true, once: true }),
    409: inProgressResponse(
      'Another start of this gig is under way, or the Idempotency-Key was used with another body',
      {
        code: 'key_reused',
      },
    ),
  },
});

/** The published answer for a gig that has ended is that of one that is live. */
async function asPublished<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof DomainError) || error.refusal.code !== 'gig_ended') throw error;
    throw new DomainError({ ...error.refusal, code: 'gig_already_live' });
  }
}

function renderStarted({ id }: Gig) {
  return { data: { message: 'Gig started successfully', gig_id: id } };
}

/** `POST /api/gigs/start`: needs an API key; may carry an `Idempotency-Key`. */
export function addStartRoute(app: App, deps: HttpContext): void {
  const once = createIdempotency(deps, { status: 200 });
  const middleware = [requireApiKey(deps, 'gigs:write'), requireJson(EXAMPLE), once.replay];
  const handle: RouteHandler<typeof startRoute, AppEnv> = (c) => {
    const { gig_id: gigId } = c.req.valid('json');
    const actor = actorOf(c);
    // Never the request id, which callers may choose: two equal ones would share the lock.
    const request = { gigId, holder: deps.newId(), actor };
    const prepare = async (): Promise<Prepared<Gig>> => {
      const prepared = await prepareStart(deps, request);
      const done = () => c.get('request').log().info({ gigId, apiKeyId: actor.id }, 'gig started');
      return { ...prepared, done, commit: (tx, now) => asPublished(() => prepared.commit(tx, now)) };
    };
    return once.answer(c, renderStarted, () => asPublished(prepare));
  };
  app.openapi({ ...startRoute, middleware }, handle, refuseInOneSentence);
}
