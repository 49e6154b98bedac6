import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { DomainError } from '../../domain/errors.ts';
import { fingerprint, type IdempotencyKey } from '../../services/idempotency.ts';
import { actorOf } from './api-key.ts';
import type { AppEnv } from './context.ts';

/** What is said of a key that came before with another body. */
export const KEY_REUSED =
  'This Idempotency-Key was used before with another request: send the same body again for its first answer, or use a new key';

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The header that makes a POST safe to repeat, for the document. */
export const idempotencyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .optional()
    .openapi({
      description:
        'At most 255 visible characters. The same key and body get the first answer for ever; the same key with another ' +
        'body is refused with 409.',
      example: 'order-7f3a',
    }),
});

/**
 * What makes this request happen once, or null without the header. They belong to the client of the API key, whichever of
 * its keys is used, and to one route. @throws DomainError `invalid_request` for a key that is malformed
 */
export function readIdempotencyKey(c: Context<AppEnv>, body: unknown): IdempotencyKey | null {
  const key = c.req.header('idempotency-key');
  if (key === undefined) return null;
  if (!KEY.test(key)) {
    const message = 'Idempotency-Key must have 1 to 255 visible ASCII characters, without spaces';
    throw new DomainError({ code: 'invalid_request', message });
  }
  return { scope: `client:${actorOf(c).client} ${c.req.method} ${c.req.path}`, key, fingerprint: fingerprint(body) };
}
