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

/** What the bundle has once, and what is sent instead. */
export const BUNDLE_EDITS = [
  // The picture that it asks its maker's host for, and an empty one.
  ['https://cdn.redoc.ly/redoc/logo-mini.svg', "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"],
  // Colors of a light page that no theme changes: of patterns, and of the choices among schemas.
  ['color: #0e7c86;', 'color: var(--pattern, #0e7c86);'],
  ['background-color: white;', 'background-color: transparent;'],
  ['color: white;\\n      background-color:', 'color: var(--chosen, white);\\n      background-color:'],
] as const;

const FONT = { fontFamily: 'system-ui, sans-serif' };

/** Code that wraps, because the keyboard cannot scroll a block of it. */
const TYPOGRAPHY = { ...FONT, headings: FONT, code: { wrap: true } };

const LIGHT = {
  colors: { primary: { main: '#1d4ed8' }, success: { main: '#166534' }, error: { main: '#b91c1c' } },
  typography: TYPOGRAPHY,
};

const DARK_SERVERS = {
  overlay: { backgroundColor: '#22262a', textColor: '#e8e9ea' },
  url: { backgroundColor: '#1a1d20' },
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
  schema: { linesColor: '#4c4f54', nestedBackground: '#121416', typeNameColor: '#bcc1c7' },
  rightPanel: { backgroundColor: '#1a1d20', servers: DARK_SERVERS },
  fab: { backgroundColor: '#22262a', color: '#74bfe8' },
  codeBlock: { backgroundColor: '#0c0e10' },
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
body { --pattern: #7fd6a3; --chosen: #0c1820; background: #121416; color: #e8e9ea; }
#reference h5 { color: #bcc1c7; border-color: #343a40; }
#reference h5 span { color: #e8e9ea; }
#reference td > div { background: #121416; }
#reference .react-tabs__tab--selected { background: #343a40; }
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
function themed(theme: { readonly colors: object }, shades: Shades | undefined) {
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

function edited(bundle: string): string {
  return BUNDLE_EDITS.reduce((text, [from, to]) => text.replaceAll(from, () => to), bundle);
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
  const script = holdFile(scriptPath(), headers, edited);
  app.get('/api/docs/redoc.js', async (c) => answerFile(c, await script()));
}
