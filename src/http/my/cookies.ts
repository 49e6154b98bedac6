import type { Context } from 'hono';
import { generateCookie } from 'hono/cookie';
import type { NewOwnerSession } from '../../services/owners/sessions.ts';
import { newBrowser, SIGN_IN_MS } from '../../services/owners/sign-in.ts';
import type { PageContext } from '../context.ts';
import type { AppEnv } from '../middleware/context.ts';
import { readCookie } from '../middleware/cookie.ts';
import type { Site } from '../ui/layout.ts';

const SESSION = 'gigclaim_my';
/** Binds a sign-in to the browser that was shown it. */
const BROWSER = 'gigclaim_sign_in';
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** Lax, so that a link from elsewhere finds the owner signed in; every form has its token besides. */
function attributes({ root, publicUrl }: Site) {
  return { path: `${root}/my`, httpOnly: true, sameSite: 'Lax', secure: publicUrl.startsWith('https:') } as const;
}

/** The session token of a request. */
export function readSession(c: Context<AppEnv>): string | undefined {
  return readCookie(c, SESSION);
}

/** The `Set-Cookie` of a new session. */
export function ownerCookie(site: Site, session: NewOwnerSession, now: number): string {
  const maxAge = Math.floor((session.expiresAt - now) / 1000);
  return generateCookie(SESSION, session.token, { ...attributes(site), maxAge });
}

/** The `Set-Cookie` that deletes the session cookie. */
export function forgottenSession(site: Site): string {
  return generateCookie(SESSION, '', { ...attributes(site), maxAge: 0 });
}

/** The secret of a browser that signs in; empty for one that has none. */
export function readBrowser(c: Context<AppEnv>): string {
  const secret = readCookie(c, BROWSER) ?? '';
  return SECRET.test(secret) ? secret : '';
}

/** The secret of a browser, a new one where it has none, and the `Set-Cookie` that keeps it. Sign-ins in two tabs share it. */
export function keepBrowser(c: Context<AppEnv>, deps: PageContext): { browser: string; cookie: string } {
  const known = readBrowser(c);
  const browser = known === '' ? newBrowser(deps) : known;
  return { browser, cookie: generateCookie(BROWSER, browser, { ...attributes(deps.site), maxAge: SIGN_IN_MS / 1000 }) };
}
