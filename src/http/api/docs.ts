import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { html, raw } from 'hono/html';
import { NONCE, secureHeaders } from 'hono/secure-headers';
import type { Accent, Shades } from '../../domain/settings/accent.ts';
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

/** Code that wraps, because the keyboard cannot scroll a block of it. */
const TYPOGRAPHY = { ...FONT, headings: FONT, code: { wrap: true } };

const LIGHT = {
  colors: { primary: { main: '#1d4ed8' }, success: { main: '#166534' }, error: { main: '#b91c1c' } },
  typography: TYPOGRAPHY,
};

/** As the pages are, where the bundle has colors of its own for a light page. */
const DARK = {
  colors: {
    tonalOffset: 0.15,
    primary: { main: '#74bfe8', contrastText: '#0c1820' },
    success: { main: '#7fd6a3' },
    warning: { main: '#eec06f', dark: '#eec06f' },
    error: { main: '#f5a09a' },
    text: { primary: '#e8e9ea', secondary: '#bcc1c7' },
    gray: { 50: '#1a1d20', 100: '#22262a' },
    border: { dark: '#343a40', light: '#343a40' },
    responses: {
      success: { color: '#7fd6a3', backgroundColor: '#17301f' },
      error: { color: '#f5a09a', backgroundColor: '#3b1c1b' },
      redirect: { color: '#eec06f', backgroundColor: '#362a12' },
      info: { color: '#9bd2f1', backgroundColor: '#163042' },
    },
  },
  schema: { linesColor: '#4c4f54', nestedBackground: '#1a1d20', typeNameColor: '#bcc1c7' },
  sidebar: {
    backgroundColor: '#1a1d20',
    textColor: '#e8e9ea',
    groupItems: { activeBackgroundColor: '#22262a' },
    level1Items: { activeBackgroundColor: '#22262a' },
  },
  typography: { ...TYPOGRAPHY, code: { wrap: true, color: '#f5a09a', backgroundColor: '#22262a' } },
};

/** What the bundle's themes do not reach: its grounds of white, and the text on them. */
const STYLE = `:root { color-scheme: light dark; }
body { margin: 0; }
pre { overflow-wrap: anywhere; }
header { padding: 0.75rem 1.25rem; font: 1rem/1.5 system-ui, sans-serif; }
header a { color: inherit; }
@media (prefers-color-scheme: dark) {
body { background: #121416; color: #e8e9ea; }
}`;

/** The bundle of the reference: a copy beside the built service, else the file of its package. */
function scriptPath(): string {
  const isBuilt = !import.meta.url.endsWith('.ts');
  if (isBuilt) return fileURLToPath(new URL('./api-reference.js', import.meta.url));
  return createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js');
}

/** How the site of the reference is called, and its operator's color. */
export interface ReferenceLook {
  readonly name: string;
  readonly accent: Accent | null;
}

/** A theme with the operator's color. */
function themed<Theme extends typeof LIGHT | typeof DARK>(theme: Theme, shades: Shades | undefined) {
  if (shades === undefined) return theme;
  const primary = { main: shades.accent, contrastText: shades.on };
  return { ...theme, colors: { ...theme.colors, primary } };
}

/** The bundle takes its theme once, so another scheme loads the page anew. */
function beginScript({ accent }: ReferenceLook): string {
  const options = (theme: object) => JSON.stringify({ nativeScrollbars: true, hideDownloadButton: true, theme });
  const [light, dark] = [options(themed(LIGHT, accent?.light)), options(themed(DARK, accent?.dark))];
  return `const dark = matchMedia('(prefers-color-scheme: dark)');
dark.addEventListener('change', () => location.reload());
Redoc.init('openapi.json', dark.matches ? ${dark} : ${light}, document.getElementById('reference'));`;
}

function renderReference({ version, nonce, look }: { version: string; nonce: string; look: ReferenceLook }) {
  const script = `docs/redoc.js?v=${encodeURIComponent(version)}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${look.name} API</title>
<meta name="color-scheme" content="light dark">
<style>${raw(STYLE)}</style>
</head>
<body>
<header><a href="../">← ${look.name}</a></header>
<main id="reference"></main>
<script src="${script}" nonce="${nonce}"></script>
<script nonce="${nonce}">${raw(beginScript(look))}</script>
</body>
</html>`;
}

/** `GET /api/docs`: the API reference, without other hosts and with relative URLs, so that it works below a path prefix. */
export function addDocsRoutes(app: App, { version, look }: { version: string; look: ReferenceLook }): void {
  const policy = secureHeaders({
    contentSecurityPolicy: CONTENT_SECURITY_POLICY,
    strictTransportSecurity: 'max-age=15552000',
    xFrameOptions: 'DENY',
  });
  app.get('/api/docs', carryHeaders, policy, async (c) =>
    c.html(await renderReference({ version, look, nonce: c.get('secureHeadersNonce') ?? '' })),
  );
  const headers = {
    'content-type': 'text/javascript; charset=utf-8',
    // Its URL contains the version, so it never changes.
    'cache-control': 'public, max-age=31536000, immutable',
  };
  const script = holdFile(scriptPath(), headers, (text) => text.replaceAll(FOREIGN_LOGO, NO_PICTURE));
  app.get('/api/docs/redoc.js', async (c) => answerFile(c, await script()));
}
