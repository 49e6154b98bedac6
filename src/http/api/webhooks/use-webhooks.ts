import { z } from '@hono/zod-openapi';
import { listDeliveries } from '../../../services/events/read-events.ts';
import {
  MOST_REPLAYED,
  readSecret,
  replayEvents,
  rotateSecret,
  testWebhook,
} from '../../../services/events/webhooks.ts';
import { sentKey } from '../../middleware/idempotency.ts';
import { pageQuery, WEBHOOK_ID_IN_PATH } from '../../middleware/parameters.ts';
import { defineOperation } from '../define-operation.ts';
import { cursorText } from '../fields.ts';
import { dataOf, jsonBody } from '../schemas.ts';
import { OF_WEBHOOK, SIGNING_OFF, WEBHOOK_MISSING } from './manage-webhooks.ts';
import { deliverySchema, renderDelivery } from './webhook-json.ts';

const secretSchema = dataOf(
  z
    .object({
      secret: z
        .string()
        .openapi({ description: 'As Standard Webhooks writes it.', example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' }),
    })
    .openapi({ description: 'The secret.' }),
);
const refuses = [WEBHOOK_ID_IN_PATH, WEBHOOK_MISSING, SIGNING_OFF];

const secretOperation = defineOperation({
  ...OF_WEBHOOK,
  id: 'showWebhookSecret',
  method: 'get',
  path: '/api/webhooks/:id{[0-9]+}/secret',
  summary: 'The secret of a webhook',
  description: 'It is not stored: it derives from the service’s key.',
  answer: { status: 200, says: 'The secret', schema: secretSchema },
  refuses,
  run: (deps, { params: { id }, actor }) => readSecret(deps, { id, actor }),
  render: (secret) => ({ data: { secret } }),
});

const rotateOperation = defineOperation({
  ...OF_WEBHOOK,
  id: 'rotateWebhookSecret',
  method: 'post',
  path: '/api/webhooks/:id{[0-9]+}/secret',
  summary: 'Give a webhook a new secret',
  description:
    'For 24 hours the old secret also signs. A repeated request with the same Idempotency-Key returns the same secret: send one, ' +
    'because a second rotation ends the secret that your receiver has.',
  takesKey: true,
  answer: { status: 200, says: 'The new secret', schema: secretSchema },
  refuses,
  // No response is saved, because it holds the secret.
  run: (deps, { params: { id }, actor, c }) => rotateSecret(deps, { id, actor, key: sentKey(c) }),
  render({ secret, isRepeat }, { c }) {
    if (isRepeat) c.get('request').headers['idempotent-replayed'] = 'true';
    return { data: { secret } };
  },
});

const testOperation = defineOperation({
  ...OF_WEBHOOK,
  id: 'testWebhook',
  method: 'post',
  path: '/api/webhooks/:id{[0-9]+}/test',
  summary: 'Send a webhook a test',
  description:
    'Sends `webhook.test`, also to a paused webhook, and returns the answer. While its client has two requests ' +
    'to webhooks under way, it waits for up to 5 seconds; then `error` says that the webhook was not asked.',
  answer: {
    status: 200,
    says: 'Its answer',
    schema: dataOf(
      z
        .object({
          status: z.int().nullable().openapi({ description: 'The status of the answer; null without one.' }),
          error: z.string().optional().openapi({ description: 'Why there was no answer.' }),
        })
        .openapi({ description: 'The answer.' }),
    ),
  },
  refuses,
  run: (deps, { params: { id }, actor }) => testWebhook(deps, { id, actor }),
  render: (data) => ({ data }),
});

const moment = (name: string) =>
  z.iso.datetime(`${name} must be a time such as 2026-11-26T11:26:36Z`).transform((text) => Date.parse(text));
const whole = (name: string) => {
  const message = `${name} must be a positive whole number`;
  return z.int(message).min(1, message);
};
const replaySchema = z.union(
  [
    z.strictObject({ seq: whole('seq') }).transform(({ seq }) => ({ seq })),
    z.strictObject({ gig_id: whole('gig_id') }).transform(({ gig_id: gigId }) => ({ gigId })),
    z.strictObject({ since: moment('since'), until: moment('until') }),
  ],
  'name seq, gig_id, or since and until',
);

const replayOperation = defineOperation({
  ...OF_WEBHOOK,
  id: 'replayEvents',
  method: 'post',
  path: '/api/webhooks/:id{[0-9]+}/replay',
  summary: 'Send events to a webhook again',
  description: `The event with a \`seq\`, those of a gig, or those from \`since\` on and before \`until\`; the first ones, until ${MOST_REPLAYED} are queued. They do not hold back new ones.`,
  body: jsonBody(replaySchema, 'ReplayRequest', 'Which events.', { seq: 812 }),
  answer: {
    status: 202,
    says: 'They are queued',
    schema: dataOf(
      z.object({ count: z.int().openapi({ description: 'How many.' }) }).openapi({ description: 'The deliveries.' }),
    ),
  },
  refuses: [
    'Webhook 3 is paused: resume it first',
    { code: 'validation_failed', details: ['seq must be a positive whole number'] },
    WEBHOOK_MISSING,
  ],
  run: (deps, { params: { id }, body: which, actor }) => replayEvents(deps, { id, actor, which }),
  render: (count) => ({ data: { count } }),
});

const deliveriesOperation = defineOperation({
  ...OF_WEBHOOK,
  scope: 'events:read',
  id: 'listDeliveries',
  method: 'get',
  path: '/api/webhooks/:id{[0-9]+}/deliveries',
  summary: 'The deliveries to a webhook',
  description: 'The newest first. They are kept for 30 days after they end; events stay.',
  query: pageQuery,
  answer: {
    status: 200,
    says: 'The deliveries; `next_cursor` is null on the last page',
    schema: z.object({
      data: z.array(deliverySchema).openapi({ description: 'A page of deliveries.' }),
      next_cursor: z.string().nullable().openapi({ description: 'The `cursor` of the next page.' }),
    }),
  },
  refuses: ['limit must be a whole number from 1 to 100', WEBHOOK_MISSING],
  run: (deps, { params: { id }, query: { limit, cursor: before }, actor }) =>
    listDeliveries(deps, { id, actor, limit, before }),
  render: ({ deliveries, next }) => ({ data: deliveries.map(renderDelivery), next_cursor: cursorText(next) }),
});

/** By which clients use their webhooks. */
export const WEBHOOK_USE = [secretOperation, rotateOperation, testOperation, replayOperation, deliveriesOperation];
