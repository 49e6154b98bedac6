import type { PageContext } from '../context.ts';
import type { App } from '../middleware/context.ts';
import { addClaimPages } from './claims/claim-routes.ts';
import { addCommandsPage } from './commands-page.ts';
import { addDrawPage } from './gigs/draw-page.ts';
import { addGigPages } from './gigs/gig-routes.ts';
import { addReportPage } from './gigs/report-page.ts';
import { createImageMaker } from './images.ts';
import { addLandingPage } from './landing-page.ts';
import { addManifest } from './manifest.ts';
import { addSkillRoutes } from './skill.ts';
import { addTapRoutes } from './snap/tap-routes.ts';

/** The public pages. */
export function addPublicPages(app: App, deps: PageContext): void {
  const images = createImageMaker(deps);
  addLandingPage(app, deps);
  addCommandsPage(app, deps);
  addClaimPages(app, { ...deps, images });
  addGigPages(app, { ...deps, images });
  addTapRoutes(app, deps);
  addManifest(app, { ...deps, images });
  addSkillRoutes(app, deps);
  addDrawPage(app, deps);
  addReportPage(app, deps);
}
