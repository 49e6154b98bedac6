import { listPlatforms } from '../../domain/platforms/platforms.ts';
import { answerFile, type CachedFile, cacheFile } from '../middleware/cached-file.ts';
import type { App } from '../middleware/context.ts';
import { completeDocument } from './complete-document.ts';

const DESCRIPTION =
  `Create, fund and start gigs, award tips, and look up and pay claims on ${listPlatforms('and')}. Errors are ` +
  '`{ "error": …, "code": …, "request_id": … }`; ' +
  'times are ISO 8601 in UTC. Responses have `X-Request-Id` and, under `/api`, the `RateLimit-*` headers. Malformed ' +
  'HTTP is refused earlier, with 400, 408, 413, 417 or 431 and no body.';

export interface DocumentOptions {
  readonly version: string;
  readonly publicUrl: string;
  /** What the service is called. */
  readonly title: string;
}

/** The OpenAPI 3.1 document of all routes added to the app so far. */
export function describeApi(app: App, { version, publicUrl, title }: DocumentOptions) {
  const { paths = {}, ...document } = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title,
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
      contact: { name: 'The operator of this service', url: publicUrl },
    },
    servers: [{ url: publicUrl }],
    tags: [
      { name: 'Claims', description: 'Look up what accounts can claim, and pay them.' },
      { name: 'Gigs', description: 'Campaigns: create, change and start them, and award tips.' },
      { name: 'Events', description: 'Read what happened, or have it sent to a URL.' },
      { name: 'Operations', description: 'For monitoring.' },
    ],
  });
  // Hono's route patterns contain the digits constraint of ids.
  const named = Object.entries(paths).map(([path, item]) => [path.replace(/:(\w+)\{[^}]*\}/, '{$1}'), item]);
  const described = { ...document, paths: Object.fromEntries(named) };
  completeDocument(described);
  return described;
}

/** `GET /api/openapi.json`. Created at the first request, when all routes have been added, and then kept. */
export function addDocumentRoute(app: App, options: DocumentOptions): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'apiKey', {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description:
      'Issued by the operator of the service. Keep it secret. `x-required-scope` of an operation names the scope that the key needs.',
  });
  let document: CachedFile | null = null;
  app.get('/api/openapi.json', (c) => {
    document ??= cacheFile(new Uint8Array(Buffer.from(JSON.stringify(describeApi(app, options)))), {
      'content-type': 'application/json',
    });
    return answerFile(c, document);
  });
}
