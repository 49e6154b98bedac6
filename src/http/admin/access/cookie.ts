import type { Context } from 'hono';
import { generateCookie } from 'hono/cookie';
import type { NewSession } from '../../../services/operators/sessions.ts';
import type { AppEnv } from '../../middleware/context.ts';
import { readCookie } from '../../middleware/cookie.ts';
import type { Site } from '../../ui/layout.ts';

const NAME = 'gigclaim_admin';

function attributes({ root, publicUrl }: Site) {
  return {
    path: `${root}/admin`,
    httpOnly: true,
    sameSite: 'Strict',
    secure: publicUrl.startsWith('https:'),
  } as const;
}

/** The session token of a request. */
export function readToken(c: Context<AppEnv>): string | undefined {
  return readCookie(c, NAME);
}

/** The `Set-Cookie` of a new session. */
export function sessionCookie(site: Site, session: NewSession, now: number): string {
  const maxAge = Math.floor((session.expiresAt - now) / 1000);
  return generateCookie(NAME, session.token, { ...attributes(site), maxAge });
}

/** The `Set-Cookie` that deletes the session cookie. */
export function forgottenCookie(site: Site): string {
  return generateCookie(NAME, '', { ...attributes(site), maxAge: 0 });
}
