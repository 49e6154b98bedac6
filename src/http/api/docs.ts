import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Scalar } from '@scalar/hono-api-reference';
import { NONCE, secureHeaders } from 'hono/secure-headers';
import { answerFile, type CachedFile, cacheFile } from '../middleware/cached-file.ts';
import { type App, carryHeaders } from '../middleware/context.ts';

/** The page may run its own two scripts and call this server; the bundle adds inline styles. */
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

/** The bundle of the reference: a copy beside the built service, else a file of its package outside the export map. */
function scriptPath(): string {
  const isBuilt = !import.meta.url.endsWith('.ts');
  if (isBuilt) return fileURLToPath(new URL('./api-reference.js', import.meta.url));
  const entry = createRequire(import.meta.url).resolve('@scalar/api-reference');
  return join(dirname(entry), 'browser', 'standalone.js');
}

/** Loads 4 MB at the first request, because most services never show the reference. */
function createScript(): () => Promise<CachedFile> {
  let held: Promise<CachedFile> | null = null;
  async function load(): Promise<CachedFile> {
    const body = new Uint8Array(await readFile(scriptPath()));
    return cacheFile(body, {
      'content-type': 'text/javascript; charset=utf-8',
      // Its URL contains the version, so it never changes.
      'cache-control': 'public, max-age=31536000, immutable',
    });
  }
  return () => {
    held ??= load().catch((error: unknown) => {
      held = null;
      throw error;
    });
    return held;
  };
}

/**
 * `GET /api/docs`: the API reference, served without other hosts and with relative URLs, so that it works below a path
 * prefix. Scalar's proxy would see API keys, hence the empty `proxyUrl`; undefined selects their proxy.
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
  const script = createScript();
  app.get('/api/docs/scalar.js', async (c) => answerFile(c, await script()));
}
