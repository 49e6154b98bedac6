import type { Context } from 'hono';
import { newBrowser, SIGN_IN_MS } from '../../services/owners/sign-in.ts';
import type { PageContext } from '../context.ts';
import { createPageCookie } from '../frame/cookie.ts';
import type { AppEnv } from '../middleware/context.ts';

/** Lax, so that a link from elsewhere finds the owner signed in; every form has its token besides. */
const SENT = { home: '/my', sameSite: 'Lax' } as const;

/** Has the session of an owner. */
export const OWNER_COOKIE = createPageCookie({ name: 'gigclaim_my', ...SENT });

/** Binds a sign-in to the browser that was shown it. */
const BROWSER = createPageCookie({ name: 'gigclaim_sign_in', ...SENT });
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** The secret of a browser that signs in; empty for one that has none. */
export function readBrowser(c: Context<AppEnv>): string {
  const secret = BROWSER.read(c) ?? '';
  return SECRET.test(secret) ? secret : '';
}

/** The secret of a browser, a new one where it has none, and the `Set-Cookie` that keeps it. Sign-ins in two tabs share it. */
export function keepBrowser(c: Context<AppEnv>, deps: PageContext): { browser: string; cookie: string } {
  const known = readBrowser(c);
  const browser = known === '' ? newBrowser(deps) : known;
  return { browser, cookie: BROWSER.keep(deps.site, { token: browser, expiresAt: SIGN_IN_MS }, 0) };
}
