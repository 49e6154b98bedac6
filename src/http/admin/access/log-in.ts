import type { Context, Handler } from 'hono';
import { DomainError, personText } from '../../../domain/errors.ts';
import { isOwnForm } from '../../../services/form-token.ts';
import {
  closeSession,
  findSession,
  type LoggedIn,
  openSession,
  openSessionByLink,
} from '../../../services/operators/sessions.ts';
import type { PageContext } from '../../context.ts';
import type { App, AppEnv } from '../../middleware/context.ts';
import { createRateLimit, type RateLimit } from '../../middleware/rate-limit.ts';
import { isSameOrigin, readForm, seeOther } from '../../ui/form.ts';
import type { Site } from '../../ui/layout.ts';
import { answerPage } from '../../ui/page.ts';
import { confirmPage, logInPage } from '../frame.ts';
import { forgottenCookie, readToken, sessionCookie } from './cookie.ts';

/** Failed log-ins per client and minute; beyond it every attempt is refused, even with the right key. */
const REFUSED_PER_MINUTE = 10;

/** A path below `/admin` to return to after a log-in. */
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

/** Empty for requests that cannot be repeated. */
function nextOf(c: Context<AppEnv>): string {
  if (c.req.method !== 'GET') return '';
  const { pathname, search } = new URL(c.req.url);
  const next = pathname.replace(/^\/admin/, '') + search;
  return NEXT.test(next) ? next : '';
}

/**
 * Serves only logged-in operators; other clients get the log-in page. Requests that change something must also come
 * from this server's pages and carry the form token of the session.
 */
export function forOperator(
  deps: PageContext,
  handle: (c: Context<AppEnv>, operator: LoggedIn, form: URLSearchParams) => Promise<Response>,
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
    // A body can be read once.
    const form = isForm ? await readForm(c) : new URLSearchParams();
    if (isForm && !isOwnForm(operator, form.get('token') ?? '')) return await refuseForm(c, site);
    return await handle(c, operator, form);
  };
}

async function logIn(c: Context<AppEnv>, deps: PageContext, limit: RateLimit): Promise<Response> {
  const { site, clock } = deps;
  // Checked before anything is counted: other sites' forms must not use up the operator's attempts.
  if (!isSameOrigin(c, site)) return await refuseForm(c, site);
  const form = await readForm(c);
  limit.enter(c);
  const asked = form.get('next') ?? '';
  const next = NEXT.test(asked) ? asked : '';
  const { requestId } = c.get('request');
  try {
    const key = (form.get('key') ?? '').trim();
    const session = await openSession(deps, { key, replaces: readToken(c), requestId });
    limit.giveBack(c);
    return seeOther(c, `${site.root}/admin${next}`, { 'set-cookie': sessionCookie(site, session, clock()) });
  } catch (error) {
    if (!(error instanceof DomainError)) {
      limit.giveBack(c);
      throw error;
    }
    const problem = personText(error.refusal);
    c.get('request').log().warn({}, 'log-in refused');
    return await answerPage(c, site, { ...logInPage(site, { next, problem }), status: 401 });
  }
}

/** Only the button of the page consumes the link: link-following programs do not press it. */
function confirm(c: Context<AppEnv>, { site }: PageContext): Promise<Response> {
  return answerPage(c, site, confirmPage(site, { link: c.req.query('token') ?? '' }));
}

async function logInByLink(c: Context<AppEnv>, deps: PageContext, limit: RateLimit): Promise<Response> {
  const { site, clock } = deps;
  if (!isSameOrigin(c, site)) return await refuseForm(c, site);
  const link = (await readForm(c)).get('link') ?? '';
  limit.enter(c);
  const { requestId } = c.get('request');
  const session = await openSessionByLink(deps, { link, replaces: readToken(c), requestId });
  if (session === null) {
    c.get('request').log().warn({}, 'log-in refused');
    const problem =
      'This link no longer works: it was used or has expired. Run npm run admin -- login to get a new one.';
    return await answerPage(c, site, { ...logInPage(site, { next: '', problem }), status: 401 });
  }
  limit.giveBack(c);
  return seeOther(c, `${site.root}/admin`, { 'set-cookie': sessionCookie(site, session, clock()) });
}

async function logOut(c: Context<AppEnv>, { site, store, clock }: PageContext, operator: LoggedIn): Promise<Response> {
  const token = readToken(c);
  const { requestId } = c.get('request');
  if (token !== undefined) await closeSession({ store, clock }, { token, operator, requestId });
  return seeOther(c, `${site.root}/admin`, { 'set-cookie': forgottenCookie(site) });
}

/** `POST /admin/session`, `/admin/login` and `/admin/logout`: exchange a key or link for a cookie, and log out. */
export function addSessionRoutes(app: App, deps: PageContext): void {
  const { config, clock } = deps;
  const limit = createRateLimit({ limit: REFUSED_PER_MINUTE, trustProxy: config.trustProxy, clock });
  app.post('/admin/session', (c) => logIn(c, deps, limit));
  app.get('/admin/login', (c) => confirm(c, deps));
  app.post('/admin/login', (c) => logInByLink(c, deps, limit));
  app.post(
    '/admin/logout',
    forOperator(deps, (c, operator) => logOut(c, deps, operator)),
  );
}
