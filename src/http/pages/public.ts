import type { PageContext } from '../context.ts';
import type { App } from '../middleware/context.ts';
import { answerPage, publicNavigation, servePages } from '../ui/page.ts';
import { addClaimPages } from './claims/claim-routes.ts';
import { addDrawPage } from './gigs/draw-page.ts';
import { addGigPages } from './gigs/gig-routes.ts';
import { addReportPage } from './gigs/report-page.ts';
import { renderLanding } from './landing-page.ts';

/** The public pages. */
export function addPublicPages(app: App, deps: PageContext): void {
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
  addDrawPage(app, deps);
  addReportPage(app, deps);
}
