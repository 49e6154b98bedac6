import type { Context } from 'hono';
import { AdapterError } from '../../../domain/errors.ts';
import { summarizeError } from '../../../log.ts';
import type { NewOwnerSession } from '../../../services/owners/sessions.ts';
import type { OwnSignIn, SignInRequest } from '../../../services/owners/sign-in.ts';
import type { AppEnv } from '../../middleware/context.ts';
import { seeOther } from '../../ui/form.ts';
import { answerPage } from '../../ui/page.ts';
import { ownerCookie, readBrowser, readSession } from '../cookies.ts';
import { type MyContext, type MyRoute, openPage } from '../define-route.ts';
import { readNext, signInPage } from './page.ts';
import { sessionLabel } from './session-label.ts';

const NONCE = /^[0-9a-f]{32}$/;

/** The sign-in that a form or a link names; what is malformed matches none. */
export function readSignIn(c: Context<AppEnv>, nonce: string | null | undefined): OwnSignIn {
  return { nonce: nonce && NONCE.test(nonce) ? nonce : '', browser: readBrowser(c) };
}

/** The page to sign in, with why it is shown again. */
export async function startAgain(
  c: Context<AppEnv>,
  deps: MyContext,
  { next, problem, status }: { next: string; problem: string; status: number },
): Promise<Response> {
  return await answerPage(c, deps.site, signInPage(deps, { next, problem, status }));
}

/** Says that an outside service did not answer a sign-in. @throws any other error */
export async function tellOutage(
  c: Context<AppEnv>,
  deps: MyContext,
  { error, next, problem }: { error: unknown; next: string; problem: string },
): Promise<Response> {
  if (!(error instanceof AdapterError)) throw error;
  c.get('request')
    .log()
    .warn({ reason: error.reason, error: summarizeError(error) }, 'sign-in could not be checked');
  return await startAgain(c, deps, { next, problem, status: 503 });
}

/** How one way opens a session, and what is said when it does not. */
export interface SignInAttempt {
  /** `Wallet`, `Farcaster`. */
  readonly way: string;
  readonly refused: string;
  readonly unanswered: string;
  open(request: SignInRequest): Promise<NewOwnerSession | null>;
}

/**
 * Opens a session and returns to where the owner wanted to go. Attempts are counted for each client; beyond the limit every
 * one is refused.
 */
export async function finishSignIn(
  c: Context<AppEnv>,
  deps: MyContext,
  { form, attempt }: { form: URLSearchParams; attempt: SignInAttempt },
): Promise<Response> {
  const { site, clock } = deps;
  const next = readNext(form.get('next'));
  const request: SignInRequest = {
    ...readSignIn(c, form.get('nonce')),
    label: sessionLabel(attempt.way, c.req.header('user-agent')),
    replaces: readSession(c),
    requestId: c.get('request').requestId,
  };
  deps.attempts.enter(c);
  let session: NewOwnerSession | null;
  try {
    session = await attempt.open(request);
  } catch (error) {
    return await tellOutage(c, deps, { error, next, problem: attempt.unanswered });
  }
  if (session === null) {
    c.get('request').log().warn({}, 'sign-in refused');
    return await startAgain(c, deps, { next, problem: attempt.refused, status: 401 });
  }
  return seeOther(c, `${site.root}/my${next}`, { 'set-cookie': ownerCookie(site, session, clock()) });
}

/** `GET /my/sign-in`. */
export const SIGN_IN_ROUTES: readonly MyRoute[] = [
  openPage('/my/sign-in', (c, deps) =>
    answerPage(c, deps.site, signInPage(deps, { next: readNext(c.req.query('next')) })),
  ),
];
