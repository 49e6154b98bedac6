import type { Context } from 'hono';
import type { NewOwnerSession } from '../../../services/owners/sessions.ts';
import type { OwnSignIn, SignInRequest } from '../../../services/owners/sign-in.ts';
import { readNext, type Visit } from '../../frame/audience.ts';
import type { AppEnv } from '../../middleware/context.ts';
import { seeOther } from '../../ui/form.ts';
import type { PageAnswer } from '../../ui/page.ts';
import { SIGNING_IN } from '../audience.ts';
import type { MyContext } from '../context.ts';
import { OWNER_COOKIE, readBrowser } from '../cookies.ts';
import { signInPage } from './page.ts';
import { sessionLabel } from './session-label.ts';

const NONCE = /^[0-9a-f]{32}$/;

/** The sign-in that a form or a link names; what is malformed matches none. */
export function readSignIn(c: Context<AppEnv>, nonce: string | null | undefined): OwnSignIn {
  return { nonce: nonce && NONCE.test(nonce) ? nonce : '', browser: readBrowser(c) };
}

/** What follows when an outside service does not answer: the page to sign in, with the problem. */
export function whenUnanswered(problem: string) {
  return {
    log: 'sign-in could not be checked',
    show: async ({ c, deps }: Visit<MyContext>, sent: { readonly next: string } | null) =>
      signInPage(deps, { next: sent?.next ?? readNext(c.req.query('next')), problem, status: 503 }),
  };
}

/** How one way opens a session, and what is said when it does not. */
interface SignInWay {
  /** `Wallet`, `Farcaster`. */
  readonly way: string;
  readonly refused: string;
  open(request: SignInRequest): Promise<NewOwnerSession | null>;
}

/**
 * Opens a session and returns to where the owner wanted to go. Attempts are counted for each client; beyond the limit every
 * one is refused.
 */
export async function finishSignIn(
  { c, deps }: Visit<MyContext>,
  { nonce, next }: { nonce: string | null; next: string },
  { way, refused, open }: SignInWay,
): Promise<PageAnswer | Response> {
  const { site, clock } = deps;
  const { requestId, log } = c.get('request');
  const request: SignInRequest = {
    ...readSignIn(c, nonce),
    label: sessionLabel(way, c.req.header('user-agent')),
    replaces: OWNER_COOKIE.read(c),
    requestId,
  };
  deps.attempts.enter(c);
  const session = await open(request);
  if (session === null) {
    log().warn({}, 'sign-in refused');
    return signInPage(deps, { next, problem: refused, status: 401 });
  }
  return seeOther(c, `${site.root}/my${next}`, { 'set-cookie': OWNER_COOKIE.keep(site, session, clock()) });
}

/** `GET /my/sign-in`. */
export const signInRoute = SIGNING_IN.page('/my/sign-in', async ({ c, deps }) =>
  signInPage(deps, { next: readNext(c.req.query('next')) }),
);
