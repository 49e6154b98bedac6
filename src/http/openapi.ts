import type { App } from './exchange.ts';

const DESCRIPTION =
  'Starts funded gigs, and tells people on Farcaster and X which tips they can claim. Errors are `{ "error": … }`; ' +
  'times are ISO 8601 in UTC. Answers carry `X-Request-Id`, and under `/api` the `RateLimit-*` headers. What is not ' +
  'proper HTTP is refused before all that, by 400, 408, 413, 417 or 431 without a body.';

/** What the document says of this server. */
export interface DocumentOptions {
  readonly version: string;
  readonly publicUrl: string;
}

/** The OpenAPI 3.1 document of every route that was added to the app so far. */
export function describeApi(app: App, { version, publicUrl }: DocumentOptions) {
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'gigclaim', version, description: DESCRIPTION },
    servers: [{ url: publicUrl }],
    tags: [{ name: 'Claims' }, { name: 'Gigs' }, { name: 'Operations' }],
  });
}

/** `GET /api/openapi.json`. The document is made at the first request, when all routes are there, and then kept. */
export function addDocumentRoute(app: App, options: DocumentOptions): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'apiKey', {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description:
      'Made by the operator of the service. Keep it secret. `x-required-scope` of an operation is the scope that the key needs.',
  });
  let document: string | null = null;
  app.get('/api/openapi.json', (c) => {
    document ??= JSON.stringify(describeApi(app, options));
    return new Response(document, {
      headers: { ...c.get('exchange').headers, 'content-type': 'application/json' },
    });
  });
}
