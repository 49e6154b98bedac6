import { findSession, operatorActor } from '../../services/operators/sessions.ts';
import { createAudience, createOpenAudience } from '../frame/audience.ts';
import { createPageCookie } from '../frame/cookie.ts';
import type { AdminContext, OperatorVisit } from './context.ts';
import { type AdminView, answerView, logInPage, missingView } from './view.ts';

/** Has the session of an operator. */
export const OPERATOR_COOKIE = createPageCookie({ name: 'gigclaim_admin', home: '/admin', sameSite: 'Strict' });

const LOG_IN = { home: '/admin', showSignIn: logInPage } as const;

/** The operators who have logged in. */
export const OPERATORS = createAudience<AdminContext, OperatorVisit, AdminView>({
  ...LOG_IN,
  async enter(c, deps) {
    const session = await findSession(deps, OPERATOR_COOKIE.read(c));
    return session && { c, deps, session, actor: operatorActor(session, c.get('request').requestId) };
  },
  answer: answerView,
  missing: missingView,
  cookie: OPERATOR_COOKIE,
});

/** Those who log in as operators. */
export const LOGGING_IN = createOpenAudience<AdminContext>(LOG_IN);
