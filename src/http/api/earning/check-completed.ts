import { createRoute, z } from '@hono/zod-openapi';
import { hasCompleted } from '../../../services/gigs/show/check-completed.ts';
import type { HttpContext } from '../../context.ts';
import { answerJson, requireJson } from '../../middleware/body.ts';
import type { App } from '../../middleware/context.ts';
import { badRequest, gigMissing, jsonBody, jsonResponse, refusals } from '../schemas.ts';
import { bodyOf } from '../validation.ts';

const EXAMPLE = { gigId: 42, platformUserId: '8004' };
const GIG_ID = 'gigId must be a positive whole number of at most 15 digits';
const USER =
  'platformUserId must be a user id (a whole number of at most 20 digits) or a handle (1 to 64 letters, digits, _, . or -) on the gig’s platform';

const requestSchema = bodyOf({
  gigId: z
    .union([z.int(GIG_ID), z.string().regex(/^[1-9][0-9]{0,14}$/, GIG_ID)], GIG_ID)
    .transform(Number)
    .refine((id) => id > 0 && id < 1e15, GIG_ID)
    .openapi({ description: 'The id of the gig.' }),
  platformUserId: z
    .union([z.string(), z.int(USER).min(0, USER).transform(String)], USER)
    .refine((text) => /^(?:[0-9]{1,20}|@?[A-Za-z0-9_.-]{1,64})$/.test(text), USER)
    .openapi({ description: 'The id of the account, or its handle.' }),
});

const route = createRoute({
  method: 'post',
  path: '/api/tasks/check-completed',
  operationId: 'checkCompleted',
  tags: ['Gigs'],
  summary: 'Whether an account has earned from a gig',
  security: [],
  description:
    'An account has completed a gig when it has a tip from it, claimed or not, or did what the gig’s rules count and was not refused.',
  request: {
    body: jsonBody(requestSchema, 'CheckCompletedRequest', 'A gig and an account.', EXAMPLE),
  },
  responses: {
    200: jsonResponse(
      'Whether the account has completed the gig',
      z.object({
        success: z.literal(true).openapi({ description: 'Always true.' }),
        isCompleted: z.boolean().openapi({ description: 'Whether it has.' }),
      }),
    ),
    400: badRequest('The body is malformed', 'Body is not valid JSON'),
    404: gigMissing(),
    ...refusals({ body: true }),
  },
});

/** `POST /api/tasks/check-completed`: public. */
export function addTaskRoutes(app: App, deps: HttpContext): void {
  app.openapi({ ...route, middleware: requireJson(JSON.stringify(EXAMPLE)) }, async (c) => {
    const { gigId, platformUserId } = c.req.valid('json');
    const isCompleted = await hasCompleted(deps, { gigId, who: platformUserId });
    return answerJson(c, { success: true, isCompleted }, 200);
  });
}
