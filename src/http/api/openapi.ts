import type { App } from '../middleware/context.ts';
import { answerFile, type HeldFile, holdFile } from '../middleware/held-file.ts';

const DESCRIPTION =
  'Starts funded gigs, and tells people on Farcaster and X which tips they can claim. Errors are `{ "error": … }`; ' +
  'times are ISO 8601 in UTC. Answers carry `X-Request-Id`, and under `/api` the `RateLimit-*` headers. What is not ' +
  'proper HTTP is refused before all that, by 400, 408, 413, 417 or 431 without a body.';

export interface DocumentOptions {
  readonly version: string;
  readonly publicUrl: string;
}

/** The OpenAPI 3.1 document of all routes added to the app so far. */
export function describeApi(app: App, { version, publicUrl }: DocumentOptions) {
  const { paths = {}, ...document } = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'gigclaim',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
      contact: { name: 'The operator of this service', url: publicUrl },
    },
    servers: [{ url: publicUrl }],
    tags: [
      { name: 'Claims', description: 'What accounts have earned, and how they are paid.' },
      { name: 'Gigs', description: 'Campaigns, from their creation to their tips.' },
      { name: 'Operations', description: 'For machines that look after the service.' },
    ],
  });
  // Hono's route patterns contain the digits constraint of ids.
  const named = Object.entries(paths).map(([path, item]) => [path.replace(/:(\w+)\{[^}]*\}/, '{$1}'), item]);
  return { ...document, paths: Object.fromEntries(named) };
}

/** `GET /api/openapi.json`. Created at the first request, when all routes have been added, and then kept. */
export function addDocumentRoute(app: App, options: DocumentOptions): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'apiKey', {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description:
      'Made by the operator of the service. Keep it secret. `x-required-scope` of an operation is the scope that the key needs.',
  });
  let document: HeldFile | null = null;
  app.get('/api/openapi.json', (c) => {
    document ??= holdFile(new Uint8Array(Buffer.from(JSON.stringify(describeApi(app, options)))), {
      'content-type': 'application/json',
    });
    return answerFile(c, document);
  });
}
