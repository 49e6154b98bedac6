import type { Context, Handler } from 'hono';
import { AdapterError, DomainError, personText, type RefusalCode } from '../../domain/errors.ts';
import { type FieldProblem, InvalidFields } from '../../domain/validation.ts';
import { summarizeError } from '../../log.ts';
import { isOwnForm } from '../../services/form-token.ts';
import type { PageContext } from '../context.ts';
import type { App, AppEnv } from '../middleware/context.ts';
import { isSameOrigin, readForm, seeOther } from '../ui/form.ts';
import { answerPage, type PageAnswer, servePages, withoutSlash } from '../ui/page.ts';
import type { PageCookie } from './cookie.ts';

/** One route of the pages of operators or of owners. A file has those of one page; an `index.ts` lists all of them. */
export interface Route<Deps> {
  readonly method: 'get' | 'post';
  /** As Hono matches it. */
  readonly path: string;
  /** Whether it answers those who have not signed in. */
  readonly isOpen: boolean;
  serve(deps: Deps): Handler<AppEnv>;
}

/** A request of somebody who may enter. */
export interface Visit<Deps> {
  readonly c: Context<AppEnv>;
  readonly deps: Deps;
  /** Null where none is needed: then forms carry no token. */
  readonly session: { readonly formToken: string } | null;
}

/** A page before it is laid out. */
interface View {
  /** 200 when absent. */
  readonly status?: number;
}

/** What is answered: a page, a path below the root to go to, a response, or null where nothing is found. */
type Outcome<Shown> = Shown | string | Response | null;

/** Why a service has refused a request. */
export interface RequestProblem {
  readonly code: RefusalCode;
  /** A sentence about the request as a whole. */
  readonly text: string;
  /** What is wrong with its fields. */
  readonly problems: readonly FieldProblem[];
}

/** What is shown in place of an error page. Its status is 409 unless it has its own. */
interface Refusing<V, Asked, Shown> {
  /** When a service refuses the request. The refusal of a gig out of reach stays an error page. */
  readonly again?: (visit: V, problem: RequestProblem, asked: Asked) => Promise<Shown | null>;
  /** When an outside service does not answer. `log` is the message of the log. */
  readonly outage?: { readonly log: string; readonly show: (visit: V, asked: Asked) => Promise<Shown | null> };
}

/** A form that changes something. */
interface Form<V, Asked, Shown> extends Refusing<V, Asked, Shown> {
  /** Whether a page with this form has the same path: who has to sign in anew returns there. */
  readonly isPage?: boolean;
  /** Reads its fields; those of a form without a file when absent. */
  readonly body?: (visit: V) => Promise<URLSearchParams>;
  /** What it asks for, as it was sent; null is answered with 404, and a refusal with an error page. */
  readonly read: (visit: V, sent: URLSearchParams) => Asked | null | Promise<Asked | null>;
  readonly act: (visit: V, asked: Asked) => Promise<Outcome<Shown>>;
}

/** Where an audience signs in. */
interface SignInPage<Deps> {
  /** The first page of the audience, the only one at which the page to sign in is no failure. */
  readonly home: string;
  /** The page to sign in. `next` is where to return to, below `home`. */
  showSignIn(deps: Deps, shown: { next: string; problem?: string; status: number }): PageAnswer;
}

interface AudienceOptions<Deps, V, Shown> extends SignInPage<Deps> {
  /** The cookie of the session: a visitor whose session is over is told so. */
  readonly cookie?: PageCookie;
  /** Whether everybody may enter. */
  readonly isOpen?: boolean;
  /** Null for those who may not enter. */
  enter(c: Context<AppEnv>, deps: Deps): Promise<V | null>;
  answer(visit: V, view: Shown): Promise<Response>;
  /** The page of a path that leads nowhere, for those who may enter; the public one when absent. */
  missing?(visit: V, sentence: string): Shown;
}

/** Those who may enter, with how a page and a form of theirs are made. Others get the page to sign in. */
export interface Audience<Deps, V, Shown> {
  page(path: string, view: (visit: V) => Promise<Outcome<Shown>>, refusing?: Refusing<V, null, Shown>): Route<Deps>;
  /**
   * A form must come from a page of this server, and carry the token of the session. Once it is done it goes to another page;
   * refused, it is shown again with the problem.
   */
  form<Asked>(path: string, form: Form<V, Asked, Shown>): Route<Deps>;
}

/** A path below the first page, with its query. */
const NEXT = /^(?:\/[a-z0-9-]+)*(?:\?[a-z0-9=&-]*)?$/;

/** Where to return to after the sign-in; empty for anything else than a path below the first page. */
export function readNext(text: string | null | undefined): string {
  return text !== null && text !== undefined && NEXT.test(text) ? text : '';
}

/** Where to return to after the sign-in. */
function nextOf(c: Context<AppEnv>, home: string): string {
  const { pathname, search } = new URL(c.req.url);
  return readNext(pathname.slice(home.length) + search);
}

/** @throws any other error, and the refusal of a gig that the visitor does not reach */
function problemOf(error: unknown): RequestProblem {
  if (!(error instanceof DomainError) || error.refusal.code === 'gig_not_found') throw error;
  const { refusal } = error;
  const { code } = refusal;
  const details = refusal.code === 'validation_failed' ? refusal.details : [];
  const problems = error instanceof InvalidFields ? error.problems : details.map((text) => ({ field: null, text }));
  return { code, text: personText(refusal), problems };
}

