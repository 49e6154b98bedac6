import { AUDIT_PAGES } from './access/audit.ts';
import { KEY_PAGES } from './access/keys.ts';
import { LOG_IN_PAGES } from './access/log-in.ts';
import { CLAIM_PAGES } from './claims.ts';
import type { AdminRoute } from './context.ts';
import { ACCOUNT_PAGES } from './find/account.ts';
import { FIND_PAGES } from './find/find.ts';
import { BLOCK_PAGES } from './gigs/blocked.ts';
import { CANDIDATE_PAGES } from './gigs/candidates.ts';
import { EARNING_PAGES } from './gigs/earnings.ts';
import { GIG_PAGES } from './gigs/gigs.ts';
import { ALLOWED_OWNER_PAGES } from './gigs/owners.ts';
import { MENTION_PAGES } from './mentions.ts';
import { OVERVIEW_PAGES } from './overview.ts';
import { PAYMENT_PAGES } from './payments.ts';
import { REPLY_PAGES } from './replies.ts';
import { DELIVERY_PAGES } from './webhooks.ts';

/** Every route of `/admin`. Tests go through this list, so that none is open to somebody else. */
export const ADMIN_ROUTES: readonly AdminRoute[] = [
  ...LOG_IN_PAGES,
  ...OVERVIEW_PAGES,
  ...MENTION_PAGES,
  ...REPLY_PAGES,
  ...PAYMENT_PAGES,
  ...CLAIM_PAGES,
  ...GIG_PAGES,
  ...CANDIDATE_PAGES,
  ...EARNING_PAGES,
  ...BLOCK_PAGES,
  ...ALLOWED_OWNER_PAGES,
  ...DELIVERY_PAGES,
  ...KEY_PAGES,
  ...AUDIT_PAGES,
  ...FIND_PAGES,
  ...ACCOUNT_PAGES,
];
