import { mayOwnersSignIn } from '../../domain/owners/sign-in.ts';
import { createHandleResolver } from '../../services/claims/resolve-handle.ts';
import { createHandleBudget, createIdBudget, createTargetBudgets } from '../../services/owners/asking-budgets.ts';
import { createShownAddresses } from '../../services/owners/rewards.ts';
import { createShownPosts } from '../../services/owners/shown-posts.ts';
import type { PageContext } from '../context.ts';
import { addRoutes } from '../frame/audience.ts';
import type { App } from '../middleware/context.ts';
import { createOnce } from '../middleware/idempotency.ts';
import { createClaimLimit, createRateLimit } from '../middleware/rate-limit.ts';
import { createFundingReader } from '../pages/gigs/funding-look.ts';
import { AWARD_ROUTES } from './award/routes.ts';
import { SUBMISSION_ROUTES } from './award/submissions.ts';
import type { MyContext, MyRoute } from './context.ts';
import { GIG_ROUTES } from './gigs/gig.ts';
import { myGigsPage } from './gigs/gigs.ts';
import { MISSING_ROUTES } from './gigs/missing.ts';
import { OWNER_ROUTES } from './gigs/owners.ts';
import { REPORT_ROUTES } from './gigs/report.ts';
import { endLinkForm } from './links.ts';
import { EDIT_ROUTES } from './new/edit.ts';
import { NEW_GIG_ROUTES } from './new/routes.ts';
import { REWARD_ROUTES } from './rewards.ts';
import { SESSION_ROUTES } from './sessions.ts';
import { FARCASTER_ROUTES } from './sign-in/farcaster.ts';
import { signInRoute } from './sign-in/sign-in.ts';
import { WALLET_ROUTES } from './sign-in/wallet.ts';

/** Every route of `/my`. Tests go through this list, so that none is open to somebody else. */
export const MY_ROUTES: readonly MyRoute[] = [
  signInRoute,
  ...FARCASTER_ROUTES,
  ...WALLET_ROUTES,
  ...SESSION_ROUTES,
  endLinkForm,
  myGigsPage,
  ...GIG_ROUTES,
  ...MISSING_ROUTES,
  ...REPORT_ROUTES,
  ...OWNER_ROUTES,
  ...NEW_GIG_ROUTES,
  ...EDIT_ROUTES,
  ...AWARD_ROUTES,
  ...SUBMISSION_ROUTES,
  ...REWARD_ROUTES,
];

/** Sign-ins per client and minute, begun and finished ones apart; beyond it even the right signature is refused. */
const SIGN_INS_PER_MINUTE = 10;

/** `/my` and everything below it: the pages of owners. Without a way to sign in there are none. */
export function addMyPages(app: App, deps: PageContext): void {
  const { config, clock } = deps;
  if (!mayOwnersSignIn(deps.signIn)) return;
  const { claimLimits: limits, trustedProxies } = config;
  const signIns = () => createRateLimit({ limit: SIGN_INS_PER_MINUTE, trustedProxies, clock });
  const context: MyContext = {
    ...deps,
    beginnings: signIns(),
    attempts: signIns(),
    funds: createFundingReader(deps),
    addresses: createShownAddresses(deps),
    posts: createShownPosts(deps),
    once: createOnce(deps),
    resolve: createHandleResolver(deps),
    whyNotAsk: createHandleBudget(deps),
    whyNotAskIds: createIdBudget(deps),
    targetBudgets: createTargetBudgets(deps),
    claimLimit: createClaimLimit({ limits, trustedProxies, clock }),
  };
  addRoutes(app, context, { home: '/my', routes: MY_ROUTES });
}