/** What is found, or why a service refuses it; `outage` when an outside service does not answer. @throws any other error */
export async function orProblem<Found>(find: () => Found | Promise<Found>, outage?: string): Promise<Found | string> {
  try {
    return await find();
  } catch (error) {
    return error instanceof AdapterError && outage !== undefined ? outage : problemOf(error).text;
  }
}

async function outcomeOf<V extends Visit<unknown>, Asked, Shown extends View>(
  visit: V,
  asked: Asked,
  { run, again, outage }: Refusing<V, Asked, Shown> & { run: () => Promise<Outcome<Shown>> },
): Promise<Outcome<Shown>> {
  let view: Shown | null;
  try {
    return await run();
  } catch (error) {
    if (error instanceof AdapterError && outage !== undefined) {
      const { log } = visit.c.get('request');
      log().warn({ reason: error.reason, error: summarizeError(error) }, outage.log);
      view = await outage.show(visit, asked);
    } else if (again === undefined) throw error;
    else view = await again(visit, problemOf(error), asked);
  }
  return view && { status: 409, ...view };
}

/** Makes the pages and forms of an audience. */
export function createAudience<Deps extends PageContext, V extends Visit<Deps>, Shown extends View>({
  home,
  showSignIn,
  isOpen = false,
  cookie,
  enter,
  answer,
  missing,
}: AudienceOptions<Deps, V, Shown>): Audience<Deps, V, Shown> {
  /** @param isPage whether the path has a page */
  async function askToSignIn(c: Context<AppEnv>, deps: Deps, isPage: boolean): Promise<Response> {
    const status = c.req.path === home ? 200 : 401;
    const ended = cookie?.read(c) ? { problem: 'Your session has ended. Sign in again.' } : {};
    return await answerPage(c, deps.site, showSignIn(deps, { next: isPage ? nextOf(c, home) : '', status, ...ended }));
  }

  async function refuseForm(c: Context<AppEnv>, deps: Deps): Promise<Response> {
    const problem = 'This form did not come from a page of this service. Reload and try again.';
    return await answerPage(c, deps.site, showSignIn(deps, { next: '', problem, status: 403 }));
  }

  /** From then on a page that is not found is one of this audience, with its menu. */
  function keepAmongOwn(visit: V): void {
    const elsewhere = visit.c.get('errorPage');
    if (missing === undefined || elsewhere === undefined) return;
    visit.c.set('errorPage', async (error) =>
      error.status === 404 ? await answer(visit, missing(visit, error.sentence)) : await elsewhere(error),
    );
  }

  async function tell(visit: V, outcome: Outcome<Shown>): Promise<Response> {
    if (outcome === null) return await visit.c.notFound();
    if (outcome instanceof Response) return outcome;
    if (typeof outcome === 'string') return seeOther(visit.c, visit.deps.site.root + outcome);
    return await answer(visit, outcome);
  }

  return {
    page(path, view, refusing = {}) {
      const serve = (deps: Deps) => async (c: Context<AppEnv>) => {
        const visit = await enter(c, deps);
        if (visit === null) return await askToSignIn(c, deps, true);
        keepAmongOwn(visit);
        return await tell(visit, await outcomeOf(visit, null, { ...refusing, run: () => view(visit) }));
      };
      return { method: 'get', path, isOpen, serve };
    },
    form(path, { body = ({ c }) => readForm(c), isPage = false, read, act, ...refusing }) {
      const serve = (deps: Deps) => async (c: Context<AppEnv>) => {
        if (!isSameOrigin(c, deps.site)) return await refuseForm(c, deps);
        const visit = await enter(c, deps);
        if (visit === null) return await askToSignIn(c, deps, isPage);
        keepAmongOwn(visit);
        // A body can be read once.
        const sent = await body(visit);
        const { session } = visit;
        if (session !== null && !isOwnForm(session, sent.get('token') ?? '')) return await refuseForm(c, deps);
        const asked = await read(visit, sent);
        if (asked === null) return await c.notFound();
        return await tell(visit, await outcomeOf(visit, asked, { ...refusing, run: () => act(visit, asked) }));
      };
      return { method: 'post', path, isOpen, serve };
    },
  };
}

/** Everybody, for the pages on which an audience signs in. */
export function createOpenAudience<Deps extends PageContext>(
  signIn: SignInPage<Deps>,
): Audience<Deps, Visit<Deps>, PageAnswer> {
  return createAudience({
    ...signIn,
    isOpen: true,
    enter: (c, deps) => Promise.resolve({ c, deps, session: null }),
    answer: ({ c, deps }, view) => answerPage(c, deps.site, view),
  });
}

/** Serves the routes of a list, all of which are at this first page or below it. */
export function addRoutes<Deps extends PageContext>(
  app: App,
  deps: Deps,
  { home, routes }: { home: string; routes: readonly Route<Deps>[] },
): void {
  const { site, limited } = deps;
  // The pattern includes the first page.
  app.use(`${home}/*`, servePages(site), limited, withoutSlash(site));
  for (const { method, path, serve } of routes) app.on(method.toUpperCase(), path, serve(deps));
}
