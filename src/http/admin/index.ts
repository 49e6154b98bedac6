import type { PageContext } from '../context.ts';
import { addRoutes } from '../frame/audience.ts';
import type { App } from '../middleware/context.ts';
import { createRateLimit } from '../middleware/rate-limit.ts';
import { auditPage } from './access/audit.ts';
import { keysPage } from './access/keys.ts';
import { LOG_IN_PAGES } from './access/log-in.ts';
import { CLAIM_PAGES } from './claims.ts';
import type { AdminContext, AdminRoute } from './context.ts';
import { accountPage } from './find/account.ts';
import { findPage } from './find/find.ts';
import { BLOCK_PAGES } from './gigs/blocked.ts';
import { CANDIDATE_PAGES } from './gigs/candidates.ts';
import { earningsPage } from './gigs/earnings.ts';
import { GIG_PAGES } from './gigs/gigs.ts';
import { OWNER_PAGES } from './gigs/owners.ts';
import { MENTION_PAGES } from './mentions.ts';
import { overviewPage } from './overview.ts';
import { PAPER_PAGES } from './papers.ts';
import { PAYMENT_PAGES } from './payments.ts';
import { REPLY_PAGES } from './replies.ts';
import { webhooksPage } from './webhooks.ts';

/** Every route of `/admin`. Tests go through this list, so that none is open to somebody else. */
export const ADMIN_ROUTES: readonly AdminRoute[] = [
  ...LOG_IN_PAGES,
  overviewPage,
  ...MENTION_PAGES,
  ...REPLY_PAGES,
  ...PAYMENT_PAGES,
  ...PAPER_PAGES,
  ...CLAIM_PAGES,
  ...GIG_PAGES,
  ...CANDIDATE_PAGES,
  earningsPage,
  ...BLOCK_PAGES,
  ...OWNER_PAGES,
  webhooksPage,
  keysPage,
  auditPage,
  findPage,
  accountPage,
];

/** Failed log-ins per client and minute; beyond it every attempt is refused, even with the right key. */
const REFUSED_PER_MINUTE = 10;

/** `/admin` and everything below it: the command line's views, live, for logged-in operators. */
export function addAdminPages(app: App, deps: PageContext): void {
  const { config, clock } = deps;
  const attempts = createRateLimit({ limit: REFUSED_PER_MINUTE, trustedProxies: config.trustedProxies, clock });
  const context: AdminContext = { ...deps, attempts };
  addRoutes(app, context, { home: '/admin', routes: ADMIN_ROUTES });
}
