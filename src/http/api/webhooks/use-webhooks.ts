import { createRoute, z } from '@hono/zod-openapi';
import { listDeliveries } from '../../../services/events/read-events.ts';
import {
  MOST_REPLAYED,
  readSecret,
  replayEvents,
  rotateSecret,
  testWebhook,
} from '../../../services/events/webhooks.ts';
import type { HttpContext } from '../../context.ts';
import { actorOf, requireApiKey } from '../../middleware/api-key.ts';
import { answerJson, requireJson } from '../../middleware/body.ts';
import type { App } from '../../middleware/context.ts';
import { idempotencyHeader, sentKey } from '../../middleware/idempotency.ts';
import { endpointPath, pageQuery } from '../../middleware/parameters.ts';
import { badRequest, errorResponse, jsonResponse, keyedBy, refusals } from '../schemas.ts';
import { badPath, signingOff, webhookMissing } from './manage-webhooks.ts';
import { deliverySchema, renderDelivery } from './webhook-json.ts';

const SCOPE = 'webhooks:write';
const READ = 'events:read';
const REPLAY_EXAMPLE = { seq: 812 };

const shared = { tags: ['Events'], ...keyedBy(SCOPE), request: { params: endpointPath } };
const refused = { 400: badPath, 404: webhookMissing, 503: signingOff, ...refusals({ scope: SCOPE }) };

