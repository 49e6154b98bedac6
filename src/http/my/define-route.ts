import type { Context, Handler, MiddlewareHandler } from 'hono';
import { isOwnForm } from '../../services/form-token.ts';
import type { AwardContext, CreationContext } from '../../services/owners/context.ts';
import type { ShownAddresses } from '../../services/owners/rewards.ts';
import { findOwnerSession, type SignedIn } from '../../services/owners/sessions.ts';
import type { PageContext } from '../context.ts';
import type { AppEnv } from '../middleware/context.ts';
import type { Once } from '../middleware/idempotency.ts';
import type { RateLimit } from '../middleware/rate-limit.ts';
import type { FundingReader } from '../pages/gigs/funding-look.ts';
import { isSameOrigin, readForm } from '../ui/form.ts';
import { answerPage } from '../ui/page.ts';
import { readSession } from './cookies.ts';
import { answerMine, type MyView } from './frame.ts';
import { readNext, signInPage } from './sign-in/page.ts';

/** What pages of owners have. */
export interface MyContext extends PageContext, Omit<AwardContext, keyof PageContext> {
  readonly targetBudgets: CreationContext['targetBudgets'];
  /** Remembers for a few seconds what chains answered about funding, for all owners. */
  readonly funds: FundingReader;
  /** Where accounts may be paid, as the pages show it. */
  readonly addresses: ShownAddresses;
  /** Gives a form that is sent twice its first answer. */
  readonly once: Once;
  /** Counts sign-ins that are begun: each is stored, and may open a channel of the relay. */
  readonly beginnings: RateLimit;
  /** Counts sign-ins that are finished, refused or not: a chain may be asked, and wallets are free. */
  readonly attempts: RateLimit;
  /** Refuses claims that are too many. */
  readonly claimLimit: MiddlewareHandler<AppEnv>;
}

/** One route of `/my`. A file has those of one page; `index.ts` lists them all. */
export interface MyRoute {
  readonly method: 'get' | 'post';
  /** As Hono matches it, from `/my` on. */
  readonly path: string;
  /** Whether it answers those who have not signed in. */
  readonly isOpen: boolean;
  serve(deps: MyContext): Handler<AppEnv>;
}

/** What a request of an owner has. */
export interface MyRequest {
  readonly deps: MyContext;
  readonly owner: SignedIn;
}

type Answer = (c: Context<AppEnv>, request: MyRequest) => Promise<Response>;

async function refuseForm(c: Context<AppEnv>, deps: MyContext): Promise<Response> {
  const problem = 'This form did not come from a page of this service. Reload and try again.';
  return await answerPage(c, deps.site, signInPage(deps, { next: '', problem, status: 403 }));
}

/** Empty for requests that cannot be repeated. */
function nextOf(c: Context<AppEnv>): string {
  if (c.req.method !== 'GET') return '';
  const { pathname, search } = new URL(c.req.url);
  return readNext(pathname.replace(/^\/my/, '') + search);
}

async function askToSignIn(c: Context<AppEnv>, deps: MyContext): Promise<Response> {
  const status = c.req.path === '/my' ? 200 : 401;
  return await answerPage(c, deps.site, signInPage(deps, { next: nextOf(c), status }));
}

/** An answer for owners alone; others get the page to sign in. */
export function ownerAnswer(path: string, answer: Answer): MyRoute {
  const serve =
    (deps: MyContext): Handler<AppEnv> =>
    async (c) => {
      const owner = await findOwnerSession(deps, readSession(c));
      return owner === null ? await askToSignIn(c, deps) : await answer(c, { deps, owner });
    };
  return { method: 'get', path, isOpen: false, serve };
}

/** A page for owners alone. It is 404 when `view` returns null. */
export function ownerPage(
  path: string,
  view: (c: Context<AppEnv>, request: MyRequest) => Promise<MyView | null>,
): MyRoute {
  return ownerAnswer(path, async (c, request) => {
    const found = await view(c, request);
    return found === null
      ? c.notFound()
      : await answerMine(c, request.deps.site, { owner: request.owner, view: found });
  });
}

/**
 * A form for owners alone: it must come from this server's pages and carry the form token of the session.
 * @param options.read reads its fields; those of a form without a file when absent
 */
export function ownerForm(
  path: string,
  act: (c: Context<AppEnv>, request: MyRequest & { readonly form: URLSearchParams }) => Promise<Response>,
  { read = readForm }: { readonly read?: (c: Context<AppEnv>, deps: MyContext) => Promise<URLSearchParams> } = {},
): MyRoute {
  const serve =
    (deps: MyContext): Handler<AppEnv> =>
    async (c) => {
      if (!isSameOrigin(c, deps.site)) return await refuseForm(c, deps);
      const owner = await findOwnerSession(deps, readSession(c));
      if (owner === null) return await askToSignIn(c, deps);
      // A body can be read once.
      const form = await read(c, deps);
      if (!isOwnForm(owner, form.get('token') ?? '')) return await refuseForm(c, deps);
      return await act(c, { deps, owner, form });
    };
  return { method: 'post', path, isOpen: false, serve };
}

/** A page for everybody, such as that to sign in. */
export function openPage(path: string, show: (c: Context<AppEnv>, deps: MyContext) => Promise<Response>): MyRoute {
  return { method: 'get', path, isOpen: true, serve: (deps) => (c) => show(c, deps) };
}

/** A form for everybody: it must come from this server's pages. */
export function openForm(
  path: string,
  act: (c: Context<AppEnv>, deps: MyContext, form: URLSearchParams) => Promise<Response>,
): MyRoute {
  const serve =
    (deps: MyContext): Handler<AppEnv> =>
    async (c) =>
      isSameOrigin(c, deps.site) ? await act(c, deps, await readForm(c)) : await refuseForm(c, deps);
  return { method: 'post', path, isOpen: true, serve };
}
