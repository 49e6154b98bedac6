import { refusalRow } from '../refusal-row.ts';
import { MOST_ENDPOINTS } from './endpoint.ts';

/** What is refused of events and of the webhooks that take them. */
export const EVENT_REFUSALS = {
  webhook_not_found: refusalRow<{ readonly webhookId: number }>(
    404,
    'There is no such webhook, or it is another client’s',
    {
      api: ({ webhookId }) => `Webhook with id ${webhookId} not found`,
      cli: ({ webhookId }) => `There is no webhook ${webhookId}.`,
    },
  ),
  too_many_webhooks: refusalRow(409, 'The client has as many webhooks as it may have', {
    api: `A client may have ${MOST_ENDPOINTS} webhooks: delete one first`,
    cli: 'The client has the most webhooks that it may have; delete one first.',
  }),
  /** A cursor of no event of this ledger; `readFrom` is where to begin again. */
  invalid_cursor: refusalRow<{ readonly readFrom: number }>(
    400,
    'The cursor names no event of this ledger, as after a backup was restored',
    {
      api: ({ readFrom }) => `The cursor names no event of this ledger: read again with after=${readFrom}`,
      person: 'There is no such place in the list of events.',
      cli: ({ readFrom }) => `The cursor names no event of this ledger; read again from ${readFrom}.`,
    },
  ),
  signing_off: refusalRow(503, 'The operator has not set the key that signs events', {
    api: 'Events are turned off: the operator has not set SIGNING_KEY',
    person: 'Events are turned off here at the moment.',
    cli: 'This needs the key that signs events: set SIGNING_KEY, as the service has it, in .env or in the environment.',
  }),
};
