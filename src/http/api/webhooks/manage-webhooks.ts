import { z } from '@hono/zod-openapi';
import { EVENT_TYPES, type EventType } from '../../../domain/events/event.ts';
import {
  changeWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  prepareWebhook,
  urlProblems,
} from '../../../services/events/webhooks.ts';
import type { HttpContext } from '../../context.ts';
import { endpointPath, WEBHOOK_ID_IN_PATH } from '../../middleware/parameters.ts';
import { defineOperation } from '../define-operation.ts';
import { type Cause, dataOf, jsonBody } from '../schemas.ts';
import { bodyOf } from '../validation.ts';
import { renderWebhook, webhookSchema } from './webhook-json.ts';

const urlField = z.string('url must be a string').openapi({ description: 'https, at a public address.' });
const typesField = z
  .array(z.enum(EVENT_TYPES, `must be one of ${EVENT_TYPES.join(', ')}`), 'types must be a list')
  .openapi({ description: 'The types that are sent; empty or absent: all.' });
const flag = (name: string, description: string) =>
  z.boolean(`${name} must be true or false`).optional().openapi({ description });

const createSchema = bodyOf({
  url: urlField,
  types: typesField.optional(),
  all_clients: flag('all_clients', 'The events of all clients, for keys with the scope `operator`.'),
});
const changeSchema = bodyOf({
  url: urlField.optional(),
  types: typesField.optional(),
  paused: flag('paused', 'Whether nothing is sent.'),
});
const oneWebhook = dataOf(webhookSchema);

/** What the operations of one webhook have in common. */
export const OF_WEBHOOK = { tag: 'Events', scope: 'webhooks:write', params: endpointPath } as const;
/** The refusal of a webhook that is not there, or not the client's. */
export const WEBHOOK_MISSING: Cause = { code: 'webhook_not_found', webhookId: 3 };
/** The refusal while nothing can be signed. */
export const SIGNING_OFF: Cause = { code: 'signing_off' };
const BAD_URL: Cause = { code: 'validation_failed', details: ['url must begin with https://'] };

function problemsOfUrl(deps: HttpContext, { fields: { url } }: { fields: { url?: string | undefined } }) {
  return url === undefined ? [] : urlProblems(deps, url);
}

const createOperation = defineOperation({
  id: 'createWebhook',
  method: 'post',
  path: '/api/webhooks',
  tag: 'Events',
  scope: 'webhooks:write',
  summary: 'Have events sent to a URL',
  description:
    'It takes the events of the client’s gigs from now on, signed as Standard Webhooks says. The secret is read from ' +
    '`GET /api/webhooks/{id}/secret`.',
  body: jsonBody(createSchema, 'CreateWebhookRequest', 'The events to send, and their receiver.', {
    url: 'https://shop.example/gigclaim',
    types: ['tips.awarded' satisfies EventType],
  }),
  answer: { status: 201, says: 'The webhook is active', schema: oneWebhook },
  refuses: [BAD_URL, SIGNING_OFF, { code: 'too_many_webhooks' }],
  problems: problemsOfUrl,
  prepare: (deps, { body: { url, types = [], all_clients: allClients = false }, actor }) =>
    prepareWebhook(deps, { url, types, allClients, actor }),
  render: (endpoint) => ({ data: renderWebhook(endpoint) }),
});

const listOperation = defineOperation({
  id: 'listWebhooks',
  method: 'get',
  path: '/api/webhooks',
  tag: 'Events',
  scope: 'webhooks:write',
  summary: 'The webhooks of the client',
  description: 'By their ids; their secrets are read one by one.',
  answer: {
    status: 200,
    says: 'By their ids',
    schema: dataOf(z.array(webhookSchema).openapi({ description: 'All webhooks.' })),
  },
  run: (deps, { actor }) => listWebhooks(deps, actor),
  render: (endpoints) => ({ data: endpoints.map(renderWebhook) }),
});

const showOperation = defineOperation({
  ...OF_WEBHOOK,
  id: 'showWebhook',
  method: 'get',
  path: '/api/webhooks/:id{[0-9]+}',
  summary: 'One webhook',
  description: 'Without its secret.',
  answer: { status: 200, says: 'The webhook', schema: oneWebhook },
  refuses: [WEBHOOK_ID_IN_PATH, WEBHOOK_MISSING],
  run: ({ store }, { params: { id }, actor }) => findWebhook(store, { id, actor }),
  render: (endpoint) => ({ data: renderWebhook(endpoint) }),
});

const changeOperation = defineOperation({
  ...OF_WEBHOOK,
  id: 'changeWebhook',
  method: 'patch',
  path: '/api/webhooks/:id{[0-9]+}',
  summary: 'Change, pause or resume a webhook',
  description: 'Only the given fields change. A resumed webhook gets the events that it missed, in order.',
  body: jsonBody(changeSchema, 'ChangeWebhookRequest', 'The fields to change.', { paused: false }),
  answer: { status: 200, says: 'The webhook as it is then', schema: oneWebhook },
  refuses: [BAD_URL, WEBHOOK_MISSING, SIGNING_OFF],
  run: (deps, { params: { id }, body, actor }) => changeWebhook(deps, { ...body, id, actor }),
  render: (endpoint) => ({ data: renderWebhook(endpoint) }),
});

const deleteOperation = defineOperation({
  ...OF_WEBHOOK,
  id: 'deleteWebhook',
  method: 'delete',
  path: '/api/webhooks/:id{[0-9]+}',
  summary: 'Delete a webhook',
  description: 'Queued events are no longer sent to it.',
  answer: { status: 204, says: 'It is deleted' },
  refuses: [WEBHOOK_ID_IN_PATH, WEBHOOK_MISSING],
  run: (deps, { params: { id }, actor }) => deleteWebhook(deps, { id, actor }),
  respond: (_done, { c }) => c.body(null, 204, c.get('request').headers),
});

/** By which clients manage their webhooks. */
export const WEBHOOK_MANAGEMENT = [createOperation, listOperation, showOperation, changeOperation, deleteOperation];
