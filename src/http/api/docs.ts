import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { html, raw } from 'hono/html';
import { NONCE, secureHeaders } from 'hono/secure-headers';
import { answerFile, holdFile } from '../middleware/cached-file.ts';
import { type App, carryHeaders } from '../middleware/context.ts';

/** The page may run its own two scripts and call this server; the bundle adds inline styles and searches in a worker. */
const CONTENT_SECURITY_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'", NONCE],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
  fontSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  workerSrc: ["'self'", 'blob:'],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

/** The picture that the bundle asks its maker's host for, and an empty one in its place. */
const FOREIGN_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
const NO_PICTURE = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E";

const FONT = { fontFamily: 'system-ui, sans-serif' };

/** Colors with the contrast that people need, and code that wraps, because the keyboard cannot scroll a block of it. */
const OPTIONS = {
  nativeScrollbars: true,
  hideDownloadButton: true,
  theme: {
    colors: { primary: { main: '#1d4ed8' }, success: { main: '#166534' }, error: { main: '#b91c1c' } },
    typography: { ...FONT, headings: FONT, code: { wrap: true } },
  },
};

/** The bundle of the reference: a copy beside the built service, else the file of its package. */
function scriptPath(): string {
  const isBuilt = !import.meta.url.endsWith('.ts');
  if (isBuilt) return fileURLToPath(new URL('./api-reference.js', import.meta.url));
  return createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js');
}

function renderReference({ version, nonce }: { version: string; nonce: string }) {
  const script = `docs/redoc.js?v=${encodeURIComponent(version)}`;
  const begin = `Redoc.init('openapi.json', ${JSON.stringify(OPTIONS)}, document.getElementById('reference'));`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>gigclaim API</title>
<style>body { margin: 0; } pre { overflow-wrap: anywhere; }</style>
</head>
<body>
<main id="reference"></main>
<script src="${script}" nonce="${nonce}"></script>
<script nonce="${nonce}">${raw(begin)}</script>
</body>
</html>`;
}

/** `GET /api/docs`: the API reference, without other hosts and with relative URLs, so that it works below a path prefix. */
export function addDocsRoutes(app: App, { version }: { version: string }): void {
  const policy = secureHeaders({
    contentSecurityPolicy: CONTENT_SECURITY_POLICY,
    strictTransportSecurity: 'max-age=15552000',
    xFrameOptions: 'DENY',
  });
  app.get('/api/docs', carryHeaders, policy, async (c) =>
    c.html(await renderReference({ version, nonce: c.get('secureHeadersNonce') ?? '' })),
  );
  const headers = {
    'content-type': 'text/javascript; charset=utf-8',
    // Its URL contains the version, so it never changes.
    'cache-control': 'public, max-age=31536000, immutable',
  };
  const script = holdFile(scriptPath(), headers, (text) => text.replaceAll(FOREIGN_LOGO, NO_PICTURE));
  app.get('/api/docs/redoc.js', async (c) => answerFile(c, await script()));
}
