import { closeSession, type NewSession, openSession, openSessionByLink } from '../../../services/operators/sessions.ts';
import { readNext, type Visit } from '../../frame/audience.ts';
import { seeOther } from '../../ui/form.ts';
import type { PageAnswer } from '../../ui/page.ts';
import { LOGGING_IN, OPERATOR_COOKIE, OPERATORS } from '../audience.ts';
import type { AdminContext, AdminRoute } from '../context.ts';
import { confirmPage, logInPage } from '../view.ts';

type Asking = Visit<AdminContext>;

const LINK_PROBLEM =
  'This link no longer works: it was used or has expired. Run npm run admin -- login to get a new one.';

function enter({ c, deps: { site, clock } }: Asking, session: NewSession, next: string): Response {
  return seeOther(c, `${site.root}/admin${next}`, { 'set-cookie': OPERATOR_COOKIE.keep(site, session, clock()) });
}

function refuse({ c, deps }: Asking, shown: { next: string; problem: string }): PageAnswer {
  c.get('request').log().warn({}, 'log-in refused');
  return logInPage(deps, { ...shown, status: 401 });
}

const logIn = LOGGING_IN.form('/admin/session', {
  read: ({ c }, sent) => ({
    key: (sent.get('key') ?? '').trim(),
    next: readNext(sent.get('next')),
    replaces: OPERATOR_COOKIE.read(c),
  }),
  act: async (visit, { next, ...request }) => {
    const { c, deps } = visit;
    const { requestId } = c.get('request');
    const session = await deps.attempts.countRefused(c, () => openSession(deps, { ...request, requestId }));
    return enter(visit, session, next);
  },
  again: async (visit, { text: problem }, { next }) => refuse(visit, { next, problem }),
});

/** Only the button of the page consumes the link: link-following programs do not press it. */
const confirm = LOGGING_IN.page('/admin/login', async ({ c, deps }) =>
  confirmPage(deps.site, { link: c.req.query('token') ?? '' }),
);

const logInByLink = LOGGING_IN.form('/admin/login', {
  read: ({ c }, sent) => ({ link: sent.get('link') ?? '', replaces: OPERATOR_COOKIE.read(c) }),
  act: async (visit, request) => {
    const { c, deps } = visit;
    const { requestId } = c.get('request');
    const session = await deps.attempts.countRefused(c, () => openSessionByLink(deps, { ...request, requestId }));
    return session === null ? refuse(visit, { next: '', problem: LINK_PROBLEM }) : enter(visit, session, '');
  },
});

const logOut = OPERATORS.form('/admin/logout', {
  read: ({ session }) => session,
  act: async ({ c, deps, actor: { requestId } }, operator) => {
    const token = OPERATOR_COOKIE.read(c);
    if (token !== undefined) await closeSession(deps, { token, operator, requestId });
    return seeOther(c, `${deps.site.root}/admin`, { 'set-cookie': OPERATOR_COOKIE.forget(deps.site) });
  },
});

/** `POST /admin/session`, `/admin/login` and `/admin/logout`: exchange a key or link for a cookie, and log out. */
export const LOG_IN_PAGES: readonly AdminRoute[] = [logIn, confirm, logInByLink, logOut];
