import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { invalidRequest } from '../../domain/errors.ts';
import type { AppEnv } from './context.ts';

/**
 * The only cookie of this name that the browser sent. Of several, a host beside this one may have set the first, and nothing tells
 * which: they would show a person the pages of another one's session.
 * @throws DomainError `invalid_request` when there are several
 */
export function readCookie(c: Context<AppEnv>, name: string): string | undefined {
  const sent = c.req.header('cookie') ?? '';
  const named = sent.split(';').filter((each) => each.split('=', 1)[0]?.trim() === name);
  if (named.length <= 1) return getCookie(c, name);
  throw invalidRequest(
    `Your browser sent ${named.length} cookies named ${name}, and another site may have set one. Delete the cookies of this site and of its parent domain, then sign in again.`,
  );
}
