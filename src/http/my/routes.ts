import { mayOwnersSignIn } from '../../domain/owners/sign-in.ts';
import { createHandleResolver } from '../../services/claims/resolve-handle.ts';
import { createHandleBudget, createTargetBudgets } from '../../services/owners/asking-budgets.ts';
import { createShownAddresses } from '../../services/owners/rewards.ts';
import type { PageContext } from '../context.ts';
import type { App } from '../middleware/context.ts';
import { createOnce } from '../middleware/idempotency.ts';
import { createClaimLimit, createRateLimit } from '../middleware/rate-limit.ts';
import { createFundingReader } from '../pages/gigs/funding-look.ts';
import { servePages, withoutSlash } from '../ui/page.ts';
import type { MyContext } from './define-route.ts';
import { MY_ROUTES } from './index.ts';

/** Sign-ins per client and minute, begun and finished ones apart; beyond it even the right signature is refused. */
const SIGN_INS_PER_MINUTE = 10;

/** `/my` and everything below it: the pages of owners. Without a way to sign in there are none. */
export function addMyPages(app: App, deps: PageContext): void {
  const { config, clock, site } = deps;
  if (!mayOwnersSignIn(deps.signIn)) return;
  // The pattern includes `/my`.
  app.use('/my/*', servePages(site), deps.limited, withoutSlash(site));
  const { claimLimits: limits, trustProxy } = config;
  const signIns = () => createRateLimit({ limit: SIGN_INS_PER_MINUTE, trustProxy, clock });
  const context: MyContext = {
    ...deps,
    beginnings: signIns(),
    attempts: signIns(),
    funds: createFundingReader(deps),
    addresses: createShownAddresses(deps),
    once: createOnce(deps),
    resolve: createHandleResolver(deps),
    whyNotAsk: createHandleBudget(deps),
    targetBudgets: createTargetBudgets(deps),
    claimLimit: createClaimLimit({ limits, trustProxy, clock }),
  };
  for (const { method, path, serve } of MY_ROUTES) app.on(method.toUpperCase(), path, serve(context));
}
