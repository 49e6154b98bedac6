import { createRoute, z } from '@hono/zod-openapi';
import type { WebhookEndpoint } from '../../../domain/events/endpoint.ts';
import { EVENT_TYPES, type EventType } from '../../../domain/events/event.ts';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  urlProblems,
} from '../../../services/events/webhooks.ts';
import type { HttpContext } from '../../context.ts';
import { actorOf, requireApiKey } from '../../middleware/api-key.ts';
import { answerJson, requireJson } from '../../middleware/body.ts';
import type { App } from '../../middleware/context.ts';
import { createIdempotency, idempotencyHeader } from '../../middleware/idempotency.ts';
import { endpointPath, WEBHOOK_ID_IN_PATH } from '../../middleware/parameters.ts';
import { badRequest, errorResponse, jsonBody, jsonResponse, keyedBy, refusals } from '../schemas.ts';
import { bodyOf, refuseAlsoFor } from '../validation.ts';
import { renderWebhook, webhookSchema } from './webhook-json.ts';

const SCOPE = 'webhooks:write';
const CREATE_EXAMPLE = { url: 'https://shop.example/gigclaim', types: ['tips.awarded' satisfies EventType] };
const CHANGE_EXAMPLE = { paused: false };

const urlField = z.string('url must be a string').openapi({ description: 'https, at a public address.' });
const typesField = z
  .array(z.enum(EVENT_TYPES, `must be one of ${EVENT_TYPES.join(', ')}`), 'types must be a list')
  .openapi({ description: 'The types that are sent; empty or absent: all.' });
const flag = (name: string) => z.boolean(`${name} must be true or false`);

const createSchema = bodyOf({
  url: urlField,
  types: typesField.optional(),
  all_clients: flag('all_clients')
    .optional()
    .openapi({ description: 'The events of all clients, for keys with the scope `operator`.' }),
});
const changeSchema = bodyOf({
  url: urlField.optional(),
  types: typesField.optional(),
  paused: flag('paused').optional().openapi({ description: 'Whether nothing is sent.' }),
});

/** The response for a webhook that is not there, or not the client's. */
export const webhookMissing = errorResponse('There is no such webhook', { code: 'webhook_not_found', webhookId: 3 });
/** The response for a malformed path. */
export const badPath = errorResponse('The path is malformed', WEBHOOK_ID_IN_PATH);
/** The response while nothing can be signed. */
export const signingOff = errorResponse('The operator has turned events off', { code: 'signing_off' });

const oneWebhook = z.object({ data: webhookSchema });
const shared = { tags: ['Events'], ...keyedBy(SCOPE) };
const badBody = badRequest('The body is invalid', {
  code: 'validation_failed',
  details: ['url must begin with https://'],
});

const creationRoute = createRoute({
  ...shared,
  method: 'post',
  path: '/api/webhooks',
  operationId: 'createWebhook',
  summary: 'Have events sent to a URL',
  description:
    'It takes the events of the client’s gigs from now on, signed as Standard Webhooks says. The secret is read from ' +
    '`GET /api/webhooks/{id}/secret`.',
  request: {
    headers: idempotencyHeader,
    body: jsonBody(createSchema, 'CreateWebhookRequest', 'The events to send, and their receiver.', CREATE_EXAMPLE),
  },
  responses: {
    201: jsonResponse('The webhook is active', oneWebhook),
    400: badBody,
    503: signingOff,
    ...refusals({ scope: SCOPE, body: true }),
    409: errorResponse(
      'The client has ten webhooks, or the Idempotency-Key was used with another body',
      { code: 'too_many_webhooks' },
      { code: 'key_reused' },
    ),
  },
});

const listRoute = createRoute({
  ...shared,
  method: 'get',
  path: '/api/webhooks',
  operationId: 'listWebhooks',
  summary: 'The webhooks of the client',
  description: 'By their ids; their secrets are read one by one.',
  responses: {
    200: jsonResponse(
      'By their ids',
      z.object({ data: z.array(webhookSchema).openapi({ description: 'All webhooks.' }) }),
    ),
    ...refusals({ scope: SCOPE }),
  },
});

