import { findOwnerSession, ownerActor } from '../../services/owners/sessions.ts';
import { createAudience, createOpenAudience } from '../frame/audience.ts';
import type { MyContext, OwnerVisit } from './context.ts';
import { OWNER_COOKIE } from './cookies.ts';
import { signInPage } from './sign-in/page.ts';
import { answerMine, type MyView, missingOwnView } from './view.ts';

const SIGN_IN = { home: '/my', showSignIn: signInPage } as const;

/** The owners who have signed in. */
export const OWNERS = createAudience<MyContext, OwnerVisit, MyView>({
  ...SIGN_IN,
  async enter(c, deps) {
    const session = await findOwnerSession(deps, OWNER_COOKIE.read(c));
    return session && { c, deps, session, actor: ownerActor(session, c.get('request').requestId) };
  },
  answer: answerMine,
  missing: missingOwnView,
  cookie: OWNER_COOKIE,
});

/** Those who sign in as owners. */
export const SIGNING_IN = createOpenAudience<MyContext>(SIGN_IN);