const secretAnswer = z.object({
  data: z
    .object({
      secret: z
        .string()
        .openapi({ description: 'As Standard Webhooks writes it.', example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' }),
    })
    .openapi({ description: 'The secret.' }),
});

const secretRoute = createRoute({
  ...shared,
  method: 'get',
  path: '/api/webhooks/:id{[0-9]+}/secret',
  operationId: 'showWebhookSecret',
  summary: 'The secret of a webhook',
  description: 'It is not stored: it derives from the service’s key.',
  responses: { 200: jsonResponse('The secret', secretAnswer), ...refused },
});

const rotateRoute = createRoute({
  ...shared,
  method: 'post',
  path: '/api/webhooks/:id{[0-9]+}/secret',
  operationId: 'rotateWebhookSecret',
  summary: 'Give a webhook a new secret',
  description:
    'For 24 hours the old secret also signs. A repeated request with the same Idempotency-Key returns the same secret: send one, ' +
    'because a second rotation ends the secret that your receiver has.',
  request: { params: endpointPath, headers: idempotencyHeader },
  responses: { 200: jsonResponse('The new secret', secretAnswer), ...refused },
});

const testRoute = createRoute({
  ...shared,
  method: 'post',
  path: '/api/webhooks/:id{[0-9]+}/test',
  operationId: 'testWebhook',
  summary: 'Send a webhook a test',
  description:
    'Sends `webhook.test`, also to a paused webhook, and returns the answer. While its client has two requests ' +
    'to webhooks under way, it waits for up to 5 seconds; then `error` says that the webhook was not asked.',
  responses: {
    200: jsonResponse(
      'Its answer',
      z.object({
        data: z
          .object({
            status: z.int().nullable().openapi({ description: 'The status of the answer; null without one.' }),
            error: z.string().optional().openapi({ description: 'Why there was no answer.' }),
          })
          .openapi({ description: 'The answer.' }),
      }),
    ),
    ...refused,
  },
});

const moment = (name: string) =>
  z.iso.datetime(`${name} must be a time such as 2026-11-26T11:26:36Z`).transform((text) => Date.parse(text));
const whole = (name: string) => {
  const message = `${name} must be a positive whole number`;
  return z.int(message).min(1, message);
};
const ONE_WAY = 'name seq, gig_id, or since and until';
const replaySchema = z.union(
  [
    z.strictObject({ seq: whole('seq') }).transform(({ seq }) => ({ seq })),
    z.strictObject({ gig_id: whole('gig_id') }).transform(({ gig_id: gigId }) => ({ gigId })),
    z.strictObject({ since: moment('since'), until: moment('until') }),
  ],
  ONE_WAY,
);

const replayRoute = createRoute({
  ...shared,
  method: 'post',
  path: '/api/webhooks/:id{[0-9]+}/replay',
  operationId: 'replayEvents',
  summary: 'Send events to a webhook again',
  description: `The event with a \`seq\`, those of a gig, or those from \`since\` on and before \`until\`; the first ones, until ${MOST_REPLAYED} are queued. They do not hold back new ones.`,
  request: {
    params: endpointPath,
    body: {
      required: true,
      content: {
        'application/json': {
          schema: replaySchema.openapi('ReplayRequest', { description: 'Which events.', example: REPLAY_EXAMPLE }),
        },
      },
    },
  },
  responses: {
    202: jsonResponse(
      'They are queued',
      z.object({
        data: z
          .object({ count: z.int().openapi({ description: 'How many.' }) })
          .openapi({ description: 'The deliveries.' }),
      }),
    ),
    400: badRequest('The body is invalid, or the webhook is paused', 'Webhook 3 is paused: resume it first'),
    404: webhookMissing,
    ...refusals({ scope: SCOPE, body: true }),
  },
});

const deliveriesRoute = createRoute({
  ...shared,
  ...keyedBy(READ),
  method: 'get',
  path: '/api/webhooks/:id{[0-9]+}/deliveries',
  operationId: 'listDeliveries',
  summary: 'The deliveries to a webhook',
  description: 'The newest first. They are kept for 30 days after they end; events stay.',
  request: { params: endpointPath, query: pageQuery },
  responses: {
    200: jsonResponse(
      'The deliveries; `next_cursor` is null on the last page',
      z.object({
        data: z.array(deliverySchema).openapi({ description: 'A page of deliveries.' }),
        next_cursor: z.string().nullable().openapi({ description: 'The `cursor` of the next page.' }),
      }),
    ),
    400: errorResponse('A parameter is malformed', 'limit must be a whole number from 1 to 100'),
    404: webhookMissing,
    ...refusals({ scope: READ }),
  },
});

/** `/api/webhooks/:id/secret`, `/test`, `/replay` and `/deliveries`: each needs an API key. */
export function addWebhookUse(app: App, deps: HttpContext): void {
  const keyed = requireApiKey(deps, SCOPE);
  app.openapi({ ...secretRoute, middleware: keyed }, async (c) => {
    const secret = await readSecret(deps, { id: c.req.valid('param').id, actor: actorOf(c) });
    return answerJson(c, { data: { secret } }, 200);
  });
  app.openapi({ ...rotateRoute, middleware: keyed }, async (c) => {
    const asked = { id: c.req.valid('param').id, actor: actorOf(c), key: sentKey(c) };
    const { secret, isRepeat } = await rotateSecret(deps, asked);
    if (isRepeat) c.header('idempotent-replayed', 'true');
    return answerJson(c, { data: { secret } }, 200);
  });
  app.openapi({ ...testRoute, middleware: keyed }, async (c) => {
    const data = await testWebhook(deps, { id: c.req.valid('param').id, actor: actorOf(c) });
    return answerJson(c, { data }, 200);
  });
  app.openapi({ ...replayRoute, middleware: [keyed, requireJson(JSON.stringify(REPLAY_EXAMPLE))] }, async (c) => {
    const asked = { id: c.req.valid('param').id, actor: actorOf(c), which: c.req.valid('json') };
    return answerJson(c, { data: { count: await replayEvents(deps, asked) } }, 202);
  });
  app.openapi({ ...deliveriesRoute, middleware: requireApiKey(deps, READ) }, async (c) => {
    const { limit, cursor: before } = c.req.valid('query');
    const asked = { id: c.req.valid('param').id, actor: actorOf(c), limit, before };
    const { deliveries, next } = await listDeliveries(deps, asked);
    const body = { data: deliveries.map(renderDelivery), next_cursor: next === null ? null : String(next) };
    return answerJson(c, body, 200);
  });
}
