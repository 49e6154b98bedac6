import type { PageContext } from '../context.ts';
import { addRoutes } from '../frame/audience.ts';
import type { App } from '../middleware/context.ts';
import { createRateLimit } from '../middleware/rate-limit.ts';
import type { AdminContext } from './context.ts';
import { ADMIN_ROUTES } from './index.ts';

/** Failed log-ins per client and minute; beyond it every attempt is refused, even with the right key. */
const REFUSED_PER_MINUTE = 10;

/** `/admin` and everything below it: the command line's views, live, for logged-in operators. */
export function addAdminPages(app: App, deps: PageContext): void {
  const { config, clock } = deps;
  const attempts = createRateLimit({ limit: REFUSED_PER_MINUTE, trustProxy: config.trustProxy, clock });
  const context: AdminContext = { ...deps, attempts };
  addRoutes(app, context, { home: '/admin', routes: ADMIN_ROUTES });
}