const showRoute = createRoute({
  ...shared,
  method: 'get',
  path: '/api/webhooks/:id{[0-9]+}',
  operationId: 'showWebhook',
  summary: 'One webhook',
  description: 'Without its secret.',
  request: { params: endpointPath },
  responses: {
    200: jsonResponse('The webhook', oneWebhook),
    400: badPath,
    404: webhookMissing,
    ...refusals({ scope: SCOPE }),
  },
});

const changeRoute = createRoute({
  ...shared,
  method: 'patch',
  path: '/api/webhooks/:id{[0-9]+}',
  operationId: 'changeWebhook',
  summary: 'Change, pause or resume a webhook',
  description: 'Only the given fields change. A resumed webhook gets the events that it missed, in order.',
  request: {
    params: endpointPath,
    body: jsonBody(changeSchema, 'ChangeWebhookRequest', 'The fields to change.', CHANGE_EXAMPLE),
  },
  responses: {
    200: jsonResponse('The webhook as it is then', oneWebhook),
    400: badBody,
    404: webhookMissing,
    503: signingOff,
    ...refusals({ scope: SCOPE, body: true }),
  },
});

const deleteRoute = createRoute({
  ...shared,
  method: 'delete',
  path: '/api/webhooks/:id{[0-9]+}',
  operationId: 'deleteWebhook',
  summary: 'Delete a webhook',
  description: 'Queued events are no longer sent to it.',
  request: { params: endpointPath },
  responses: {
    204: { description: 'It is deleted' },
    400: badPath,
    404: webhookMissing,
    ...refusals({ scope: SCOPE }),
  },
});

/** `POST` and `GET /api/webhooks`, `GET`, `PATCH` and `DELETE /api/webhooks/:id`: each needs an API key. */
export function addWebhookManagement(app: App, deps: HttpContext): void {
  const keyed = requireApiKey(deps, SCOPE);
  const once = createIdempotency(deps, { status: 201 });
  const refuseUrl = ({ url }: { url?: string | undefined }) => (url === undefined ? [] : urlProblems(deps, url));
  const creating = [keyed, requireJson(JSON.stringify(CREATE_EXAMPLE)), once.replay];
  app.openapi(
    { ...creationRoute, middleware: creating },
    (c) => {
      const { url, types = [], all_clients: allClients = false } = c.req.valid('json');
      const wanted = { url, types, allClients, actor: actorOf(c) };
      return once.answer(
        c,
        (endpoint: WebhookEndpoint) => ({ data: renderWebhook(endpoint) }),
        () => ({ commit: (tx, now) => createWebhook(tx, deps, { ...wanted, now }) }),
      );
    },
    refuseAlsoFor(createSchema, refuseUrl),
  );
  app.openapi({ ...listRoute, middleware: keyed }, async (c) => {
    const endpoints = await listWebhooks(deps, actorOf(c));
    return answerJson(c, { data: endpoints.map(renderWebhook) }, 200);
  });
  app.openapi({ ...showRoute, middleware: keyed }, async (c) => {
    const endpoint = await findWebhook(deps.store, { id: c.req.valid('param').id, actor: actorOf(c) });
    return answerJson(c, { data: renderWebhook(endpoint) }, 200);
  });
  app.openapi({ ...changeRoute, middleware: [keyed, requireJson(JSON.stringify(CHANGE_EXAMPLE))] }, async (c) => {
    const change = { ...c.req.valid('json'), id: c.req.valid('param').id, actor: actorOf(c) };
    return answerJson(c, { data: renderWebhook(await changeWebhook(deps, change)) }, 200);
  });
  app.openapi({ ...deleteRoute, middleware: keyed }, async (c) => {
    await deleteWebhook(deps, { id: c.req.valid('param').id, actor: actorOf(c) });
    return c.body(null, 204, c.get('request').headers);
  });
}
