import { z } from '@hono/zod-openapi';
import { CLAIM_SOURCES } from '../../../domain/claims/claim.ts';
import { REFUSAL_REASONS } from '../../../domain/earning/earning.ts';
import { DELIVERY_STATES } from '../../../domain/events/delivery.ts';
import { type ListedDelivery, PAUSE_REASONS, type WebhookEndpoint } from '../../../domain/events/endpoint.ts';
import { EVENT_TYPES, eventJson, type StoredEvent } from '../../../domain/events/event.ts';
import { deliveryJson, webhookJson } from '../../../domain/facts/webhook-facts.ts';
import { PAYMENT_KINDS } from '../../../domain/payments/payment.ts';
import { isoTime } from '../schemas.ts';

const typeField = z.enum(EVENT_TYPES).openapi('EventType', { description: 'The type of the event.' });
const seqField = z.int().openapi({ description: 'The place of the event among all; there are no gaps.', example: 812 });

/** A webhook, as clients see it. */
export const webhookSchema = z
  .object({
    id: z.int().openapi({ description: 'The id of the webhook.' }),
    url: z.string().openapi({ description: 'Where events are sent.' }),
    types: z.array(typeField).openapi({ description: 'The types that are sent; empty: all.' }),
    all_clients: z.boolean().openapi({ description: 'Whether it takes the events of all clients.' }),
    state: z.enum(['active', 'paused']).openapi({ description: 'Nothing is sent to a paused one.' }),
    paused_because: z.enum(PAUSE_REASONS).nullable().openapi({
      description: '`asked`: by request; `gone`: it answered 410; `silent`: it took nothing for 72 hours.',
    }),
    paused_at: isoTime.nullable().openapi({ description: 'Null while it is active.' }),
    from_seq: z.int().openapi({ description: 'It takes the events after this place.' }),
    created_at: isoTime.openapi({ description: 'When it was created.' }),
  })
  .openapi('Webhook', {
    description: 'A URL that takes events.',
    example: {
      id: 3,
      url: 'https://shop.example/gigclaim',
      types: ['tips.awarded'],
      all_clients: false,
      state: 'active',
      paused_because: null,
      paused_at: null,
      from_seq: 812,
      created_at: '2026-11-26T11:26:36.774Z',
    },
  });

/** A webhook as clients see it, without its secret. */
export function renderWebhook(endpoint: WebhookEndpoint): z.output<typeof webhookSchema> {
  return webhookJson(endpoint);
}

const fact = (description: string) => z.int().optional().openapi({ description });
const amount = (description: string) => z.string().optional().openapi({ description, example: '12.5' });

/** An event, as webhooks get it. */
export const eventSchema = z
  .object({
    id: z.string().openapi({ description: 'The same at every try, and in every copy of the ledger.' }),
    type: typeField,
    timestamp: isoTime.openapi({ description: 'When it happened.' }),
    seq: seqField,
    data: z
      .object({
        gig_id: z.int().openapi({ description: 'The gig that it is about.' }),
        status: z.string().optional().openapi({ description: 'Of the gig, in events of the gig itself.' }),
        title: z.string().nullable().optional().openapi({ description: 'Of the gig, in events of the gig itself.' }),
        amount: amount('Of a payment, a voided tip, or the funds that the wallet holds.'),
        sum: amount('Of the tips of the batch.'),
        count: fact('How many tips, refused accounts or submissions the event is about.'),
        first_tip_id: fact('The lowest id of the batch.').nullable(),
        last_tip_id: fact('The highest id of the batch; ids between may be other gigs’.').nullable(),
        tip_id: fact('The voided tip.'),
        refusals: z
          .array(
            z.object({
              account: z.string().openapi({ description: 'The account that is refused.', example: 'farcaster:1003' }),
              reason: z.enum(REFUSAL_REASONS).openapi({ description: 'Why it earns nothing.' }),
            }),
          )
          .optional()
          .openapi({ description: 'The accounts that were refused together.' }),
        claim_id: fact('The claim; null for a payment of no claim.').nullable(),
        account: z.string().optional().openapi({ description: 'The account that claims.', example: 'farcaster:1003' }),
        source: z.enum(CLAIM_SOURCES).optional().openapi({ description: 'How the claim came.' }),
        tips: fact('How many tips of the gig are claimed.'),
        payment_id: fact('The payment.'),
        kind: z.enum(PAYMENT_KINDS).optional().openapi({ description: 'The purpose of the payment.' }),
        token_address: z.string().optional().openapi({ description: 'The token of the payment.' }),
        recipient: z.string().optional().openapi({ description: 'The address that is paid.' }),
        tx_hash: z.string().nullable().optional().openapi({ description: 'The transaction of the payment.' }),
        reason: z.string().optional().openapi({ description: 'Why the payment failed, or was taken back.' }),
      })
      .catchall(z.union([z.string(), z.number(), z.array(z.unknown())]).nullable())
      .openapi({ description: 'The facts of the type; amounts are exact decimal text in whole tokens.' }),
  })
  .openapi('Event', {
    description: 'A fact of the ledger.',
    example: {
      id: 'evt_5f0c2a8e9b7d4c61a3e8f0d2b4c69715',
      type: 'tips.awarded',
      timestamp: '2026-11-26T11:26:36.774Z',
      seq: 812,
      data: { gig_id: 5, count: 2, sum: '12.5', first_tip_id: 41, last_tip_id: 42 },
    },
  });

export function renderEvent(event: StoredEvent): z.output<typeof eventSchema> {
  return eventJson(event);
}

/** One event on its way to a webhook. */
export const deliverySchema = z
  .object({
    id: z.string().openapi({ description: 'The id of the delivery.' }),
    event_id: z.string().openapi({ description: 'The id of the event, which is its `webhook-id`.' }),
    type: typeField,
    seq: seqField,
    gig_id: z.int().openapi({ description: 'The gig that the event is about.' }),
    state: z
      .enum(DELIVERY_STATES)
      .openapi({ description: '`queued` ones are tried until they are taken, `failed` ones were given up.' }),
    tries: z.int().openapi({ description: 'How often it was tried.' }),
    status: z.int().nullable().openapi({ description: 'The status of the last answer; null without one.' }),
    error: z.string().nullable().openapi({ description: 'Why the last try failed.' }),
    replay: z.boolean().openapi({ description: 'Whether it was asked for again.' }),
    queued_at: isoTime.openapi({ description: 'When it was queued.' }),
    ended_at: isoTime.nullable().openapi({ description: 'When it was taken or given up.' }),
  })
  .openapi('EventDelivery', { description: 'An event on its way to a webhook.' });

export function renderDelivery(delivery: ListedDelivery): z.output<typeof deliverySchema> {
  return deliveryJson(delivery);
}
