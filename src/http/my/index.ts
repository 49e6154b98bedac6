import { AWARD_ROUTES } from './award/routes.ts';
import { SUBMISSION_ROUTES } from './award/submissions.ts';
import type { MyRoute } from './context.ts';
import { GIG_ROUTES } from './gigs/gig.ts';
import { GIGS_ROUTES } from './gigs/gigs.ts';
import { OWNER_ROUTES } from './gigs/owners.ts';
import { REPORT_ROUTES } from './gigs/report.ts';
import { LINK_ROUTES } from './links.ts';
import { NEW_GIG_ROUTES } from './new/routes.ts';
import { REWARD_ROUTES } from './rewards.ts';
import { SESSION_ROUTES } from './sessions.ts';
import { FARCASTER_ROUTES } from './sign-in/farcaster.ts';
import { SIGN_IN_ROUTES } from './sign-in/sign-in.ts';
import { WALLET_ROUTES } from './sign-in/wallet.ts';

/** Every route of `/my`. Tests go through this list, so that none is open to somebody else. */
export const MY_ROUTES: readonly MyRoute[] = [
  ...SIGN_IN_ROUTES,
  ...FARCASTER_ROUTES,
  ...WALLET_ROUTES,
  ...SESSION_ROUTES,
  ...LINK_ROUTES,
  ...GIGS_ROUTES,
  ...GIG_ROUTES,
  ...REPORT_ROUTES,
  ...OWNER_ROUTES,
  ...NEW_GIG_ROUTES,
  ...AWARD_ROUTES,
  ...SUBMISSION_ROUTES,
  ...REWARD_ROUTES,
];
