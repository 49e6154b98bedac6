import type { MiddlewareHandler } from 'hono';
import type { Chains } from '../../domain/chain.ts';
import type { Platforms } from '../../domain/mention.ts';
import type { Log } from '../../log.ts';
import type { findAccountClaims } from '../../services/claims/find-account-claims.ts';
import type { findGigPayments } from '../../services/gigs/find-gig-payments.ts';
import type { ListGigsDeps } from '../../services/gigs/find-gigs.ts';
import type { App, AppEnv } from '../middleware/context.ts';
import type { Site } from '../ui/layout.ts';
import { addClaimPages } from './claim-routes.ts';
import { addGigPages } from './gig-routes.ts';
import { renderLanding } from './landing-page.ts';
import { answerPage, publicNavigation, servePages } from './page.ts';

export interface PublicPagesDeps {
  readonly site: Site;
  /** The rate limit of everything that anybody may ask for. */
  readonly limited: MiddlewareHandler<AppEnv>;
  readonly store: Parameters<typeof findAccountClaims>[0]['store'] &
    Parameters<typeof findGigPayments>[0]['store'] &
    ListGigsDeps['store'];
  readonly wallets: Parameters<typeof findAccountClaims>[0]['wallets'];
  readonly chains: Chains;
  readonly platforms: Platforms;
  /** The platform's fee in basis points of the reward. */
  readonly feeBps: number;
  /** Whether gigs may be about posts on X. */
  readonly earningOnX: boolean;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
  /** The folder of this file. */
  readonly pagesFolder: string;
}

/** The pages that everybody may read. */
export function addPublicPages(app: App, deps: PublicPagesDeps): void {
  const { site, limited } = deps;
  app.get('/', servePages(site), limited, (c) =>
    answerPage(c, site, {
      title: 'Gigs and claims',
      description: 'Gigs on Farcaster and X, and the tips that people earn from them and claim in tokens.',
      nav: publicNavigation(site),
      body: renderLanding(site),
      cacheControl: 'public, max-age=60',
    }),
  );
  addClaimPages(app, deps);
  addGigPages(app, deps);
}
