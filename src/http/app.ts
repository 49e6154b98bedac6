import { OpenAPIHono } from '@hono/zod-openapi';
import type { Hono } from 'hono';
import { mayOwnersSignIn } from '../domain/owners/sign-in.ts';
import type { Logo } from '../domain/settings/logo/logo.ts';
import { HOUR_MS } from '../domain/time.ts';
import type { DeliveryCounters } from '../services/deliveries/deliver-next.ts';
import { addAdminPages } from './admin/index.ts';
import { addDocsRoutes } from './api/docs.ts';
import { addDocumentRoute, describeApi } from './api/openapi.ts';
import { isPublic } from './api/operation-route.ts';
import { OPERATIONS } from './api/operations.ts';
import { addClientRoute } from './api/typed-client.ts';
import { refuseInvalid } from './api/validation.ts';
import { runChecks } from './checks.ts';
import type { HttpConfig, HttpContext } from './context.ts';
import { createAllowedAt } from './errors/allowed-methods.ts';
import { addMcpRoute } from './mcp/mcp.ts';
import type { App, AppEnv } from './middleware/context.ts';
import { allowCrossOriginReads, answerPreflights } from './middleware/cors.ts';
import { installErrorHandler } from './middleware/errors.ts';
import { createMetrics } from './middleware/metrics.ts';
import { guardOperatorPaths } from './middleware/operator-paths.ts';
import { createForwardedWarning, createRateLimit } from './middleware/rate-limit.ts';
import { refuseMoved, trackRequests } from './middleware/request-log.ts';
import { addMyPages } from './my/index.ts';
import { addOperationsRoutes } from './operations.ts';
import { addPublicPages } from './pages/public.ts';
import { createRouter } from './router.ts';
import { addAssetRoutes, createSite, showMissingPageOf } from './ui/page.ts';
import { addWebhookRoutes } from './webhooks.ts';
import { addWellKnownRoute } from './well-known.ts';

type Derived = 'metrics' | 'feeBps' | 'refundDelayMs' | 'earningOnX' | 'watchesGigs' | 'hasLabels';

export interface AppOptions extends Omit<HttpContext, Derived>, DeliveryCounters {
  readonly config: HttpConfig & {
    /** In basis points of the reward. */
    readonly platformFeeBps: number;
    readonly earningOnX: boolean;
    readonly earningLookSeconds: number;
    /** Between the settlement of a gig and its refund. */
    readonly refundDelayHours: number;
    readonly spamLabelsFile: string | null;
  };
  readonly version: string;
  /** The operator's picture. */
  readonly logo: Logo | null;
}

/** The paths that pages of other origins may read. */
const PUBLIC_READS = [
  ...OPERATIONS.filter((operation) => operation.method === 'get' && isPublic(operation)).map(({ path }) => path),
  '/api/openapi.json',
];

/**
 * The service's HTTP interface, as one Hono app. A request passes in this order: its id and timing, operator paths, a store
 * that was moved, CORS, rate limit.
 */
export function createApp(options: AppOptions): Hono {
  const { clock, config, newId, log, version, pagesFolder, logo, prices, signIn } = options;
  const { brand, publicUrl } = config;
  const refundDelayMs = config.refundDelayHours * HOUR_MS;
  const metrics = createMetrics({ ...options, refundDelayMs });
  const deps: HttpContext = {
    ...options,
    metrics,
    feeBps: config.platformFeeBps,
    refundDelayMs,
    earningOnX: config.earningOnX,
    watchesGigs: config.earningLookSeconds > 0,
    hasLabels: config.spamLabelsFile !== null,
  };
  const app: App = new OpenAPIHono<AppEnv>({ defaultHook: refuseInvalid, router: createRouter() });
  const ownersSignIn = mayOwnersSignIn(signIn);
  const site = createSite({ publicUrl, pagesFolder, brand, logo, ownersSignIn, priceOf: prices?.priceOf });
  const document = { version, publicUrl, title: site.brand.name };
  installErrorHandler(app, { showMissingPage: showMissingPageOf(site), allowedAt: createAllowedAt(app) });
  app.use(trackRequests({ log, metrics, newId }));
  const limit = createRateLimit({
    limit: config.rateLimitPerMinute,
    trustedProxies: config.trustedProxies,
    clock,
    forwarded: createForwardedWarning({ clock, log }),
  });
  const limited = limit.enforce;
  app.use(
    runChecks([
      guardOperatorPaths({ ownPort: config.adminPort !== null }),
      refuseMoved(options.instances),
      allowCrossOriginReads(PUBLIC_READS),
      limit.check,
    ]),
  );
  answerPreflights(app, PUBLIC_READS);
  for (const { add } of OPERATIONS) add(app, deps);
  addWebhookRoutes(app, deps);
  addOperationsRoutes(app, deps);
  addWellKnownRoute(app, deps);
  addDocumentRoute(app, document);
  addDocsRoutes(app, { version, look: site.brand });
  addClientRoute(app);
  addMcpRoute(app, {
    ...deps,
    version,
    limited,
    operations: OPERATIONS,
    describe: () => describeApi(app, document),
  });
  addAssetRoutes(app, site);
  addPublicPages(app, { ...deps, site, limited });
  addMyPages(app, { ...deps, site, limited });
  addAdminPages(app, { ...deps, site, limited });
  // The variables of a request are set and read here; callers only call `fetch`.
  return app as unknown as Hono;
}
