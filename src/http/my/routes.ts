import { mayOwnersSignIn } from '../../domain/owners/sign-in.ts';
import { createHandleResolver } from '../../services/claims/resolve-handle.ts';
import { createHandleBudget, createTargetBudgets } from '../../services/owners/asking-budgets.ts';
import { createShownAddresses } from '../../services/owners/rewards.ts';
import type { PageContext } from '../context.ts';
import { addRoutes } from '../frame/audience.ts';
import type { App } from '../middleware/context.ts';
import { createOnce } from '../middleware/idempotency.ts';
import { createClaimLimit, createRateLimit } from '../middleware/rate-limit.ts';
import { createFundingReader } from '../pages/gigs/funding-look.ts';
import type { MyContext } from './context.ts';
import { MY_ROUTES } from './index.ts';

/** Sign-ins per client and minute, begun and finished ones apart; beyond it even the right signature is refused. */
const SIGN_INS_PER_MINUTE = 10;

/** `/my` and everything below it: the pages of owners. Without a way to sign in there are none. */
export function addMyPages(app: App, deps: PageContext): void {
  const { config, clock } = deps;
  if (!mayOwnersSignIn(deps.signIn)) return;
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
  addRoutes(app, context, { home: '/my', routes: MY_ROUTES });
}
