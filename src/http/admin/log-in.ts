import type { Context, Handler, MiddlewareHandler } from 'hono';
import { DomainError } from '../../domain/errors.ts';
import { closeSession, findSession, isOwnForm, type LoggedIn, openSession } from '../../services/sessions.ts';
import type { App, AppEnv } from '../exchange.ts';
import type { Site } from '../pages/layout.ts';
import { answerPage } from '../pages/page.ts';
import { createRateLimit, type RateLimit } from '../rate-limit.ts';
import { forgottenCookie, readToken, sessionCookie } from './cookie.ts';
import { readForm, seeOther } from './form.ts';
import { logInPage } from './frame.ts';
import { isSameOrigin } from './origin.ts';

/** How many keys of one client are refused a minute; then it may try no more, not even the right one. */
const REFUSED_PER_MINUTE = 10;

/** What is needed to know an operator. */
export type OperatorDeps = Parameters<typeof openSession>[0] & {
  readonly site: Site;
  /** The rate limit of everything that anybody may ask for. */
  readonly limited: MiddlewareHandler<AppEnv>;
  readonly config: { readonly trustProxy: boolean };
};

/** A page of ours below `/admin`, to go on to after a log-in. */
const NEXT = /^(?:\/[a-z0-9-]+)*(?:\?[a-z0-9=&-]*)?$/;

function refuseForm(c: Context<AppEnv>, site: Site): Promise<Response> {
  return answerPage(c, site, {
    ...logInPage(site, {
      next: '',
      problem: 'This form did not come from a page of this service. Reload and try again.',
    }),
    status: 403,
  });
}

/** Where the page that was asked for is, below `/admin`; empty for what cannot be asked for again. */
function nextOf(c: Context<AppEnv>): string {
  if (c.req.method !== 'GET') return '';
  const { pathname, search } = new URL(c.req.url);
  const next = pathname.replace(/^\/admin/, '') + search;
  return NEXT.test(next) ? next : '';
}

/**
 * Answers only those who are logged in; everybody else is asked for a key. What changes something must also come from a
 * form of theirs: from a page of this server, with the token that only that page holds.
 */
export function forOperator(
  deps: OperatorDeps,
  handle: (c: Context<AppEnv>, operator: LoggedIn) => Promise<Response>,
): Handler<AppEnv> {
  const { site } = deps;
  return async (c) => {
    const isForm = c.req.method === 'POST';
    if (isForm && !isSameOrigin(c, site)) return await refuseForm(c, site);
    const operator = await findSession(deps, readToken(c));
    if (operator === null) {
      const page = logInPage(site, { next: nextOf(c) });
      return await answerPage(c, site, { ...page, status: c.req.path === '/admin' ? 200 : 401 });
    }
    if (isForm && !isOwnForm(operator, (await readForm(c)).get('token') ?? '')) return await refuseForm(c, site);
    return await handle(c, operator);
  };
}

async function logIn(c: Context<AppEnv>, deps: OperatorDeps, limit: RateLimit): Promise<Response> {
  const { site, clock } = deps;
  // Before anything is counted: no other site's forms may use up what the operator has.
  if (!isSameOrigin(c, site)) return await refuseForm(c, site);
  const form = await readForm(c);
  limit.enter(c);
  const asked = form.get('next') ?? '';
  const next = NEXT.test(asked) ? asked : '';
  try {
    const session = await openSession(deps, { key: (form.get('key') ?? '').trim(), replaces: readToken(c) });
    limit.giveBack(c);
    return seeOther(c, `${site.root}/admin${next}`, { 'set-cookie': sessionCookie(site, session, clock()) });
  } catch (error) {
    if (!(error instanceof DomainError) || error.refusal.code !== 'invalid_api_key') {
      limit.giveBack(c);
      throw error;
    }
    c.get('exchange').log().warn({}, 'log-in refused');
    const problem = 'This is no API key that works here. It may be mistyped, revoked or expired.';
    return await answerPage(c, site, { ...logInPage(site, { next, problem }), status: 401 });
  }
}

async function logOut(c: Context<AppEnv>, { site, store }: OperatorDeps): Promise<Response> {
  const token = readToken(c);
  if (token !== undefined) await closeSession({ store }, token);
  return seeOther(c, `${site.root}/admin`, { 'set-cookie': forgottenCookie(site) });
}

/** `POST /admin/session` and `/admin/logout`: one key for one cookie, and back. */
export function addSessionRoutes(app: App, deps: OperatorDeps): void {
  const { config, clock } = deps;
  const limit = createRateLimit({ limit: REFUSED_PER_MINUTE, trustProxy: config.trustProxy, clock });
  app.post('/admin/session', (c) => logIn(c, deps, limit));
  app.post(
    '/admin/logout',
    forOperator(deps, (c) => logOut(c, deps)),
  );
}
