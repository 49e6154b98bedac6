import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { Scalar } from '@scalar/hono-api-reference';
import type { Context } from 'hono';
import { NONCE, secureHeaders } from 'hono/secure-headers';
import { type App, type AppEnv, carryHeaders } from './exchange.ts';

/** The page may run its own two scripts and talk to this server; styles are written into it as it runs. */
const CONTENT_SECURITY_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'", NONCE],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:', 'blob:'],
  fontSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  workerSrc: ["'self'", 'blob:'],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

/** The reference's own bundle, a file of the installed package that its export map does not name. */
function scriptPath(): string {
  const entry = createRequire(import.meta.url).resolve('@scalar/api-reference');
  return join(dirname(entry), 'browser', 'standalone.js');
}

async function sendScript(c: Context<AppEnv>): Promise<Response> {
  const path = scriptPath();
  const { size } = await stat(path);
  // A stream that nobody reads would keep its file open.
  const file = c.req.method === 'HEAD' ? null : createReadStream(path);
  // Node's web streams and those of the response are the same thing under two type declarations.
  const body = file && (Readable.toWeb(file) as ReadableStream<Uint8Array>);
  return new Response(body, {
    headers: {
      ...c.get('exchange').headers,
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': String(size),
      // Its address carries the version, so it never changes.
      'cache-control': 'public, max-age=31536000, immutable',
    },
  });
}

/**
 * `GET /api/docs`: the API's reference, which works without any other host. Its addresses are relative, so that it also
 * works below a path prefix. Scalar's proxy would see API keys, hence the empty `proxyUrl`; undefined would mean theirs.
 */
export function addDocsRoutes(app: App, { version }: { version: string }): void {
  const page = Scalar((c) => ({
    pageTitle: 'gigclaim API',
    url: 'openapi.json',
    cdn: `docs/scalar.js?v=${encodeURIComponent(version)}`,
    nonce: c.get('secureHeadersNonce') ?? '',
    proxyUrl: '',
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
  }));
  const policy = secureHeaders({
    contentSecurityPolicy: CONTENT_SECURITY_POLICY,
    strictTransportSecurity: 'max-age=15552000',
    xFrameOptions: 'DENY',
  });
  app.get('/api/docs', carryHeaders, policy, page);
  app.get('/api/docs/scalar.js', sendScript);
}
