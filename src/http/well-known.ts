import { createRoute, z } from '@hono/zod-openapi';
import { jsonResponse } from './api/schemas.ts';
import type { HttpContext } from './context.ts';
import { answerJson } from './middleware/body.ts';
import type { App } from './middleware/context.ts';

const route = createRoute({
  method: 'get',
  path: '/.well-known/gigclaim.json',
  operationId: 'wellKnown',
  tags: ['Operations'],
  summary: 'The public key by which verifiers know this service',
  description: 'Questions to verifiers of bounties are signed as Standard Webhooks says, with `v1a`.',
  security: [],
  responses: {
    200: jsonResponse(
      'The key',
      z.object({
        verifier: z
          .object({
            public_key: z.string().openapi({ description: '`whpk_` and base64 of the 32 bytes of the Ed25519 key.' }),
            jwk: z
              .object({
                kty: z.literal('OKP').openapi({ description: 'The type of the key.' }),
                crv: z.literal('Ed25519').openapi({ description: 'The curve.' }),
                x: z.string().openapi({ description: 'The 32 bytes, base64url.' }),
              })
              .openapi('PublicKey', { description: 'The same as a JSON Web Key.' }),
          })
          .nullable()
          .openapi({ description: 'Null when no verifier is asked.' }),
      }),
    ),
  },
});

/** `GET /.well-known/gigclaim.json`: public. */
export function addWellKnownRoute(app: App, { verifiers }: HttpContext): void {
  app.openapi(route, (c) => {
    const key = verifiers?.publicKey ?? null;
    if (key === null) return answerJson(c, { verifier: null }, 200);
    const x = Buffer.from(key.replace('whpk_', ''), 'base64').toString('base64url');
    const jwk = { kty: 'OKP' as const, crv: 'Ed25519' as const, x };
    return answerJson(c, { verifier: { public_key: key, jwk } }, 200);
  });
}
